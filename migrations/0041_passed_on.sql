-- Whom quality staff passed a question on to, by name; null: it is its document's owner's, or theirs.
alter table owner_questions add column passed_to text references users on delete set null;
create index owner_questions_passed on owner_questions (passed_to) where passed_to is not null;
