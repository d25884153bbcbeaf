-- SharePoint and OneDrive: what is known of each drive, so that only changes are asked for, and of each of its files.
create table drives (
    id         text primary key,          -- Microsoft Graph's
    delta_link text not null,             -- where the changes since the last look are
    synced_at  timestamptz not null default now()
);

create table drive_items (
    drive_id     text    not null references drives (id) on delete cascade deferrable initially deferred,
    id           text    not null,
    parent       text    not null,        -- the folder's id; empty: the root
    name         text    not null,
    is_folder    boolean not null,
    is_package   boolean not null,
    look         boolean not null,        -- it changed and was not looked at since: an interrupted run goes on here
    permit       boolean not null,        -- the same of who may read it
    version      text    not null,        -- the published one that was downloaded
    sha256       text    not null,        -- of its content, kept under this name
    size         bigint  not null,
    groups       text[]  not null,        -- of Bedside, whose members may read it
    notes        text[]  not null,
    left_out     text    not null,        -- why it is not indexed: a draft, say
    reason       text    not null,        -- why it failed
    message      text    not null,
    permitted_at timestamptz,
    primary key (drive_id, id)
);

-- A file's id in its folder, where files have ids: under another name it is still the same document.
alter table document_folders add column item text not null default '';
create index document_folders_items on document_folders (folder, item) where item <> '';
