-- Where each document's file lay when it was last ingested, so that what is gone from there can be named.
create table document_folders (
    source  text primary key,           -- the name it was ingested under
    folder  text not null               -- the folder that was given, absolute; "upload" when it came over the API
);

-- What files were called before: a moved file keeps its document, and others may still say that they supersede the old name.
create table former_names (
    former      text not null,
    source      text not null,
    renamed_at  timestamptz not null default now(),
    primary key (former, source)
);
create index former_names_of_source on former_names (source);
