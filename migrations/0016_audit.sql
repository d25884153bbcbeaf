-- The trail of who did what. Append-only; each entry holds the hash of the one before, so none can be altered, taken out or put in between.
-- What is personal stands apart and can be erased: the chain holds a salted digest of it and verifies without it.
create table audit_entries (
    sequence  bigint primary key,       -- 1, 2, 3 ... without a gap
    entry     json not null,            -- json, not jsonb: the very characters that were hashed
    previous  bytea not null,           -- the hash of the entry before; of the first: 32 zeros
    hash      bytea not null            -- sha256 of: previous, sequence in 8 bytes, entry
);
create unique index audit_entries_id on audit_entries ((entry ->> 'id'));
create index audit_entries_at on audit_entries ((entry ->> 'at') collate "C");
create index audit_entries_action on audit_entries ((entry ->> 'action'), sequence);

create table audit_sealed (
    sequence  bigint not null references audit_entries,
    part      text not null check (part in ('who', 'about', 'question')),
    salt      bytea not null,
    body      json not null,            -- the entry holds, under the part's name, sha256 of: salt, body
    primary key (sequence, part)
);
create index audit_sealed_user on audit_sealed ((body ->> 'user'), sequence) where part = 'who';
create index audit_sealed_account on audit_sealed ((body ->> 'account'), sequence) where part = 'about';

-- One at a time over all processes; what was written already (an entry that was kept in a file meanwhile) is not written again.
create function audit_append(new_entry text, parts text[], salts bytea[], bodies text[]) returns bigint language plpgsql as $$
declare
    number bigint := 0;
    last bytea := decode(repeat('00', 32), 'hex');
begin
    perform pg_advisory_xact_lock(7089336938131513960);
    select sequence into number from audit_entries where entry ->> 'id' = new_entry::json ->> 'id';
    if found then
        return number;
    end if;
    select sequence, hash into number, last from audit_entries order by sequence desc limit 1;
    number := coalesce(number, 0) + 1;
    last := coalesce(last, decode(repeat('00', 32), 'hex'));
    insert into audit_entries (sequence, entry, previous, hash)
        values (number, new_entry::json, last, sha256(last || int8send(number) || convert_to(new_entry, 'UTF8')));
    insert into audit_sealed (sequence, part, salt, body)
        select number, part, salt, body::json from unnest(parts, salts, bodies) as given (part, salt, body);
    return number;
end $$;

create function audit_refuse() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' and tg_table_name = 'audit_sealed' and current_setting('bedside.erasing', true) = 'on' then
        return null;
    end if;
    raise exception '%: the trail is only ever added to, % is refused', tg_table_name, lower(tg_op) using errcode = 'insufficient_privilege';
end $$;
create trigger audit_entries_stay before update or delete or truncate on audit_entries for each statement execute function audit_refuse();
create trigger audit_sealed_stay before update or delete or truncate on audit_sealed for each statement execute function audit_refuse();
