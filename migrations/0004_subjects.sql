-- What a title is about, whoever the patients are: documents about the same for other patients are found by it.

alter table documents add column subject text[];  -- rag_api/guard/twins.py makes it; null: not made yet
create index documents_subject on documents using gin (subject) where status = 'indexed';
create index documents_without_subject on documents (id) where status = 'indexed' and subject is null;

-- Which document supersedes which is asked with every question.
create index documents_superseding on documents (id) where status = 'indexed' and supersedes <> '';
create index documents_lower_source on documents (lower(source)) where status = 'indexed';
create index documents_base_name on documents (lower(substring(source from '[^/]*$'))) where status = 'indexed';
create index documents_title on documents (lower(title)) where status = 'indexed';
