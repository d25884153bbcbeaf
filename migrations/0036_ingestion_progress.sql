-- Where the ingestion that runs is. One row, of the run that holds the lock, and of no use without it.

create table ingestion_progress (
    one       boolean primary key default true check (one),
    user_id   text not null,
    source    text not null,
    step      text not null check (step in ('comparing', 'reading', 'embedding', 'saved')),
    page      integer not null,
    of_pages  integer not null,
    done      integer not null,
    total     integer not null,
    pages     integer not null,
    chunks    integer not null,
    seconds   double precision not null
);
