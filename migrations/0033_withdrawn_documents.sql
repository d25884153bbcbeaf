-- Who took a document out, and when: to be listed, and undone.
alter table documents add column withdrawn_by text not null default '', add column withdrawn_at timestamptz;
update documents set withdrawn_at = updated_at where status = 'retired';
