-- Vectors of the sentences that answers are quoted from, made ahead of the questions. A cache: all of it can be made again, so it
-- does not refer to the documents, whose rows would then have to wait for it; what belongs to none is swept out.

create table sentence_vectors (
    document_id text  not null,
    key         bytea not null,         -- 16 bytes: of the embedder, the title and the sentence
    vector      bytea not null,         -- half precision, little-endian
    primary key (document_id, key)
);
alter table sentence_vectors alter column vector set storage main;  -- in the row itself, of embedders with a thousand dimensions too

-- Every document that has vectors above.
create table sentences_kept (
    document_id text primary key,
    made_by     text    not null,       -- the embedder and the rules by which the text was cut; '': some are still to be made
    title       text    not null,       -- embedded with each sentence
    sentences   integer not null
);
