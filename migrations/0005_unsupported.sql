-- Numbers of an answer that none of its passages holds, with their places in it.

alter table answers add column unsupported jsonb not null default '[]';
