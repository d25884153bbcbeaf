-- How much each person, key or address has asked of late, for all processes together. `full_at`: when the bucket will be full again if
-- nothing more is asked. Unlogged: after a crash of the server all are full, and who asks is known by a hash only.

create unlogged table rate_limits (
    name     bytea primary key,
    full_at  timestamptz not null
);
create index rate_limits_full on rate_limits (full_at);
