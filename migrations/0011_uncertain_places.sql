-- Places of a document text that were read in doubt, from a page's image: found and shown, never quoted and told to no model.

create table uncertain_places (
    document_id text    not null references documents (id) on delete cascade,
    text_start  integer not null check (text_start >= 0),  -- offsets in the document text
    text_end    integer not null check (text_end > text_start),
    primary key (document_id, text_start)
);
