-- A conversation that its asker keeps at the top of their list; its title may be one of their own.
alter table conversations add column pinned boolean not null default false;
