-- What admins say of documents, over what the files say. By the name it was ingested under, so that it outlives versions.

create table metadata_edits (
    source    text not null,
    field     text not null,
    value     text not null,            -- dates as 2026-01-31, groups as adult;child, '' for nothing
    said      text not null,            -- what the file said then: when it says something else later, the file is believed
    user_id   text not null,
    edited_at timestamptz not null default now(),
    primary key (source, field)
);

-- Who changed what, and when. Nothing here is ever changed or deleted.
create table metadata_changes (
    id          bigint generated always as identity primary key,
    document_id text not null,
    source      text not null,
    field       text not null,
    before      text not null,
    after       text not null,
    user_id     text not null,
    changed_at  timestamptz not null default now()
);
create index metadata_changes_of_source on metadata_changes (source, changed_at);
