-- Drafts: messages that wait for somebody or for their time; and who vouched for messages that were drafts.

CREATE TABLE drafts (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  status {TEXT} NOT NULL,                -- draft | scheduled | sent | failed | cancelled
  revision {I64} NOT NULL,               -- rises with every change
  answers {ID},                          -- the message that this one replies to
  thread_id {ID},
  reply_all {I64} NOT NULL,
  to_list {TEXT} NOT NULL,               -- JSON array
  cc_list {TEXT} NOT NULL,
  bcc_list {TEXT} NOT NULL,
  subject {TEXT},
  text {TEXT},
  html {TEXT},
  data {TEXT},                           -- JSON
  type {TEXT} NOT NULL,                  -- message | task | event
  labels {TEXT} NOT NULL,                -- JSON array
  metadata {TEXT} NOT NULL,              -- JSON object
  source {TEXT} NOT NULL,                -- api | ai
  send_at {I64},
  sent_at {I64},
  sent_message_id {ID},
  approved_by_type {TEXT},
  approved_by_id {TEXT},
  approved_by_label {TEXT},
  approved_at {I64},
  approved_content_sha256 {BLOB},
  error_code {TEXT},
  error_message {TEXT},
  created_at {I64} NOT NULL,
  updated_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX drafts_list ON drafts (workspace_id, created_at, id);
CREATE INDEX drafts_inbox ON drafts (workspace_id, inbox_id, created_at, id);
CREATE INDEX drafts_thread ON drafts (workspace_id, thread_id, created_at, id) WHERE thread_id IS NOT NULL;
CREATE INDEX drafts_pending ON drafts (workspace_id, inbox_id) WHERE status IN ('draft', 'failed');
CREATE INDEX drafts_scheduled ON drafts (send_at) WHERE status = 'scheduled';

CREATE TABLE draft_metadata (
  workspace_id {ID} NOT NULL,
  key {TEXT} NOT NULL,
  value {TEXT} NOT NULL,                 -- the string form that filters compare
  draft_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, key, value, draft_id)
){STRICT};
CREATE INDEX draft_metadata_draft ON draft_metadata (workspace_id, draft_id);

-- Files of drafts; gone when the draft is sent, for then the message has them.
CREATE TABLE draft_files (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  draft_id {ID} NOT NULL,
  position {I64} NOT NULL,
  filename {TEXT} NOT NULL,
  content_type {TEXT} NOT NULL,
  size_bytes {I64} NOT NULL,
  sha256 {BLOB} NOT NULL,
  content {BLOB},                        -- zstd; null when the bytes are in the blob store
  content_blob {TEXT},                   -- SHA-256 of the zstd bytes in the blob store
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX draft_files_draft ON draft_files (workspace_id, draft_id, position);
CREATE INDEX draft_files_blob ON draft_files (content_blob) WHERE content_blob IS NOT NULL;

-- Who vouched for a message that was a draft; outlives the draft.
CREATE TABLE message_approvals (
  workspace_id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  draft_id {ID} NOT NULL,
  by_type {TEXT} NOT NULL,
  by_id {TEXT},
  by_label {TEXT} NOT NULL,
  approved_at {I64} NOT NULL,
  content_sha256 {BLOB} NOT NULL,
  PRIMARY KEY (workspace_id, message_id)
){STRICT};
