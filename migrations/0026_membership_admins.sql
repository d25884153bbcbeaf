-- Who says who is in which group is a right of its own (role membership_admin). Until now every admin could. Those keep it who are in all
-- groups that documents are for or that people are in by hand, and so could read everything anyway; an admin of some groups does not.
-- Where nobody keeps it: `bedside users roles LOGIN admin,membership_admin` on the machine. Those of BEDSIDE_ROLE_GROUPS: by that setting.
-- group_changes now holds accounts, too (about: 'account', name: its id).
update users set roles = roles || '{membership_admin}'
where 'admin' = any(roles) and suspended_at is null and not exists (
  select 1 from (
    select unnest(groups) as name from documents
    union select unnest(groups) from document_groups
    union select unnest(groups) from department_groups
    union select unnest(groups) from users) known
  where known.name not in ('everyone', 'nobody') and known.name <> all(users.groups || users.claimed_groups));
