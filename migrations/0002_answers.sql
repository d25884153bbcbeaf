-- What was asked and answered, complete enough to reproduce it, and what people said of it.

create table conversations (
    id           text primary key,
    user_id      text not null,
    owner_group  text not null default 'everyone',
    title        text not null,
    created_at   timestamptz not null default now(),
    updated_at   timestamptz not null default now()
);
create index conversations_of_user on conversations (user_id, updated_at desc);

create table answers (
    id               text primary key,
    conversation_id  text not null references conversations (id) on delete cascade,
    user_id          text not null,
    owner_group      text not null default 'everyone',
    question         text not null,
    query            text not null,               -- what was searched for
    language         text not null,
    mode             text not null check (mode in ('answer', 'verbatim', 'sources')),
    status           text not null check (status in ('answered', 'not_found', 'sources_only', 'failed')),
    text             text not null,
    sources          jsonb not null,              -- the hits as they were: chunk, scores, text, document with its hash, rectangles
    citations        jsonb not null,              -- copied spans with their place in the document and on the page
    notices          jsonb not null,
    model            text not null,
    embedder         text not null,
    prompt_version   text not null,
    stats            jsonb not null,              -- what each stage measured, and the settings it ran with
    created_at       timestamptz not null,
    finished_at      timestamptz not null default now()
);
create index answers_of_conversation on answers (conversation_id, created_at);
create index answers_unanswered on answers (created_at) where status = 'not_found';

create table feedback (
    id           text primary key,
    answer_id    text not null references answers (id) on delete cascade,
    user_id      text not null,
    owner_group  text not null default 'everyone',
    found        text check (found in ('yes', 'partly', 'no')),
    document_id  text,                            -- the document that held the answer; not a reference: it may be gone later
    page         integer check (page >= 1),
    comment      text not null default '',
    created_at   timestamptz not null default now()
);
create index feedback_of_answer on feedback (answer_id, created_at);
