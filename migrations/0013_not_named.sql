-- Specific words of a question that what its answer quotes does not name.

alter table answers add column not_named jsonb not null default '[]';
