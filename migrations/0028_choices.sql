-- What an admin chooses while the service runs; a setting says what holds until then.
create table choices (
    name      text primary key,
    value     text not null,
    chosen_by text not null,                          -- the account's name, as it was then
    chosen_at timestamptz not null default now()
);
