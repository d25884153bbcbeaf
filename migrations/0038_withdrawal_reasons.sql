-- Why a document was taken out, in the words of who did; '': not said.
alter table documents add column withdrawn_reason text not null default '';
