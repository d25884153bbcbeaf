-- The procedures that somebody keeps at hand, wherever they sign in. By the name a document was ingested under, so that they outlive versions.

create table favourites (
    user_id   text not null,
    source    text not null,
    added_at  timestamptz not null default clock_timestamp(),
    primary key (user_id, source)
);
