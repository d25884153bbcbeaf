-- The tree of each indexed document: headings, paragraphs, lists, tables, notes (domain.Block), each with its place in the text and so on
-- the pages. One value a document, as it is read whole: rows of kind, start, end, parent, level, label, header, column, columns.

create table structures (
    document_id text primary key references documents (id) on delete cascade,
    blocks      json not null           -- as text: what is read of it is the key under which its sentences are remembered
);
