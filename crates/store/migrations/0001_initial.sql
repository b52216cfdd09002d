-- The schema of the first release. One portable text: {ID} is a 16-byte key, {I64} a whole number, {TEXT} bytewise compared
-- text, {BLOB} bytes; {STRICT} ends a table. Times are milliseconds since 1970, booleans 0 or 1, JSON is text that is never
-- queried inside. Every key of tenant data begins with the workspace.

CREATE TABLE workspaces (
  id {ID} NOT NULL PRIMARY KEY,
  name {TEXT} NOT NULL,
  owner_email {TEXT} NOT NULL,
  plan {TEXT} NOT NULL,
  status {TEXT} NOT NULL,                -- active | suspended
  claim_status {TEXT} NOT NULL,          -- unclaimed | claimed | not_applicable
  claimed_at {I64},
  notice {TEXT},
  notice_at {I64},
  stopped_at {I64},                      -- set while the emergency stop is in force
  stop_reason {TEXT},
  ai_processing {TEXT} NOT NULL,         -- off | categorize | full
  screening {I64} NOT NULL,
  daily_send_limit {I64},                -- the operator's override of the plan
  created_at {I64} NOT NULL
){STRICT};

CREATE TABLE api_keys (
  workspace_id {ID} NOT NULL REFERENCES workspaces(id),
  id {ID} NOT NULL,
  name {TEXT} NOT NULL,
  shown {TEXT} NOT NULL,                 -- the prefix that lists show
  digest {BLOB} NOT NULL UNIQUE,         -- SHA-256 of the secret
  scope {TEXT} NOT NULL,                 -- org | workspace | inbox
  inbox_id {ID},
  permissions {TEXT} NOT NULL,           -- comma-separated
  created_at {I64} NOT NULL,
  last_used_at {I64},
  revoked_at {I64},
  PRIMARY KEY (workspace_id, id)
){STRICT};

-- Every address that ever was an inbox. Rows are never deleted: an address is not used a second time.
CREATE TABLE addresses (
  address {TEXT} NOT NULL PRIMARY KEY,   -- canonical
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL
){STRICT};

