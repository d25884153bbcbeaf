-- Where changes of documents are told to other systems. Kept by admins; of documents that the groups of who made it may read.
create table webhooks (
    id          text primary key,
    url         text not null,
    secret      text not null,              -- signs what is sent, so it is kept as it is
    groups      text[] not null,
    user_id     text not null,
    created_at  timestamptz not null default now()
);

alter table outbox drop constraint outbox_kind_check;
alter table outbox add constraint outbox_kind_check check (kind in ('mail', 'webhook'));
alter table outbox add column webhook_id text references webhooks on delete cascade, add column message jsonb;
alter table outbox add constraint outbox_whole check (kind <> 'webhook' or (webhook_id is not null and message is not null));
create index outbox_webhook on outbox (webhook_id, id desc);

-- The last day that was told to have passed: what expired before is no news.
alter table documents add column expiry_told date;
update documents set expiry_told = valid_until where valid_until < current_date;
