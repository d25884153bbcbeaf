-- Who may read a document: groups instead of one. What is said of it by an admin, by where it came from, by its department; the first that
-- says something counts (rag_api/db/permissions.py). `groups` is what follows and what every query checks; `indexed_groups` is what the
-- index filters by: where they differ, the index is behind, and the list decides.

create table document_groups (
    source  text not null,                      -- the name it was ingested under: permissions outlive versions
    said_by text not null check (said_by in ('admin', 'source')),
    groups  text[] not null check (cardinality(groups) > 0),
    user_id text not null,
    said_at timestamptz not null default now(),
    primary key (source, said_by)
);

create table department_groups (
    department text primary key,                -- in small letters
    groups     text[] not null check (cardinality(groups) > 0),
    user_id    text not null,
    said_at    timestamptz not null default now()
);

-- Who changed what, and when. Nothing here is ever changed or deleted.
create table group_changes (
    id         bigint generated always as identity primary key,
    about      text not null,                   -- 'document' or 'department'
    name       text not null,
    before     text[],                          -- null: nothing was said
    after      text[],
    user_id    text not null,
    changed_at timestamptz not null default now()
);
create index group_changes_of on group_changes (about, name, changed_at);

alter table documents add column groups text[] not null default '{everyone}';
alter table documents add column indexed_groups text[] not null default '{everyone}';
update documents set groups = array[owner_group], indexed_groups = array[owner_group];
insert into document_groups (source, said_by, groups, user_id)
  select source, 'admin', array[owner_group], user_id from documents
  where status in ('indexed', 'failed') and owner_group <> 'everyone' on conflict do nothing;
alter table documents drop column owner_group;
create index documents_groups on documents using gin (groups);
create index documents_behind on documents (id) where groups <> indexed_groups;

-- Questions, what was said of them and judged ones: of the groups of who asked. An asker of some group asks for its reviewers only.
alter table answers add column groups text[] not null default '{everyone}';
update answers set groups = array[owner_group];
alter table answers drop column owner_group;
alter table conversations drop column owner_group;
alter table feedback drop column owner_group;

-- A set's name and a question's id are one group's own: another's may be called the same.
alter table judged_questions add column groups text[] not null default '{everyone}';
update judged_questions set groups = array[owner_group];
alter table judged_questions add column space text not null default 'everyone';  -- the groups in one word
update judged_questions set space = owner_group;
alter table judged_questions drop column owner_group;
alter table judged_places add column space text not null default 'everyone';
update judged_places p set space = q.space from judged_questions q where q.set_name = p.set_name and q.id = p.id;
alter table judged_places drop constraint judged_places_set_name_id_fkey;
alter table judged_places drop constraint judged_places_pkey;
alter table judged_questions drop constraint judged_questions_pkey;
alter table judged_questions add primary key (space, set_name, id);
alter table judged_places add primary key (space, set_name, id, position);
alter table judged_places add foreign key (space, set_name, id)
  references judged_questions (space, set_name, id) on delete cascade on update cascade;
