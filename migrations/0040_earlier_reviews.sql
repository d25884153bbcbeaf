-- What was said of an answer before it was judged anew; the newest stands in reviews. Gone with the answer.
create table earlier_reviews (
    answer_id  text not null references answers on delete cascade,
    verdict    text not null check (verdict in ('right', 'partly', 'wrong', 'harmful')),
    remark     text not null,
    user_id    text not null,                                           -- '': forgotten
    judged_at  timestamptz not null
);
create index earlier_reviews_answer on earlier_reviews (answer_id, judged_at desc);
-- Who asked reads it, which was said to whoever judged: not of what was judged before.
alter table reviews add column told boolean not null default false;
