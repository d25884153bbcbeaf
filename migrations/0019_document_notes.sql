-- The warnings of a document with their stable codes and values, in the same order; empty for those of an older time.

alter table documents add column notes jsonb not null default '[]';
