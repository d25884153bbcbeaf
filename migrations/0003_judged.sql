-- Judged questions: what staff asked and where the answer stands; what retrieval is measured with. And who asked, for the gap report.

create table judged_questions (
    set_name      text not null,
    id            text not null,                   -- as in the CSV
    question      text not null,
    language      text not null default '',
    function      text not null default '',        -- of who asked
    department    text not null default '',        -- of who asked
    patient_group text not null default '',
    conversation  text not null default '',        -- questions of one conversation share it
    split         text not null check (split in ('validate', 'test')),
    found         text not null default '' check (found in ('yes', 'partly', 'no', '')),
    no_answer     boolean not null default false,  -- someone looked, and the documents hold none; else places say where it stands
    note          text not null default '',
    answer_id     text references answers (id) on delete set null, -- the judge's own question: it stays when their conversation goes
    copied_from   text references answers (id) on delete cascade,  -- somebody else's question: it goes with their conversation
    user_id       text not null,                   -- who judged it
    owner_group   text not null default 'everyone',
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    primary key (set_name, id)
);
create index judged_of_answer on judged_questions (answer_id);
create index judged_copied_from on judged_questions (copied_from);

create table judged_places (
    set_name  text not null,
    id        text not null,
    position  integer not null check (position >= 0),
    document  text not null,                       -- the name it was ingested under: it outlives versions
    page      integer check (page >= 1),
    span      text not null default '',
    primary key (set_name, id, position),
    foreign key (set_name, id) references judged_questions (set_name, id) on delete cascade on update cascade
);

alter table answers add column function text not null default '';    -- of who asked, as their account said then
alter table answers add column department text not null default '';
