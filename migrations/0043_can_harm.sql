-- Who asks or reports says that it can harm a patient: it then comes first. An error was never right, as against what no longer is.
alter table owner_questions add column can_harm boolean not null default false;
alter table feedback add column can_harm boolean not null default false;
alter table owner_questions drop constraint owner_questions_kind_check;
alter table owner_questions add constraint owner_questions_kind_check check (kind in ('question', 'report', 'error'));
