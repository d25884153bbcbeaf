-- Who asked an owner hears by mail when the procedure changes, where the sign-in provider says an address of theirs.
alter table users add column mail text not null default '';
alter table outbox drop constraint outbox_kind_check;
alter table outbox add constraint outbox_kind_check check (kind in ('mail', 'webhook', 'asker_mail'));
