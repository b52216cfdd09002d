-- Allow and block lists of workspaces and inboxes.

CREATE TABLE list_entries (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,                -- the nil UUID: every inbox of the workspace
  direction {TEXT} NOT NULL,             -- receive | send | reply
  kind {TEXT} NOT NULL,                  -- allow | block
  pattern {TEXT} NOT NULL,
  type {TEXT} NOT NULL,                  -- address | domain | token
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE UNIQUE INDEX list_entries_pattern ON list_entries (workspace_id, direction, inbox_id, pattern, kind);
CREATE INDEX list_entries_kind ON list_entries (workspace_id, direction, inbox_id, kind);
