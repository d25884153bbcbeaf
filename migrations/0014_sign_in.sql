-- Who may sign in, who has, and what machines show instead. Secrets are kept as hashes only.
create table users (
  id text primary key,
  name text not null,
  login text unique check (login = lower(login)),         -- of a local account
  password_hash text,                                     -- argon2id; null: none signs in with a password
  failed_tries integer not null default 0,
  failed_at timestamptz,
  issuer text,                                            -- of an account at an OpenID provider
  subject text,
  roles text[] not null default '{}',                     -- given by hand; those by groups follow from the settings
  groups text[] not null default '{}',                    -- given by hand, kept whatever the provider says
  claimed_groups text[] not null default '{}',            -- what the provider said at the last sign-in
  function text not null default '',
  department text not null default '',
  suspended_at timestamptz,
  created_at timestamptz not null default now(),
  signed_in_at timestamptz,
  unique (issuer, subject),
  check ((issuer is null) = (subject is null))
);

create table sessions (
  token_hash bytea primary key,
  user_id text not null references users on delete cascade,
  id_token text,                                          -- the provider wants it back at sign-out
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_user on sessions (user_id);

-- Between the redirect to the provider and the return from it; each serves once.
create table sign_ins (
  state_hash bytea primary key,
  browser_hash bytea not null,
  nonce text not null,
  verifier text not null,
  return_to text not null,
  expires_at timestamptz not null
);

create table api_keys (
  id text primary key,
  user_id text not null references users on delete cascade,
  name text not null,
  prefix text not null,                                   -- what is shown of it
  key_hash bytea not null unique,
  scopes text[] not null,
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_user on api_keys (user_id);
