-- Connectors: programs that people allowed to act in their workspace, by OAuth 2.1.

-- OAuth clients: fetched metadata documents, and clients that registered themselves. They belong to no workspace.
-- @row ConnectorClient
-- @kept until they are fetched again or unused
CREATE TABLE connector_clients (
  client_id {TEXT} NOT NULL PRIMARY KEY,
  kind {TEXT} NOT NULL,                  -- document | registered
  name {TEXT} NOT NULL,
  uri {TEXT},                            -- the home page
  redirect_uris {TEXT} NOT NULL,         -- JSON array
  created_at {I64} NOT NULL,
  expires_at {I64} NOT NULL
){STRICT};
-- Finds expired rows, and the registered client that expires first.
CREATE INDEX connector_clients_expiry ON connector_clients (kind, expires_at);

-- What a person allowed a client to do. The row ends with its access.
-- @row Connector
-- @kept data of the workspace
CREATE TABLE connectors (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  client_id {TEXT} NOT NULL,
  client_kind {TEXT} NOT NULL,           -- document | registered
  client_name {TEXT} NOT NULL,           -- at the time of the approval
  client_uri {TEXT},
  redirect_uri {TEXT} NOT NULL,
  user_id {ID} NOT NULL,                 -- who approved it; it ends with the membership
  reach {TEXT} NOT NULL,                 -- org | workspace | inboxes
  permissions {TEXT} NOT NULL,           -- separated by commas
  created_at {I64} NOT NULL,
  last_used_at {I64},                    -- the newest access token
  expires_at {I64} NOT NULL,
  code_sha256 {BLOB} NOT NULL UNIQUE,    -- @field=none of the authorization code
  code_challenge {TEXT} NOT NULL,        -- @field=none PKCE, method S256
  code_expires_at {I64} NOT NULL,        -- @field=none
  code_used_at {I64},                    -- @field=none
  family_sha256 {BLOB} UNIQUE,           -- @field=none of what all its refresh tokens have in common; null until the code is used
  refresh_sha256 {BLOB},                 -- @field=none of the newest refresh token
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX connectors_list ON connectors (workspace_id, created_at, id);
-- Ends the connectors of a person.
CREATE INDEX connectors_user ON connectors (workspace_id, user_id);
CREATE INDEX connectors_expiry ON connectors (expires_at);

-- The inboxes of a connector that reaches chosen ones.
-- @with inbox
CREATE TABLE connector_inboxes (
  workspace_id {ID} NOT NULL,
  connector_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, connector_id, inbox_id)
){STRICT_KEYED};
-- Finds the connectors of an inbox that is deleted.
CREATE INDEX connector_inboxes_inbox ON connector_inboxes (workspace_id, inbox_id);

-- Access tokens of connectors.
-- @kept for a quarter of an hour
CREATE TABLE connector_tokens (
  workspace_id {ID} NOT NULL,
  digest {BLOB} NOT NULL,                -- SHA-256 of the token
  connector_id {ID} NOT NULL,
  expires_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, digest)
){STRICT};
-- Finds a token before its workspace is known.
CREATE UNIQUE INDEX connector_tokens_digest ON connector_tokens (digest);
CREATE INDEX connector_tokens_connector ON connector_tokens (workspace_id, connector_id, expires_at);
CREATE INDEX connector_tokens_expiry ON connector_tokens (expires_at);
