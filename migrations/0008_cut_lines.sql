-- What cleaning left out of a document's pages, so that an admin can see it: nothing of a file goes without a trace.

create table cut_lines (
    document_id text    not null references documents (id) on delete cascade,
    position    integer not null,       -- in the order of the pages
    page        integer not null,
    text        text    not null,
    reason      text    not null,       -- header, footer, page_number
    primary key (document_id, position)
);
