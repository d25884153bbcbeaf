-- Documents that a machine of a cluster began to read and of which nothing has been heard since. No reference to documents: most are not
-- in the list yet.

create table unfinished_readings (
    document_id text        primary key,
    times       int         not null default 1,
    begun_at    timestamptz not null default now()
);
