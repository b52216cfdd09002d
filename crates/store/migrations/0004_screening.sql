-- The analysis of received mail and its screening.

ALTER TABLE messages ADD COLUMN released_by {TEXT}; -- @field=release JSON object: who released it, and what they think of it
ALTER TABLE messages ADD COLUMN analysis {TEXT}; -- JSON object: answers of the categoriser; null: sent, or stored by an older version
ALTER TABLE messages ADD COLUMN analysis_due {I64}; -- when a pending analysis times out
ALTER TABLE messages ADD COLUMN analyzed_at {I64}; -- when its analysis was completed
ALTER TABLE messages ADD COLUMN opened_at {I64}; -- @field=none when somebody read held content
-- Finds the messages whose analysis is pending.
CREATE INDEX messages_analysis_due ON messages (analysis_due) WHERE analysis_due IS NOT NULL;

-- screening of a workspace: 0 off, 1 hold, 2 monitor
ALTER TABLE workspaces ADD COLUMN screening_deadline {I64} NOT NULL DEFAULT 120; -- seconds
ALTER TABLE workspaces ADD COLUMN screening_release {I64} NOT NULL DEFAULT 0; -- 1: mail is released when the deadline passes
ALTER TABLE inboxes ADD COLUMN screening {I64}; -- null: as the workspace

-- Messages that were analyzed, by day. Only plans with a limit have rows.
-- @kept data of the workspace
CREATE TABLE ai_checks (
  workspace_id {ID} NOT NULL,
  day {I64} NOT NULL,                    -- days since 1970 (UTC)
  checks {I64} NOT NULL,
  PRIMARY KEY (workspace_id, day)
){STRICT};

-- What people said about held mail, with the answers of the categoriser. It has no content.
-- @kept data of the workspace, to measure the categoriser
CREATE TABLE screening_feedback (
  workspace_id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  reason {TEXT} NOT NULL,                -- why the message was held
  feedback {TEXT} NOT NULL,              -- right | wrong | unsure | spam | test
  injection {REAL},                       -- the answers; null if there were none
  phishing {REAL},
  model {TEXT},
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, message_id)
){STRICT};
