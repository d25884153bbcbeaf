-- Documents and their pages. A shipped migration is never edited: a change is a new file.

create table documents (
    id             text primary key,              -- sha256(source NUL file sha256), 32 hex digits: the same file has the same id everywhere
    source         text not null,                 -- the name it was ingested under
    sha256         text not null,                 -- of the file's bytes; the file is kept under this name
    media_type     text not null,
    status         text not null check (status in ('indexed', 'failed', 'retired', 'replaced')),
    reason         text not null default '',      -- why it failed
    title          text not null default '',
    department     text not null default '',
    document_type  text not null default '',
    target_groups  text[] not null default '{}',
    version        text not null default '',
    valid_from     date,
    valid_until    date,
    owner          text not null default '',
    language       text not null default '',
    supersedes     text not null default '',
    page_count     integer not null default 0,
    chunk_count    integer not null default 0,
    byte_count     bigint not null default 0,
    fingerprint    text not null default '',      -- of everything but the content that its index follows from
    warnings       text[] not null default '{}',  -- what an admin should know of it
    user_id        text not null default 'local', -- who ingested it
    owner_group    text not null default 'everyone', -- who may read it
    created_at     timestamptz not null default now(),
    updated_at     timestamptz not null default now()
);

-- One current document per source; retired and replaced ones stay, for the answers that quote them.
create unique index documents_current_source on documents (source) where status in ('indexed', 'failed');
create index documents_status on documents (status, updated_at desc);

create table pages (
    document_id  text not null references documents (id) on delete cascade,
    number       integer not null check (number >= 1),
    width        double precision not null,       -- points, as displayed
    height       double precision not null,
    rotation     integer not null check (rotation in (0, 90, 180, 270)),
    text_start   integer not null check (text_start >= 0), -- offset of the page in the document text
    text         text not null,
    boxes        bytea not null,                  -- a box per character, packed by rag_api/text/char_boxes.py
    text_from    text not null default 'pdf',
    primary key (document_id, number)
);