CREATE TABLE inboxes (
  workspace_id {ID} NOT NULL REFERENCES workspaces(id),
  id {ID} NOT NULL,
  address {TEXT} NOT NULL,
  username {TEXT} NOT NULL,
  domain {TEXT} NOT NULL,
  display_name {TEXT},
  client_id {TEXT},
  metadata {TEXT} NOT NULL,              -- JSON object
  temporary {I64} NOT NULL,
  expires_at {I64},
  status {TEXT} NOT NULL,                -- active | paused
  paused_at {I64},
  paused_reason {TEXT},
  promotions_filter {I64},               -- null: the default of the local part
  last_message_at {I64} NOT NULL,        -- created_at of the newest message; rises by at least 1 with each
  created_at {I64} NOT NULL,
  deleted_at {I64},
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE UNIQUE INDEX inboxes_client_id ON inboxes (workspace_id, client_id) WHERE client_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX inboxes_list ON inboxes (workspace_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX inboxes_temporary ON inboxes (workspace_id, created_at) WHERE temporary = 1;
CREATE INDEX inboxes_expiring ON inboxes (expires_at) WHERE temporary = 1 AND deleted_at IS NULL;

CREATE TABLE inbox_metadata (
  workspace_id {ID} NOT NULL,
  key {TEXT} NOT NULL,
  value {TEXT} NOT NULL,                 -- the string form that filters compare
  inbox_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, key, value, inbox_id)
){STRICT};
CREATE INDEX inbox_metadata_inbox ON inbox_metadata (workspace_id, inbox_id);

CREATE TABLE threads (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  subject {TEXT},
  subject_key {TEXT} NOT NULL,           -- normalised subject, for threading without references
  subject_lower {TEXT} NOT NULL,         -- for the substring filter
  participants {TEXT} NOT NULL,          -- canonical addresses, one a line
  message_count {I64} NOT NULL,
  labels {TEXT} NOT NULL,                -- JSON array
  metadata {TEXT} NOT NULL,              -- JSON object
  last_message_at {I64} NOT NULL,
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX threads_inbox ON threads (workspace_id, inbox_id, last_message_at, id);
CREATE INDEX threads_workspace ON threads (workspace_id, last_message_at, id);
CREATE INDEX threads_subject ON threads (workspace_id, inbox_id, subject_key, last_message_at);

CREATE TABLE thread_labels (
  workspace_id {ID} NOT NULL,
  label {TEXT} NOT NULL,
  thread_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, label, thread_id)
){STRICT};
CREATE INDEX thread_labels_thread ON thread_labels (workspace_id, thread_id);

-- The bytes and bodies of a mail, shared by its copies within one workspace.
CREATE TABLE contents (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  raw {BLOB},                            -- zstd; null when the bytes are in the blob store
  raw_blob {TEXT},                       -- SHA-256 of the zstd bytes in the blob store
  raw_bytes {I64} NOT NULL,              -- size before compression, without our trace lines
  text {TEXT},
  html {TEXT},
  extracted_text {TEXT},
  extracted_is_text {I64} NOT NULL,      -- 1: extracted_text equals text and is stored once
  headers {TEXT} NOT NULL,               -- JSON object, lower-case names
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX contents_blob ON contents (raw_blob) WHERE raw_blob IS NOT NULL;

CREATE TABLE messages (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  thread_id {ID} NOT NULL,
  content_id {ID} NOT NULL,
  direction {TEXT} NOT NULL,             -- inbound | outbound
  status {TEXT} NOT NULL,
  channel {TEXT} NOT NULL,               -- email | agent | mixed
  type {TEXT} NOT NULL,                  -- message | task | event
  rfc_message_id {TEXT} NOT NULL,
  in_reply_to {TEXT},
  refs {TEXT} NOT NULL,                  -- JSON array
  from_text {TEXT} NOT NULL,
  to_list {TEXT} NOT NULL,               -- JSON array
  cc_list {TEXT} NOT NULL,
  bcc_list {TEXT} NOT NULL,
  reply_to {TEXT},
  subject {TEXT},
  labels {TEXT} NOT NULL,                -- JSON array, in the order they were added
  is_read {I64} NOT NULL,
  auto_reply {I64} NOT NULL,
  size_bytes {I64} NOT NULL,
  trace {TEXT} NOT NULL,                 -- our own lines in front of the raw bytes, CRLF
  verification {TEXT},                   -- JSON object or null
  data {TEXT},                           -- JSON
  answers {ID},                          -- the message that this one replies to
  has_attachments {I64} NOT NULL,
  status_at {I64} NOT NULL,
  sent_at {I64},
  received_at {I64},
  created_at {I64} NOT NULL,             -- strictly rising within an inbox
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE UNIQUE INDEX messages_inbox ON messages (workspace_id, inbox_id, created_at);
CREATE INDEX messages_thread ON messages (workspace_id, thread_id, created_at);
CREATE INDEX messages_rfc_id ON messages (workspace_id, inbox_id, rfc_message_id);
CREATE INDEX messages_content ON messages (workspace_id, content_id);
CREATE INDEX messages_outbound ON messages (workspace_id, created_at) WHERE direction = 'outbound';
CREATE INDEX messages_bounced ON messages (workspace_id, inbox_id, status_at) WHERE status = 'bounced';
CREATE INDEX messages_answers ON messages (workspace_id, answers) WHERE answers IS NOT NULL;

CREATE TABLE message_labels (
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  label {TEXT} NOT NULL,
  created_at {I64} NOT NULL,             -- of the message, so that a label's list is in the order of the inbox
  message_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id, label, created_at)
){STRICT};

CREATE TABLE attachments (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  position {I64} NOT NULL,               -- index among the attachments of the raw bytes
  filename {TEXT},
  content_type {TEXT} NOT NULL,
  size_bytes {I64} NOT NULL,
  sha256 {BLOB} NOT NULL,
  content_id {TEXT},
  inline {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX attachments_message ON attachments (workspace_id, message_id, position);

-- One message on its way to one destination domain. Gone when every recipient there is settled.
CREATE TABLE envelopes (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  destination {TEXT} NOT NULL,           -- domain in A-label form
  expires_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX envelopes_message ON envelopes (workspace_id, message_id);

-- Where a sent message goes, and what became of it there: the delivery entries.
CREATE TABLE recipients (
  workspace_id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  position {I64} NOT NULL,
  envelope_id {ID},                      -- null for inboxes of this service
  address {TEXT} NOT NULL,
  channel {TEXT} NOT NULL,               -- email | agent
  status {TEXT} NOT NULL,                -- queued | sent | delivered | bounced | complained | failed
  smtp_code {I64},
  enhanced_code {TEXT},
  remote {TEXT},
  detail {TEXT},                         -- the remote server's words, or why it waits
  attempts {I64} NOT NULL,
  updated_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, message_id, position)
){STRICT};
CREATE INDEX recipients_envelope ON recipients (workspace_id, envelope_id) WHERE envelope_id IS NOT NULL;

CREATE TABLE suppressions (
  workspace_id {ID} NOT NULL,
  address {TEXT} NOT NULL,               -- canonical
  reason {TEXT} NOT NULL,                -- bounce | complaint | manual
  detail {TEXT},
  message_id {ID},
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, address)
){STRICT};

-- Messages an inbox sent in a UTC day: what its daily limit is compared with.
CREATE TABLE usage_days (
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  day {I64} NOT NULL,
  sent {I64} NOT NULL,
  PRIMARY KEY (workspace_id, day, inbox_id)
){STRICT};

-- Messages a workspace sent in a day or a month: what its limits are compared with. Sends of a workspace queue at the month's row.
CREATE TABLE usage_totals (
  workspace_id {ID} NOT NULL,
  period {TEXT} NOT NULL,                -- d + days since 1970, or m + months since year 0 (UTC)
  sent {I64} NOT NULL,
  PRIMARY KEY (workspace_id, period)
){STRICT};

-- The log of each workspace: seq has no gaps. The event's record is read from its own tables when it is shown.
CREATE TABLE events (
  workspace_id {ID} NOT NULL,
  seq {I64} NOT NULL,
  id {ID} NOT NULL,
  type {TEXT} NOT NULL,
  inbox_id {ID},
  thread_id {ID},
  message_id {ID},
  detail {TEXT} NOT NULL,                -- JSON object: what the tables do not say later
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, seq)
){STRICT};
CREATE UNIQUE INDEX events_id ON events (workspace_id, id);
CREATE INDEX events_inbox ON events (workspace_id, inbox_id, seq);
CREATE INDEX events_age ON events (created_at);

CREATE TABLE event_heads (
  workspace_id {ID} NOT NULL PRIMARY KEY,
  seq {I64} NOT NULL
){STRICT};

-- Events of a paused inbox, in the order of arrival; resume moves them into the log.
CREATE TABLE held_events (
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  created_at {I64} NOT NULL,
  id {ID} NOT NULL,
  type {TEXT} NOT NULL,
  thread_id {ID},
  message_id {ID},
  detail {TEXT} NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id, created_at, id)
){STRICT};

CREATE TABLE idempotency (
  workspace_id {ID} NOT NULL,
  route {TEXT} NOT NULL,
  key {TEXT} NOT NULL,
  fingerprint {BLOB} NOT NULL,           -- SHA-256 of the request
  status {I64} NOT NULL,
  body {TEXT} NOT NULL,                  -- the first response, byte for byte
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, route, key)
){STRICT};
CREATE INDEX idempotency_age ON idempotency (created_at);

