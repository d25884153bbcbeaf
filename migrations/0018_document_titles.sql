-- What each indexed document may be called by its own words, so that a title that many share can be told from one of its own, over all
-- that is indexed, and a document can be called by its next one. Documents that were indexed before have none until they are read again.

create table document_titles (
    document_id text    primary key references documents (id) on delete cascade,
    titles      text[]  not null,           -- best first, without the file's name
    keys        text[]  not null,           -- the same without capitals, signs and spaces that do not matter
    called      text    not null,           -- the key of its title where that is its own; '' where an admin or a sidecar said it
    patients    boolean not null            -- whom it is about follows from its title
);
create index document_titles_keys on document_titles using gin (keys);
create index document_titles_called on document_titles (called) where called <> '';
