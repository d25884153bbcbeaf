-- What a reader missed in an answer, in one press after "no".
alter table feedback add column missing text check (missing in ('procedure', 'passage', 'detail', 'patient'));
