-- Who answers for a document: by what the document says of its owner, else of its department. Kept by admins.

create table owners (
    name     text primary key check (name <> ''),  -- as documents carry it, in small letters
    mail     text not null default '',              -- told by mail that somebody asked; '': not told
    user_id  text not null,                         -- who said so last
    said_at  timestamptz not null default now()
);
create table owner_accounts (
    name        text not null references owners on delete cascade,
    account_id  text not null references users on delete cascade,
    primary key (name, account_id)
);
create index owner_accounts_account on owner_accounts (account_id);

-- What staff ask a document's owner, or report of it. Whose it is to answer follows from the document as it stands now, so that nothing
-- waits for somebody who left.
create table owner_questions (
    id           text primary key,
    kind         text not null check (kind in ('question', 'report')),
    document_id  text not null references documents on delete cascade,  -- the version that it is about
    page         integer check (page >= 1),
    answer_id    text references answers on delete set null,            -- under which it was asked; deleted, what was asked stays
    text         text not null,
    user_id      text not null,                                         -- who asked; '': forgotten
    groups       text[] not null,                                       -- of who asked, as of answers
    function     text not null default '',
    department   text not null default '',
    created_at   timestamptz not null default now(),
    outcome      text check (outcome in ('answered', 'mended', 'retired')),  -- null: open
    reply        text not null default '',
    replied_by   text not null default '',
    replied_at   timestamptz,
    seen_at      timestamptz not null default now(),                    -- until when who asked has seen what became of it
    check ((outcome is null) = (replied_at is null))
);
create index owner_questions_asker on owner_questions (user_id, created_at desc);
create index owner_questions_document on owner_questions (document_id);
create index owner_questions_open on owner_questions (created_at) where outcome is null;

-- The version of each question's document that says who answers: the one that counts now, else the one that was asked about.
create view asked_documents as
    select q.id as question_id, coalesce(newest.id, asked.id) as id
    from owner_questions q join documents asked on asked.id = q.document_id
    left join documents newest on newest.source = asked.source and newest.status = 'indexed';

-- What is to be sent, written in the transaction of what it tells of. A row stays until it was sent, or cannot be.
create table outbox (
    id           bigint generated always as identity primary key,
    kind         text not null check (kind in ('mail')),
    recipient    text not null,
    question_id  text references owner_questions on delete cascade,     -- of a mail: what it tells of
    created_at   timestamptz not null default now(),
    tries        integer not null default 0,
    next_at      timestamptz not null default now(),
    sent_at      timestamptz,
    failed_at    timestamptz,                                           -- refused for good, or tried for too long
    problem      text not null default ''                               -- why the last try failed
);
create index outbox_due on outbox (next_at) where sent_at is null and failed_at is null;
create index outbox_question on outbox (question_id);
