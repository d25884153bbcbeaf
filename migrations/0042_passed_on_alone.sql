-- What quality staff pass on need not be about a document: of an unanswered question none may have it.
alter table owner_questions alter column document_id drop not null;
