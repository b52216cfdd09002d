-- Domains of the workspaces' own.
CREATE TABLE mail_domains (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  name {TEXT} NOT NULL,                  -- A-label form
  status {TEXT} NOT NULL,                -- pending | verified | failed | disabled
  owned {I64} NOT NULL,                  -- 1: it was verified; one workspace alone owns a name
  receiving {I64} NOT NULL,
  token {TEXT} NOT NULL,                 -- what proves the ownership
  active_selector {TEXT} NOT NULL,
  active_since {I64} NOT NULL,
  next_selector {TEXT},
  next_started_at {I64},
  previous_selector {TEXT},
  previous_retire_at {I64},
  checked {TEXT} NOT NULL,               -- JSON array: what the last check found
  hosting {TEXT},                        -- JSON object: zone and name servers
  hosting_at {I64},
  verified_at {I64},
  last_checked_at {I64},
  asked_at {I64},
  checks {I64} NOT NULL,
  rotation_told {I64} NOT NULL,
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE UNIQUE INDEX mail_domains_name ON mail_domains (workspace_id, name);
CREATE UNIQUE INDEX mail_domains_owner ON mail_domains (name) WHERE owned = 1;
CREATE INDEX mail_domains_list ON mail_domains (workspace_id, created_at, id);
CREATE INDEX inboxes_domain ON inboxes (workspace_id, domain) WHERE deleted_at IS NULL;

-- Their DKIM keys; private keys are encrypted with the key of the instance.
CREATE TABLE domain_keys (
  workspace_id {ID} NOT NULL,
  domain_id {ID} NOT NULL,
  selector {TEXT} NOT NULL,              -- s1 | s2
  private_key {BLOB} NOT NULL,
  record {TEXT} NOT NULL,                -- the TXT record to publish
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, domain_id, selector)
){STRICT};
