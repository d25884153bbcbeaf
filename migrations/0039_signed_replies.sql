-- As whom a question was answered: an owner or a department as the document named it then, '': quality staff; null: not kept.
alter table owner_questions add column replied_as text;