CREATE TABLE jobs (
  id {ID} NOT NULL PRIMARY KEY,
  kind {TEXT} NOT NULL,
  workspace_id {ID} NOT NULL,
  subject_id {ID} NOT NULL,
  lane {TEXT} NOT NULL,                  -- what shares a concurrency bound: the destination of outbound mail
  run_at {I64} NOT NULL,
  attempt {I64} NOT NULL,
  attempt_max {I64} NOT NULL,
  lease_token {ID},
  lease_until {I64},
  state {TEXT} NOT NULL,                 -- ready | leased | dead
  why {TEXT} NOT NULL,
  created_at {I64} NOT NULL
){STRICT};
CREATE UNIQUE INDEX jobs_subject ON jobs (kind, subject_id) WHERE state <> 'dead';
CREATE INDEX jobs_due ON jobs (kind, run_at) WHERE state = 'ready';
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE state = 'leased';
CREATE INDEX jobs_groups ON jobs (kind, workspace_id, lane, run_at) WHERE state = 'ready';
CREATE INDEX jobs_dead ON jobs (kind, subject_id) WHERE state = 'dead';

-- DKIM keys of the served domains; private keys are encrypted with the key of the instance.
CREATE TABLE dkim_keys (
  domain {TEXT} NOT NULL,
  selector {TEXT} NOT NULL,
  algorithm {TEXT} NOT NULL,             -- rsa-sha256 | ed25519-sha256
  private_key {BLOB} NOT NULL,
  record {TEXT} NOT NULL,                -- the TXT record to publish
  active {I64} NOT NULL,
  created_at {I64} NOT NULL,
  PRIMARY KEY (domain, selector, algorithm)
){STRICT};

-- Facts about the instance: one row a name.
CREATE TABLE instance (
  name {TEXT} NOT NULL PRIMARY KEY,
  value {TEXT} NOT NULL
){STRICT};
