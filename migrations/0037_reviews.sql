-- What quality staff say of an answer that staff were given, or of its refusal. Gone with the answer; the audit trail knows who said what.
create table reviews (
    answer_id          text primary key references answers on delete cascade,
    verdict            text not null check (verdict in ('right', 'partly', 'wrong', 'harmful')),
    remark             text not null default '',
    user_id            text not null,                                   -- who said so last; '': forgotten
    judged_at          timestamptz not null default now(),
    owner_question_id  text references owner_questions on delete set null  -- by which a document's owner hears of it
);
create index answers_at on answers (created_at desc, id);
