-- Links over which files reach a call of an MCP client, or leave one, beside the model. Each stands for a credential and one call.
-- @kept for ten minutes
CREATE TABLE file_links (
  workspace_id {ID} NOT NULL,
  digest {BLOB} NOT NULL,                -- SHA-256 of the token
  key_id {ID},
  session_id {ID},                       -- if it stands for a session
  connector_id {ID},                     -- or for a connector
  direction {TEXT} NOT NULL,             -- download | upload
  call {TEXT} NOT NULL,                  -- JSON: the call that the link makes
  expires_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, digest)
){STRICT};
-- Finds a link before its workspace is known.
CREATE UNIQUE INDEX file_links_digest ON file_links (digest);
CREATE INDEX file_links_expiry ON file_links (expires_at);

-- Waits of MCP clients that were cancelled before they ended.
-- @kept until the wait would have ended
CREATE TABLE cancelled_waits (
  workspace_id {ID} NOT NULL,
  digest {BLOB} NOT NULL,                -- SHA-256 of the credential and the id of the task
  ends_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, digest)
){STRICT};
CREATE INDEX cancelled_waits_end ON cancelled_waits (ends_at);
