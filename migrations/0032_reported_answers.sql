-- A reader reports an answer as wrong or out of date, or says that no procedure holds what was asked.
alter table feedback add column reported text check (reported in ('wrong', 'outdated'));
alter table feedback drop constraint feedback_missing_check;
alter table feedback add constraint feedback_missing_check check (missing in ('document', 'procedure', 'passage', 'detail', 'patient'));
