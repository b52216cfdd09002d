-- The whole schema: one text for SQLite and PostgreSQL.
--
-- {ID} is a 16-byte UUIDv7, {I64} an integer, {BOOL} 0 or 1, {TEXT} text that compares bytewise, {BLOB} bytes, {STRICT}
-- the end of a table. Lines after `-- @sqlite` or `-- @postgres` are for that engine only, until `-- @both`. Times are
-- milliseconds since 1970 in UTC. JSON is never queried inside. Every key of tenant data starts with the workspace.
--
-- This file is also the declaration of each table for the program: `build.rs` reads it. Above a table:
--   @row STRUCT                   the struct of a row, in `posthouse_domain`; its fields are named like the
--                                 columns, IDs without `_id`, unless a column says @field=NAME, or @field=none for no
--                                 field; columns with the same field are one value of several columns
--   @reads FIELD = EXPRESSION AS COLUMN   a field that is read and not stored
--   @with message|thread|inbox    the record with which the rows are deleted (", by statements of its own": see `wipe`)
--   @kept WHY                     the rows outlive these records
--   @clears COLUMN with RECORD    a column that is emptied although its row stays
-- Before the comment of a column: @RECORD, what an ID refers to, if its name doesn't say it; @nil, an ID that is nil if
-- the field is none.

-- The migrations that were applied; the program creates the table before the first one.
-- @kept data of the server, not of a workspace
-- @exists schema_migrations

-- Facts about the store itself, one row per name: its ID, the number of commits, the check value of the instance key.
-- @kept data of the server, not of a workspace
CREATE TABLE instance (
  name {TEXT} NOT NULL PRIMARY KEY,
  value {TEXT} NOT NULL
){STRICT};

-- Workspaces and API keys ------------------------------------------------------------------------------------------

-- Tenants.
-- @kept until an unclaimed workspace was unused for 30 days
CREATE TABLE workspaces (
  id {ID} NOT NULL PRIMARY KEY,          -- @workspace
  name {TEXT} NOT NULL,
  owner_email {TEXT} NOT NULL,
  plan {TEXT} NOT NULL,
  status {TEXT} NOT NULL,                -- active | suspended
  suspension {TEXT},                     -- JSON: why sending is suspended, and which parties counted
  origin {TEXT} NOT NULL,                -- operator | person | agent: who made it
  claim_status {TEXT} NOT NULL,          -- unclaimed | claimed | not_applicable
  claimed_at {I64},
  notice {TEXT},                         -- a message of the operator that the API shows to the workspace
  notice_at {I64},
  stopped_at {I64},                      -- set during an emergency stop
  stop_reason {TEXT},
  ai_processing {TEXT} NOT NULL,         -- off | categorize | full
  screening {I64} NOT NULL,              -- 1: the content of blocked messages is withheld
  daily_send_limit {I64},                -- replaces the limit of the plan
  disclosure_line {TEXT} NOT NULL,       -- off | text | html: how sent mail shows that an agent wrote it
  disclosure_text {TEXT},                -- replaces the default line
  disclosure_name {I64} NOT NULL,        -- 1: the name of the workspace is disclosed too
  retention_days {I64},                  -- messages are deleted after this many days; null: never
  created_at {I64} NOT NULL
){STRICT};

-- Unclaimed workspaces, which began by self-signup. Claiming a workspace deletes its row.
-- @kept until the workspace is claimed or deleted
CREATE TABLE signups (
  workspace_id {ID} NOT NULL PRIMARY KEY,
  agents {I64} NOT NULL,                 -- number of agents that signed up
  claim_email {TEXT},                    -- recipient of the latest claim link
  claim_token_sha256 {BLOB},             -- of the token in that link
  claim_expires_at {I64}
){STRICT};
-- Finds the workspace of a claim link, which names none.
CREATE UNIQUE INDEX signups_claim ON signups (claim_token_sha256) WHERE claim_token_sha256 IS NOT NULL;

-- Signup challenges that were used, until they expire.
-- @kept until the challenge expires
CREATE TABLE used_challenges (
  nonce {BLOB} NOT NULL PRIMARY KEY,     -- the random part of the challenge
  expires_at {I64} NOT NULL
){STRICT};
-- Finds expired rows.
CREATE INDEX used_challenges_age ON used_challenges (expires_at);

-- What was used of the daily limits of self-signup.
-- @kept for a day; keyed hashes and counts
CREATE TABLE signup_usage (
  kind {TEXT} NOT NULL,                  -- the limit
  subject {BLOB} NOT NULL,               -- keyed hash of a client address, a recipient or a workspace
  day {I64} NOT NULL,                    -- days since 1970 in UTC
  used {I64} NOT NULL,
  PRIMARY KEY (kind, subject, day)
){STRICT};
-- Finds rows of earlier days.
CREATE INDEX signup_usage_age ON signup_usage (day);

-- API keys, also revoked ones. Only a digest of the secret is stored.
-- @kept a key stays listed after it is revoked or its inbox is gone
CREATE TABLE api_keys (
  workspace_id {ID} NOT NULL REFERENCES workspaces(id),
  id {ID} NOT NULL,                      -- @key
  name {TEXT} NOT NULL,
  prefix {TEXT} NOT NULL,                -- the start of the secret, which lists show
  digest {BLOB} NOT NULL UNIQUE,         -- SHA-256 of the secret
  scope {TEXT} NOT NULL,                 -- org | workspace | inbox
  inbox_id {ID},                         -- the inbox of scope `inbox`
  member_id {ID},                        -- @user the person who has the key; null for keys of the operator and of agents
  permissions {TEXT} NOT NULL,           -- comma-separated
  created_at {I64} NOT NULL,
  last_used_at {I64},
  last_used_ip {TEXT},                   -- the client address of that use
  last_used_user_agent {TEXT},
  revoked_at {I64},
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX api_keys_page ON api_keys (workspace_id, created_at, id);
CREATE INDEX api_keys_inbox ON api_keys (workspace_id, inbox_id) WHERE inbox_id IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX api_keys_member ON api_keys (workspace_id, member_id) WHERE member_id IS NOT NULL AND revoked_at IS NULL;

-- People who can sign in. A person may be a member of several workspaces.
-- @row User
-- @kept data of the server, not of a workspace
CREATE TABLE users (
  id {ID} NOT NULL PRIMARY KEY,          -- @user
  email {TEXT} NOT NULL UNIQUE,          -- canonical
  name {TEXT},
  created_at {I64} NOT NULL
){STRICT};

-- Members of a workspace, invited ones included.
-- @kept data of the workspace
CREATE TABLE members (
  workspace_id {ID} NOT NULL REFERENCES workspaces(id),
  user_id {ID} NOT NULL,
  role {TEXT} NOT NULL,                  -- owner | member
  joined_at {I64},                       -- null while invited
  created_at {I64} NOT NULL,
  invitation_id {ID} UNIQUE,             -- the newest invitation; null once the person joined
  invited_by {TEXT},                     -- the address of the person who sent it
  inviter_id {ID},                       -- @user that person, with whose role it ends
  invited_at {I64},
  invitation_expires_at {I64},
  PRIMARY KEY (workspace_id, user_id)
){STRICT_KEYED};
CREATE INDEX members_user ON members (user_id, workspace_id);

-- Requests for links that sign a person in, also for addresses of no member.
-- @row SignIn
-- @kept until the link is used or expires
CREATE TABLE sign_ins (
  id {ID} NOT NULL PRIMARY KEY,
  email {TEXT} NOT NULL,                 -- canonical
  purpose {TEXT} NOT NULL,               -- sign_in | invitation | operator
  workspace_id {ID},                     -- where it signs in; null: where the person signed in last
  message_id {ID},                       -- @other the mail, from which the token is derived; null until it is stored
  digest {BLOB} UNIQUE,                  -- @field=none SHA-256 of the token; null until there is one
  network {BLOB},                        -- keyed hash of the client network that asked
  tries_left {I64} NOT NULL,             -- codes that may still be tried
  expires_at {I64} NOT NULL,
  created_at {I64} NOT NULL
){STRICT};
CREATE INDEX sign_ins_email ON sign_ins (email, created_at);
CREATE INDEX sign_ins_workspace ON sign_ins (workspace_id, created_at) WHERE workspace_id IS NOT NULL;
CREATE INDEX sign_ins_expiry ON sign_ins (expires_at);

-- Sessions of people in the dashboard.
-- @row Session
-- @kept data of the workspace
CREATE TABLE sessions (
  workspace_id {ID} NOT NULL REFERENCES workspaces(id),
  id {ID} NOT NULL,                      -- @session
  user_id {ID} NOT NULL,
  digest {BLOB} NOT NULL UNIQUE,         -- @field=none SHA-256 of the secret in the cookie
  user_agent {TEXT},
  ip {TEXT} NOT NULL,
  created_at {I64} NOT NULL,
  last_used_at {I64} NOT NULL,
  expires_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX sessions_user ON sessions (workspace_id, user_id, last_used_at);
-- Finds expired rows.
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- The mail that the service wrote to people on behalf of a workspace.
-- @kept data of the workspace
CREATE TABLE service_mails (
  workspace_id {ID} NOT NULL,
  message_id {ID} NOT NULL,              -- @other in the workspace of the service
  kind {TEXT} NOT NULL,                  -- sign_in | invitation | claim | confirmation | on_call
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, message_id)
){STRICT_KEYED};
-- Finds the workspace that a mail was written for.
CREATE UNIQUE INDEX service_mails_message ON service_mails (message_id);

-- Tokens that open a stream. Each stands for a key or a session, once, for a minute.
-- @kept for a minute
CREATE TABLE stream_tokens (
  workspace_id {ID} NOT NULL,
  digest {BLOB} NOT NULL,                -- SHA-256 of the token
  key_id {ID},
  session_id {ID},                       -- if it stands for a session
  expires_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, digest)
){STRICT};
-- Finds a token before its workspace is known.
CREATE UNIQUE INDEX stream_tokens_digest ON stream_tokens (digest);

-- First responses to requests with an idempotency key, for a day.
-- @kept for a day, so that a request can be repeated
CREATE TABLE idempotency (
  workspace_id {ID} NOT NULL,
  scope_id {ID} NOT NULL,                -- @inbox the inbox of an inbox-scoped key, a connector, or nil
  route {TEXT} NOT NULL,
  key {TEXT} NOT NULL,
  fingerprint {BLOB} NOT NULL,           -- SHA-256 of the request
  status {I64} NOT NULL,                 -- 0 until the request is done
  body {TEXT} NOT NULL,                  -- the first response, byte for byte
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, scope_id, route, key)
){STRICT};
-- Finds expired rows.
CREATE INDEX idempotency_age ON idempotency (created_at);

-- Inboxes ----------------------------------------------------------------------------------------------------------

-- Every address that was ever an inbox. Rows are never deleted, so an address isn't given to a second inbox.
-- @kept forever, so that an address isn't used again
CREATE TABLE addresses (
  address {TEXT} NOT NULL PRIMARY KEY,   -- canonical
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL
){STRICT};

-- Inboxes, and identities: agents without mail. The row of a deleted one stays, so that its events keep a subject.
-- @row Inbox
-- @kept forever, because events, keys and counters refer to it
-- @clears display_name with inbox
-- @clears metadata with inbox
-- @clears paused_reason with inbox
CREATE TABLE inboxes (
  workspace_id {ID} NOT NULL REFERENCES workspaces(id),
  id {ID} NOT NULL,                      -- @inbox
  kind {TEXT} NOT NULL,                  -- mailbox | identity
  address {TEXT} NOT NULL,
  username {TEXT} NOT NULL,              -- the local part of the address
  domain {TEXT} NOT NULL,
  display_name {TEXT},
  client_id {TEXT},                      -- chosen by the client; creating an inbox twice with it returns the first
  metadata {TEXT} NOT NULL,              -- @field=metadata_json JSON object
  temporary {I64} NOT NULL,
  expires_at {I64},
  status {TEXT} NOT NULL,                -- @field=none active | paused
  paused_at {I64},
  paused_reason {TEXT},
  promotions_filter {I64},               -- null: the default for the local part
  identity_enabled {I64} NOT NULL DEFAULT 1, -- 1: the agent can sign in to apps
  last_message_at {I64} NOT NULL,        -- created_at of the newest message; rises by at least 1 with each
  message_count {I64} NOT NULL DEFAULT 0, -- @field=none
  stored_bytes {I64} NOT NULL DEFAULT 0, -- @field=none sum of the sizes of its messages
  created_at {I64} NOT NULL,
  deleted_at {I64},
  PRIMARY KEY (workspace_id, id)
){STRICT};
-- Makes creation with a client ID idempotent while the inbox exists.
CREATE UNIQUE INDEX inboxes_client_id ON inboxes (workspace_id, kind, client_id) WHERE client_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX inboxes_list ON inboxes (workspace_id, kind, created_at, id) WHERE deleted_at IS NULL;
-- Finds the inboxes that use a custom domain.
CREATE INDEX inboxes_domain ON inboxes (workspace_id, domain) WHERE deleted_at IS NULL;
-- Counts temporary inboxes, also deleted ones, for the limits of the plan.
CREATE INDEX inboxes_temporary ON inboxes (workspace_id, created_at) WHERE temporary = 1;
CREATE INDEX inboxes_expiring ON inboxes (expires_at) WHERE temporary = 1 AND deleted_at IS NULL;

-- Metadata of inboxes, one row per entry, for filters. The record shows `inboxes.metadata`.
-- @with inbox
CREATE TABLE inbox_metadata (
  workspace_id {ID} NOT NULL,
  key {TEXT} NOT NULL,
  value {TEXT} NOT NULL,                 -- the string that filters compare
  inbox_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, key, value, inbox_id)
){STRICT};
CREATE INDEX inbox_metadata_inbox ON inbox_metadata (workspace_id, inbox_id);

-- Allow and block lists of workspaces and inboxes.
-- @row ListEntry
-- @with inbox
CREATE TABLE list_entries (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,                -- @nil the nil UUID: every inbox of the workspace
  direction {TEXT} NOT NULL,             -- receive | send | reply
  kind {TEXT} NOT NULL,                  -- allow | block
  pattern {TEXT} NOT NULL,               -- @field=pattern
  type {TEXT} NOT NULL,                  -- @field=pattern address | domain | token
  require_auth {I64} NOT NULL DEFAULT 0, -- 1: an allow entry matches only authenticated senders
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE UNIQUE INDEX list_entries_pattern ON list_entries (workspace_id, direction, inbox_id, pattern, kind);
-- Answers whether an inbox has allow entries at all.
CREATE INDEX list_entries_kind ON list_entries (workspace_id, direction, inbox_id, kind);

-- Addresses to which the mail of an inbox is forwarded once their owner has confirmed.
-- @row ForwardingAddress
-- @with inbox
CREATE TABLE forwarding_addresses (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,                      -- @forwarding_address
  inbox_id {ID} NOT NULL,
  address {TEXT} NOT NULL,               -- canonical
  skip_flagged {BOOL} NOT NULL,          -- 1: messages labeled phishing, injection risk or failed DMARC stay
  token_sha256 {BLOB} NOT NULL,          -- @field=none of the token in the latest confirmation link
  token_expires_at {I64} NOT NULL,       -- @field=none
  confirmed_at {I64},
  confirmation_sent_at {I64} NOT NULL,
  last_forwarded_at {I64},
  forwarded_count {I64} NOT NULL,
  error_code {TEXT},                     -- @field=failure why the last message couldn't be forwarded
  error_message {TEXT},                  -- @field=failure
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE UNIQUE INDEX forwarding_addresses_of_inbox ON forwarding_addresses (workspace_id, inbox_id, address);
-- Finds the address of a confirmation link, which names no workspace.
CREATE UNIQUE INDEX forwarding_addresses_token ON forwarding_addresses (token_sha256);

-- Threads and messages ---------------------------------------------------------------------------------------------

-- Conversations of an inbox.
-- @with thread
CREATE TABLE threads (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,                      -- @thread
  inbox_id {ID} NOT NULL,
  subject {TEXT},
  subject_key {TEXT} NOT NULL,           -- normalized subject, to find the thread of a message without references
  subject_lower {TEXT} NOT NULL,         -- for the substring filter
  participants {TEXT} NOT NULL,          -- canonical addresses, one per line
  message_count {I64} NOT NULL,          -- without messages that a receive list blocked
  labels {TEXT} NOT NULL,                -- JSON array
  metadata {TEXT} NOT NULL,              -- JSON object
  last_message_at {I64} NOT NULL,
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX threads_inbox ON threads (workspace_id, inbox_id, last_message_at, id);
CREATE INDEX threads_workspace ON threads (workspace_id, last_message_at, id);
CREATE INDEX threads_subject ON threads (workspace_id, inbox_id, subject_key, last_message_at);

-- Labels of threads, for filters. The record shows `threads.labels`.
-- @with thread
CREATE TABLE thread_labels (
  workspace_id {ID} NOT NULL,
  label {TEXT} NOT NULL,
  thread_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, label, thread_id)
){STRICT};
CREATE INDEX thread_labels_thread ON thread_labels (workspace_id, thread_id);

-- Participants of threads, to list the threads of a contact.
-- @with thread
CREATE TABLE thread_people (
  workspace_id {ID} NOT NULL,
  address {TEXT} NOT NULL,               -- canonical
  thread_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, address, thread_id)
){STRICT_KEYED};
CREATE INDEX thread_people_thread ON thread_people (workspace_id, thread_id);

-- Message IDs that messages of a thread name and that no message of the inbox had then. Mail that has or names one of them
-- later is of that thread.
-- @with thread
CREATE TABLE thread_references (
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  rfc_message_id {TEXT} NOT NULL,
  thread_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id, rfc_message_id)
){STRICT_KEYED};
CREATE INDEX thread_references_thread ON thread_references (workspace_id, thread_id);

-- The bytes and bodies of a message, shared by its copies in several inboxes of one workspace.
-- @with message, by statements of its own
CREATE TABLE contents (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,                      -- @content
  raw {BLOB},                            -- zstd; null if the bytes are in the blob store
  raw_blob {TEXT},                       -- SHA-256 of the zstd bytes in the blob store
  raw_bytes {I64} NOT NULL,              -- size before compression, without the trace lines of this server
  text {TEXT},
  html {TEXT},
  extracted_text {TEXT},                 -- the new text of a reply
  extracted_is_text {I64} NOT NULL,      -- 1: extracted_text equals text and is stored once
  headers {TEXT} NOT NULL,               -- JSON object, lower-case names
  PRIMARY KEY (workspace_id, id)
){STRICT};
-- Lets the blob sweep find out which blobs are in use.
CREATE INDEX contents_blob ON contents (raw_blob) WHERE raw_blob IS NOT NULL;

-- Messages, one row per inbox that has the message.
-- @with message, by statements of its own
-- @row Message
-- @reads contact = (SELECT c.id FROM contacts c WHERE c.workspace_id = m.workspace_id AND c.address = m.contact_address) AS contact_id
CREATE TABLE messages (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,                      -- @message
  inbox_id {ID} NOT NULL,
  thread_id {ID} NOT NULL,
  content_id {ID} NOT NULL,
  direction {TEXT} NOT NULL,             -- inbound | outbound
  status {TEXT} NOT NULL,                -- received, or the delivery status of an outbound message
  channel {TEXT} NOT NULL,               -- email | agent | mixed
  type {TEXT} NOT NULL,                  -- @field=kind message | task | event
  rfc_message_id {TEXT} NOT NULL,        -- Message-ID (RFC 5322)
  in_reply_to {TEXT},
  refs {TEXT} NOT NULL,                  -- @field=references JSON array of the References field
  from_text {TEXT} NOT NULL,             -- @field=from
  to_list {TEXT} NOT NULL,               -- @field=to JSON array
  cc_list {TEXT} NOT NULL,               -- @field=cc JSON array
  bcc_list {TEXT} NOT NULL,              -- @field=bcc JSON array
  reply_to {TEXT},
  reply_to_unproven {I64} NOT NULL,      -- 1: names another party than the author, and no signature covers it
  author_proven {I64} NOT NULL,          -- 1: an aligned pass of SPF or DKIM, or sent by this service
  subject {TEXT},
  labels {TEXT} NOT NULL,                -- JSON array, in the order in which they were added
  is_read {I64} NOT NULL,
  auto_reply {I64} NOT NULL,             -- 1: sent by a program, so it gets no automatic reply
  size_bytes {I64} NOT NULL,
  trace {TEXT} NOT NULL,                 -- trace lines of this server before the raw bytes, with CRLF
  verification {TEXT},                   -- JSON object: a verification code or link
  data {TEXT},                           -- JSON payload of messages between agents
  agent {TEXT},                          -- JSON object: sender, assurance and the signature of this copy
  author {TEXT},                         -- JSON object: the signature of the author
  disclosure {TEXT},                     -- JSON object: the Agent-Disclosure field
  answers {ID},                          -- @message the message that this one replies to
  contact_address {TEXT},                -- canonical author, or first outside recipient of an outbound message
  has_attachments {I64} NOT NULL,
  masked_links {I64} NOT NULL DEFAULT 0, -- links of this service were masked
  held {TEXT},                           -- why received mail is or was held: blocked, phishing, …
  released_at {I64},                     -- when held mail was released
  status_at {I64} NOT NULL,
  sent_at {I64},
  received_at {I64},
  created_at {I64} NOT NULL,             -- strictly rising in an inbox
  PRIMARY KEY (workspace_id, id)
){STRICT};
-- The order of an inbox; unique, because created_at identifies a message of an inbox.
CREATE UNIQUE INDEX messages_inbox ON messages (workspace_id, inbox_id, created_at);
CREATE INDEX messages_thread ON messages (workspace_id, thread_id, created_at);
CREATE INDEX messages_rfc_id ON messages (workspace_id, inbox_id, rfc_message_id);
CREATE INDEX messages_content ON messages (workspace_id, content_id);
CREATE INDEX messages_outbound ON messages (workspace_id, created_at) WHERE direction = 'outbound';
CREATE INDEX messages_bounced ON messages (workspace_id, inbox_id, status_at) WHERE status = 'bounced';
CREATE INDEX messages_answers ON messages (workspace_id, answers) WHERE answers IS NOT NULL;
-- Lists by filters that few messages match; without these, a list scans the whole inbox.
CREATE INDEX messages_unread ON messages (workspace_id, inbox_id, created_at) WHERE is_read = 0;
CREATE INDEX messages_held ON messages (workspace_id, created_at, id) WHERE held IS NOT NULL;
CREATE INDEX messages_held_in_inbox ON messages (workspace_id, inbox_id, created_at) WHERE held IS NOT NULL;
-- Counts the unread messages of a thread.
CREATE INDEX messages_unread_in_thread ON messages (workspace_id, thread_id) WHERE is_read = 0;
CREATE INDEX messages_status ON messages (workspace_id, inbox_id, status, created_at) WHERE status <> 'received';

-- Labels of messages, for filters. The record shows `messages.labels`.
-- @with message, by statements of its own
CREATE TABLE message_labels (
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  label {TEXT} NOT NULL,
  created_at {I64} NOT NULL,             -- of the message, so that a label lists messages in the order of the inbox
  message_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id, label, created_at)
){STRICT};

-- Attachments of messages. Their bytes are read from the raw message.
-- @row Attachment
-- @with message
CREATE TABLE attachments (
  workspace_id {ID} NOT NULL,            -- @field=none
  id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  position {I64} NOT NULL,               -- index among the attachments of the raw message
  filename {TEXT},
  content_type {TEXT} NOT NULL,
  size_bytes {I64} NOT NULL,
  sha256 {BLOB} NOT NULL,
  content_id {TEXT},                     -- Content-ID (RFC 2392)
  inline {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX attachments_message ON attachments (workspace_id, message_id, position);

-- Outbound mail ----------------------------------------------------------------------------------------------------

-- The part of an outbound message for one destination domain. Deleted once all its recipients are settled.
-- @row OutboundEnvelope
-- @with message
CREATE TABLE envelopes (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,                      -- @envelope
  message_id {ID} NOT NULL,
  destination {TEXT} NOT NULL,           -- domain in A-label form
  expires_at {I64} NOT NULL,             -- when delivery is given up
  signatures {TEXT},                     -- @field=signed DKIM-Signature fields, made once for all attempts; null if not signed yet
  signed_with {BLOB},                    -- @field=signed digest of the signing keys; if they changed, the message is signed again
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX envelopes_message ON envelopes (workspace_id, message_id);

-- Recipients of outbound messages with their delivery status.
-- @row RecipientDelivery
-- @with message
CREATE TABLE recipients (
  workspace_id {ID} NOT NULL,            -- @field=none
  message_id {ID} NOT NULL,              -- @field=none
  position {I64} NOT NULL,
  envelope_id {ID},                      -- null for inboxes of this server
  address {TEXT} NOT NULL,
  channel {TEXT} NOT NULL,               -- email | agent
  status {TEXT} NOT NULL,                -- queued | sent | delivered | bounced | complained | failed
  smtp_code {I64},
  enhanced_code {TEXT},                  -- RFC 3463
  remote {TEXT},                         -- the remote server
  detail {TEXT},                         -- the remote server's text, or why delivery is held
  class {TEXT},                          -- class of the failure: unknown_user, mailbox_full, policy, …
  tls {TEXT},                            -- version, cipher and validity of the certificate at the last attempt
  attempts {I64} NOT NULL,
  updated_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, message_id, position)
){STRICT};
CREATE INDEX recipients_envelope ON recipients (workspace_id, envelope_id) WHERE envelope_id IS NOT NULL;

-- Delivery attempts of recipients, the newest ones of each, with what the remote server answered.
-- @with message
CREATE TABLE delivery_attempts (
  workspace_id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  position {I64} NOT NULL,               -- of the recipient
  attempt {I64} NOT NULL,                -- from 1
  outcome {TEXT} NOT NULL,               -- delivered | sent | captured | retried | bounced | failed
  smtp_code {I64},
  enhanced_code {TEXT},                  -- RFC 3463
  remote {TEXT},                         -- the remote server
  detail {TEXT},                         -- the remote server's text, or a local explanation
  class {TEXT},                          -- as in recipients
  tls {TEXT},                            -- as in recipients
  next_attempt_at {I64},
  created_at {I64} NOT NULL,             -- when the attempt ended
  PRIMARY KEY (workspace_id, message_id, position, attempt)
){STRICT_KEYED};

-- Mail that one workspace sent to inboxes of another workspace on this service. A row belongs to the workspace of the
-- recipients. It is deleted when the sender's message shows the outcome.
-- @row LocalDelivery
-- @kept until the copies are stored and the sent message shows it
CREATE TABLE local_deliveries (
  workspace_id {ID} NOT NULL,            -- of the recipients
  id {ID} NOT NULL,                      -- @envelope also the envelope_id of the recipients of the sent message
  sender_workspace_id {ID} NOT NULL,     -- @workspace
  sender_inbox_id {ID} NOT NULL,         -- @inbox
  message_id {ID} NOT NULL,              -- the sent message
  content_id {ID} NOT NULL,              -- in workspace_id; no message has it before the copies are stored
  mail_from {TEXT} NOT NULL,
  requested {TEXT},                      -- JSON: fields as the sender's request named them; null: as in the header
  signed {TEXT},                         -- JSON: what signatures of the copies cover; null: the copies are ordinary mail
  disclosed {BOOL} NOT NULL,             -- 1: this server wrote the Agent-Disclosure field
  recipients {TEXT} NOT NULL,            -- JSON: the inboxes with their positions in the sent message
  state {TEXT} NOT NULL,                 -- pending | stored | failed
  missing {TEXT} NOT NULL,               -- JSON: positions whose inbox was deleted before the copy was stored
  detail {TEXT},                         -- why it failed
  created_at {I64} NOT NULL,             -- of the sent message, which gives the order
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX local_deliveries_order ON local_deliveries (workspace_id, sender_inbox_id, created_at);
CREATE INDEX local_deliveries_sender ON local_deliveries (sender_workspace_id);

-- Addresses to which a workspace sends no mail.
-- @row Suppression
-- @kept protects recipients and the reputation of the server
CREATE TABLE suppressions (
  workspace_id {ID} NOT NULL,
  address {TEXT} NOT NULL,               -- canonical
  reason {TEXT} NOT NULL,                -- bounce | complaint | manual
  detail {TEXT},
  message_id {ID},                       -- the message that bounced or was complained about
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, address)
){STRICT};
CREATE INDEX suppressions_list ON suppressions (workspace_id, created_at, address);

-- Received messages that must still be forwarded, one row per address. Deleted when the copy is stored.
-- @row PendingForward
-- @with message
CREATE TABLE forwards (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  address_id {ID} NOT NULL,              -- @field=to @forwarding_address in forwarding_addresses
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX forwards_of_message ON forwards (workspace_id, message_id);
CREATE INDEX forwards_of_address ON forwards (workspace_id, address_id);

-- Received mail to postmaster or abuse that hasn't been reported to the owner yet.
-- @with message
CREATE TABLE role_mail (
  workspace_id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  address {TEXT} NOT NULL,               -- the recipient
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, message_id)
){STRICT};

-- Messages that an inbox sent on the day (UTC) of its latest send, for its daily limit.
-- @kept counts for limits; deleting an inbox must not reset them
CREATE TABLE inbox_usage (
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  day {I64} NOT NULL,                    -- days since 1970
  sent {I64} NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id)
){STRICT_KEYED};

-- Messages that a workspace sent in the month and on the day (UTC) of its latest send. The row serializes its sends.
-- @kept counts for limits; deleting an inbox must not reset them
CREATE TABLE workspace_usage (
  workspace_id {ID} NOT NULL PRIMARY KEY,
  month {I64} NOT NULL,                  -- months since year 0
  month_sent {I64} NOT NULL,
  day {I64} NOT NULL,                    -- days since 1970
  day_sent {I64} NOT NULL
){STRICT_KEYED};

-- Addresses to which an unclaimed workspace wrote on a day (UTC); it may write to few.
-- @kept counts for limits; deleting an inbox must not reset them
CREATE TABLE unclaimed_recipients (
  workspace_id {ID} NOT NULL,
  day {I64} NOT NULL,                    -- days since 1970
  address {TEXT} NOT NULL,
  PRIMARY KEY (workspace_id, day, address)
){STRICT};

-- Parties whose complaint or hard bounce counts toward a suspension: one row for each person or organization.
-- @kept protects recipients and the reputation of the server
CREATE TABLE sending_incidents (
  workspace_id {ID} NOT NULL,
  kind {TEXT} NOT NULL,                  -- complaint | hard_bounce
  party {TEXT} NOT NULL,                 -- a domain, or an address at a large mailbox provider
  happened_at {I64} NOT NULL,            -- the last time
  PRIMARY KEY (workspace_id, kind, party)
){STRICT};
CREATE INDEX sending_incidents_window ON sending_incidents (workspace_id, kind, happened_at);
-- Finds expired rows.
CREATE INDEX sending_incidents_age ON sending_incidents (happened_at);

-- When an operator last ended a suspension, and the counts of that quarter hour, which don't suspend again.
-- @kept protects recipients and the reputation of the server
CREATE TABLE sending_recoveries (
  workspace_id {ID} NOT NULL PRIMARY KEY,
  recovered_at {I64} NOT NULL,
  sent {I64} NOT NULL,
  bounced {I64} NOT NULL,
  complained {I64} NOT NULL
){STRICT};

-- Drafts -----------------------------------------------------------------------------------------------------------

-- Messages that wait for an approval or for their time.
-- @row Draft
-- @with thread
CREATE TABLE drafts (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,                      -- @draft
  inbox_id {ID} NOT NULL,
  status {TEXT} NOT NULL,                -- draft | scheduled | sent | failed | cancelled
  revision {I64} NOT NULL,               -- rises with every change; a write names the revision that it replaces
  answers {ID},                          -- @message the message that this one replies to
  thread_id {ID},
  reply_all {I64} NOT NULL,
  to_list {TEXT} NOT NULL,               -- @field=content JSON array
  cc_list {TEXT} NOT NULL,               -- @field=content JSON array
  bcc_list {TEXT} NOT NULL,              -- @field=content JSON array
  subject {TEXT},                        -- @field=content
  text {TEXT},                           -- @field=content
  html {TEXT},                           -- @field=content
  data {TEXT},                           -- @field=content JSON
  type {TEXT} NOT NULL,                  -- @field=content message | task | event
  labels {TEXT} NOT NULL,                -- JSON array
  metadata {TEXT} NOT NULL,              -- @field=metadata_json JSON object
  source {TEXT} NOT NULL,                -- api | ai
  send_at {I64},
  sent_at {I64},
  sent_message_id {ID},                  -- @message
  approved_by_type {TEXT},               -- @field=approval
  approved_by_id {TEXT},                 -- @field=approval
  approved_by_label {TEXT},              -- @field=approval
  approved_at {I64},                     -- @field=approval
  approved_content_sha256 {BLOB},        -- @field=approval of the approved content; a change makes the approval void
  sent_back {TEXT},                      -- JSON object: the note of a person who sent it back, who and when; null otherwise
  error_code {TEXT},                     -- @field=failure why the last attempt to send failed
  error_message {TEXT},                  -- @field=failure
  created_at {I64} NOT NULL,
  updated_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX drafts_list ON drafts (workspace_id, created_at, id);
CREATE INDEX drafts_inbox ON drafts (workspace_id, inbox_id, created_at, id);
-- Most drafts are sent at some time; a list of another status skips them.
CREATE INDEX drafts_status ON drafts (workspace_id, status, created_at, id);
CREATE INDEX drafts_inbox_status ON drafts (workspace_id, inbox_id, status, created_at, id);
CREATE INDEX drafts_thread ON drafts (workspace_id, thread_id, created_at, id) WHERE thread_id IS NOT NULL;
-- Counts the pending drafts that an inbox shows.
CREATE INDEX drafts_pending ON drafts (workspace_id, inbox_id) WHERE status IN ('draft', 'failed');
CREATE INDEX drafts_scheduled ON drafts (send_at) WHERE status = 'scheduled';

-- Metadata of drafts, one row per entry, for filters. The record shows `drafts.metadata`.
-- @with thread
CREATE TABLE draft_metadata (
  workspace_id {ID} NOT NULL,
  key {TEXT} NOT NULL,
  value {TEXT} NOT NULL,                 -- the string that filters compare
  draft_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, key, value, draft_id)
){STRICT};
CREATE INDEX draft_metadata_draft ON draft_metadata (workspace_id, draft_id);

-- Attachments of drafts. Deleted when the draft is sent, because the message then has them.
-- @row DraftFile
-- @with thread
CREATE TABLE draft_files (
  workspace_id {ID} NOT NULL,            -- @field=none
  id {ID} NOT NULL,
  draft_id {ID} NOT NULL,                -- @field=none
  position {I64} NOT NULL,               -- @field=none
  filename {TEXT} NOT NULL,
  content_type {TEXT} NOT NULL,
  size_bytes {I64} NOT NULL,
  sha256 {BLOB} NOT NULL,
  content {BLOB},                        -- @field=none zstd; null if the bytes are in the blob store
  content_blob {TEXT},                   -- @field=none SHA-256 of the zstd bytes in the blob store
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX draft_files_draft ON draft_files (workspace_id, draft_id, position);
-- Lets the blob sweep find out which blobs are in use.
CREATE INDEX draft_files_blob ON draft_files (content_blob) WHERE content_blob IS NOT NULL;

-- Approvals of messages that were drafts. They outlive the draft.
-- @row ApprovalOfMessage
-- @with message
CREATE TABLE message_approvals (
  workspace_id {ID} NOT NULL,            -- @field=none
  message_id {ID} NOT NULL,
  draft_id {ID} NOT NULL,
  by_type {TEXT} NOT NULL,               -- @field=approval
  by_id {TEXT},                          -- @field=approval
  by_label {TEXT} NOT NULL,              -- @field=approval
  approved_at {I64} NOT NULL,            -- @field=approval
  content_sha256 {BLOB} NOT NULL,        -- @field=approval
  PRIMARY KEY (workspace_id, message_id)
){STRICT};

-- Work queues ------------------------------------------------------------------------------------------------------

-- Inboxes from which messages were claimed at least once. Storing a message writes nothing here.
-- @with inbox
CREATE TABLE queues (
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  position {I64} NOT NULL,               -- created_at up to which messages were added to queue_items
  changes {I64} NOT NULL,                -- rises when something may be claimable without a new message; wakes waiters
  started_at {I64} NOT NULL,             -- the first claim
  PRIMARY KEY (workspace_id, inbox_id)
){STRICT};

-- Received messages that a claim added to a queue.
-- @row QueueItem
-- @with message, by statements of its own
CREATE TABLE queue_items (
  workspace_id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  thread_id {ID} NOT NULL,
  created_at {I64} NOT NULL,             -- @field=none of the message: the order of the queue
  channel {TEXT} NOT NULL,               -- @field=none
  type {TEXT} NOT NULL,                  -- @field=none
  state {TEXT} NOT NULL,                 -- open | done | dead | gone (the message was deleted after a lease)
  available_at {I64} NOT NULL,           -- end of the lease or delay; 0: claimable now
  lease_id {ID},                         -- the last lease; null after nack
  deliveries {I64} NOT NULL,             -- number of leases
  consumer {TEXT},                       -- @field=none
  settled_at {I64},                      -- when the state became done, dead or gone
  PRIMARY KEY (workspace_id, message_id)
){STRICT};
-- Claimable items of an inbox, oldest first.
CREATE INDEX queue_items_waiting ON queue_items (workspace_id, inbox_id, available_at, created_at) WHERE state = 'open';
-- Answers whether another message of the thread is leased.
CREATE INDEX queue_items_thread ON queue_items (workspace_id, thread_id, available_at) WHERE state = 'open';
-- Items that become dead letters; 10 is the maximum number of deliveries.
CREATE INDEX queue_items_spent ON queue_items (available_at) WHERE state = 'open' AND deliveries >= 10;
CREATE INDEX queue_items_dead ON queue_items (workspace_id, inbox_id) WHERE state = 'dead';
-- Finds expired rows of deleted messages.
CREATE INDEX queue_items_gone ON queue_items (settled_at) WHERE state = 'gone';

-- Full-text search -------------------------------------------------------------------------------------------------

-- Messages that aren't indexed yet. A search indexes those of its workspace first.
-- @with message, by statements of its own
CREATE TABLE search_pending (
  workspace_id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, message_id)
){STRICT_KEYED};

-- The last document number of each workspace.
-- @kept data of the workspace
CREATE TABLE search_heads (
  workspace_id {ID} NOT NULL PRIMARY KEY,
  number {I64} NOT NULL,                 -- of the workspace: the upper bits of its document numbers
  seq {I64} NOT NULL                     -- of the newest document: the lower 40 bits
){STRICT};

-- Indexed messages. Document numbers rise with the time of indexing, so a descending scan returns the newest first.
-- @with message, by statements of its own
CREATE TABLE search_docs (
  workspace_id {ID} NOT NULL,
  doc {I64} NOT NULL,
  message_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  created_at {I64} NOT NULL,             -- of the message; finds its labels
  channel {TEXT} NOT NULL,
  type {TEXT} NOT NULL,
  has_attachments {I64} NOT NULL,
-- @postgres
  words TSVECTOR NOT NULL,
  word_pairs BYTEA,                      -- Bloom filter of adjacent words, because a GIN index doesn't know word order
-- @both
  PRIMARY KEY (workspace_id, doc)
){STRICT};
CREATE UNIQUE INDEX search_docs_message ON search_docs (workspace_id, message_id);

-- The words of each document, extracted by the program and separated by spaces. The text isn't stored.
-- @sqlite
-- @with message, by statements of its own
CREATE VIRTUAL TABLE search_text USING fts5(words, content='', contentless_delete=1, tokenize='ascii');
-- @postgres
ALTER TABLE search_docs ALTER COLUMN words SET STORAGE EXTERNAL;
ALTER TABLE search_docs ALTER COLUMN word_pairs SET STORAGE MAIN;
CREATE INDEX search_docs_words ON search_docs USING gin (words) WITH (gin_pending_list_limit = 1024);
-- @both

-- Contacts ---------------------------------------------------------------------------------------------------------

-- People and programs with which a workspace exchanged mail, written by the transactions that store messages.
-- @kept until the contact is deleted: it belongs to the workspace
-- @clears last_subject with message
-- @clears last_subject_inbox_id with message
-- @clears last_subject_at with message
CREATE TABLE contacts (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,                      -- @contact
  address {TEXT} NOT NULL,               -- canonical
  domain {TEXT} NOT NULL,
  name {TEXT},
  name_source {TEXT} NOT NULL,           -- auto | manual
  kind {TEXT} NOT NULL,                  -- person | automated | sales | unknown
  kind_source {TEXT} NOT NULL,           -- auto | manual
  notes {TEXT},
  metadata {TEXT} NOT NULL,              -- JSON object
  labels {TEXT} NOT NULL,                -- JSON array
  message_count {I64} NOT NULL,
  last_subject {TEXT},                   -- @field=last_subject
  last_subject_inbox_id {ID},            -- @inbox the inbox of the message with that subject; other inboxes' keys don't see it
  last_subject_at {I64},                 -- when that message was stored
  first_seen_at {I64} NOT NULL,
  last_seen_at {I64} NOT NULL,
  created_at {I64} NOT NULL,
  haystack {TEXT} NOT NULL,              -- address and name in lower case, for the substring filter
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE UNIQUE INDEX contacts_address ON contacts (workspace_id, address);
CREATE INDEX contacts_seen ON contacts (workspace_id, last_seen_at, id);
CREATE INDEX contacts_domain ON contacts (workspace_id, domain, last_seen_at, id);

-- Labels of contacts, for filters. The record shows `contacts.labels`.
-- @kept with the contact
CREATE TABLE contact_labels (
  workspace_id {ID} NOT NULL,
  label {TEXT} NOT NULL,
  contact_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, label, contact_id)
){STRICT};
CREATE INDEX contact_labels_contact ON contact_labels (workspace_id, contact_id);

-- Metadata of contacts, one row per entry, for filters. The record shows `contacts.metadata`.
-- @kept with the contact
CREATE TABLE contact_metadata (
  workspace_id {ID} NOT NULL,
  key {TEXT} NOT NULL,
  value {TEXT} NOT NULL,                 -- the string that filters compare
  contact_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, key, value, contact_id)
){STRICT};
CREATE INDEX contact_metadata_contact ON contact_metadata (workspace_id, contact_id);

-- Deleted contacts that received mail must not create again.
-- @kept so that a deleted contact isn't created again; a keyed hash
CREATE TABLE forgotten_contacts (
  workspace_id {ID} NOT NULL,
  digest {BLOB} NOT NULL,                -- keyed hash of the address, so that the row doesn't reveal it
  PRIMARY KEY (workspace_id, digest)
){STRICT};

-- Agents -----------------------------------------------------------------------------------------------------------

-- Every handle that a workspace ever claimed. Rows are never deleted, so a handle isn't given to a second workspace.
-- @kept forever, so that a handle isn't used again
CREATE TABLE handles (
  handle {TEXT} NOT NULL PRIMARY KEY,    -- in lower case, without the @
  workspace_id {ID} NOT NULL,
  skeleton {TEXT} NOT NULL,              -- the form that look-alikes share
  state {TEXT} NOT NULL,                 -- current | renamed | released
  redirect_until {I64},                  -- of a renamed one
  created_at {I64} NOT NULL
){STRICT};
CREATE UNIQUE INDEX handles_current ON handles (workspace_id) WHERE state = 'current';
CREATE INDEX handles_workspace ON handles (workspace_id, state, redirect_until);
-- Finds look-alikes.
CREATE INDEX handles_skeleton ON handles (skeleton, workspace_id);

-- Cards of agents: what inboxes and identities say about themselves.
-- @with inbox
CREATE TABLE agent_cards (
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  name {TEXT} NOT NULL,
  description {TEXT},
  skills {TEXT} NOT NULL,                -- JSON array of objects
  accepts_types {TEXT} NOT NULL,         -- JSON array of strings
  languages {TEXT} NOT NULL,             -- JSON array of strings
  input_modes {TEXT} NOT NULL,           -- JSON array of strings
  documentation_url {TEXT},
  visibility {TEXT} NOT NULL,            -- private | workspace | public
  handle {TEXT},                         -- the agent part, in lower case
  indexable {BOOL} NOT NULL,             -- 1: search engines may index the public page
  listing {TEXT},                        -- pending | listed | hidden: of a public card, as the listing check left it
  listing_problems {TEXT} NOT NULL,      -- JSON array of strings: what the listing check found
  listed_at {I64},
  revoked_at {I64},                      -- by the owner
  revocation_reason {TEXT},
  number {I64} NOT NULL UNIQUE,          -- in the index of the directory; rises with the time of creation
  created_at {I64} NOT NULL,
  updated_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id)
){STRICT};
CREATE UNIQUE INDEX agent_cards_handle ON agent_cards (workspace_id, handle) WHERE handle IS NOT NULL;
-- Counts public cards for the limit of the plan.
CREATE INDEX agent_cards_public ON agent_cards (workspace_id) WHERE visibility = 'public';
-- Finds cards whose listing check has no job.
CREATE INDEX agent_cards_pending ON agent_cards (listing) WHERE listing = 'pending';

-- What the operator or reports decided against agents. Outlives the card, so that a new card doesn't undo it.
-- @kept until the operator ends it
-- @row Sanction
CREATE TABLE agent_sanctions (
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  kind {TEXT} NOT NULL,                  -- suspended | reported
  reason {TEXT},                         -- of the operator
  parties {TEXT} NOT NULL,               -- JSON array of the parties whose reports counted
  review_requested_at {I64},             -- when the owner asked for a review
  review_note {TEXT},                    -- what the owner said
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id)
){STRICT};

-- Reports about agents, of the workspace that reports.
-- @row AgentReport
-- @kept for 400 days, because they count against the reported agent
-- @clears message_id with message
CREATE TABLE agent_reports (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  agent_workspace_id {ID} NOT NULL,      -- @workspace of the reported agent
  agent_id {ID} NOT NULL,                -- @inbox its inbox or identity
  reason {TEXT} NOT NULL,
  details {TEXT},
  message_id {ID},                       -- a message of the workspace that reports
  counts {BOOL} NOT NULL,                -- 1: it counts toward hiding the listing
  network {BLOB},                        -- @other keyed hash of the client's network; null on loopback
  created_at {I64} NOT NULL,
  settled_at {I64},                      -- @field=none when the operator restored the agent; the report no longer counts
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX agent_reports_day ON agent_reports (workspace_id, created_at);
CREATE INDEX agent_reports_message ON agent_reports (workspace_id, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX agent_reports_agent ON agent_reports (agent_id, created_at);
CREATE INDEX agent_reports_age ON agent_reports (created_at);

-- Cards that searches find: those that are visible to more than their owner, by their number.
-- @with inbox
CREATE TABLE card_index (
  number {I64} NOT NULL,
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  is_public {BOOL} NOT NULL,             -- 1: in the public directory
  text {TEXT} NOT NULL,                  -- what queries are compared with
-- @postgres
  words TSVECTOR NOT NULL,
-- @both
  PRIMARY KEY (number)
){STRICT};
CREATE UNIQUE INDEX card_index_agent ON card_index (workspace_id, inbox_id);
CREATE INDEX card_index_workspace ON card_index (workspace_id, number);
CREATE INDEX card_index_public ON card_index (number) WHERE is_public = 1;

-- The words of each card, extracted by the program.
-- @sqlite
CREATE VIRTUAL TABLE card_words USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii');
-- @postgres
ALTER TABLE card_index ALTER COLUMN words SET STORAGE EXTERNAL;
CREATE INDEX card_index_words ON card_index USING gin (words) WITH (gin_pending_list_limit = 1024);
-- @both

-- People on call ---------------------------------------------------------------------------------------------------

-- When and how a workspace escalates. A workspace without a row has the defaults.
-- @row EscalationSettings
-- @kept data of the workspace
CREATE TABLE escalation_settings (
  workspace_id {ID} NOT NULL PRIMARY KEY, -- @field=none
  triggers {TEXT} NOT NULL,              -- those that are on, comma-separated
  delivery {TEXT} NOT NULL,              -- immediate | digest
  max_per_hour {I64} NOT NULL,
  quiet_start {I64},                     -- @field=quiet_hours minutes since midnight
  quiet_end {I64},                       -- @field=quiet_hours
  quiet_zone {TEXT},                     -- @field=quiet_hours IANA time zone
  include_excerpt {BOOL} NOT NULL        -- 1: mails contain the start of the message's text
){STRICT};

-- What an inbox changes about the escalation of its workspace.
-- @row InboxEscalation
-- @with inbox
CREATE TABLE inbox_escalation_settings (
  workspace_id {ID} NOT NULL,            -- @field=none
  inbox_id {ID} NOT NULL,                -- @field=none
  overrides {BOOL} NOT NULL,             -- 1: the inbox has contacts of its own
  triggers {TEXT},                       -- those that are on, comma-separated; null: as in the workspace
  PRIMARY KEY (workspace_id, inbox_id)
){STRICT};

-- People on call.
-- @row OnCallContact
-- @with inbox
CREATE TABLE on_call_contacts (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,                -- @nil the nil UUID: a contact of the workspace
  address {TEXT} NOT NULL,               -- canonical
  position {I64} NOT NULL,               -- @field=none index in the list of contacts
  token_sha256 {BLOB},                   -- @field=none of the token in the latest confirmation link; null before the first
  token_expires_at {I64},                -- @field=none
  confirmed_at {I64},
  mail_due {TEXT},                       -- confirmation | owner_notice: the mail that must still be sent
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE UNIQUE INDEX on_call_contacts_of_inbox ON on_call_contacts (workspace_id, inbox_id, address);
-- Finds the contact of a confirmation link, which names no workspace.
CREATE UNIQUE INDEX on_call_contacts_token ON on_call_contacts (token_sha256);
-- Finds contacts whose mail has no job.
CREATE INDEX on_call_contacts_due ON on_call_contacts (mail_due) WHERE mail_due IS NOT NULL;

-- Requests for confirmation mails to people on call and forwarding addresses, for a day, for the limits of a workspace
-- and of an address.
-- @kept counts for limits; deleting an inbox must not reset them
CREATE TABLE confirmation_requests (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  address {BLOB} NOT NULL,               -- SHA-256 of the canonical address
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX confirmation_requests_of_workspace ON confirmation_requests (workspace_id, created_at);
CREATE INDEX confirmation_requests_of_address ON confirmation_requests (address, created_at);
-- Finds expired rows.
CREATE INDEX confirmation_requests_age ON confirmation_requests (created_at);

-- What waits to be sent to the people on call. Deleted in the transaction that stores the mail.
-- @row Escalation
-- @with message
CREATE TABLE escalations (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,                -- @nil the nil UUID: about the workspace
  cause {TEXT} NOT NULL,                 -- @field=trigger the trigger
  message_id {ID},
  draft_id {ID},
  digest_at {I64},                       -- the digest that it waits for; null until the limit per hour is reached
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX escalations_waiting ON escalations (workspace_id, created_at, id);
CREATE INDEX escalations_of_cause ON escalations (workspace_id, inbox_id, cause);
CREATE INDEX escalations_of_message ON escalations (workspace_id, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX escalations_of_draft ON escalations (workspace_id, draft_id) WHERE draft_id IS NOT NULL;

-- Mail that was sent to people on call and about them, and reports about it, for the limit per hour, and so that
-- responses don't escalate.
-- @row OnCallMail
-- @kept for 400 days: deleting a message must not reset a limit or start a loop
CREATE TABLE on_call_mails (
  workspace_id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  kind {TEXT} NOT NULL,                  -- confirmation | owner_notice | escalation | response
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, message_id)
){STRICT};
CREATE INDEX on_call_mails_sent ON on_call_mails (workspace_id, kind, created_at);
-- Finds expired rows.
CREATE INDEX on_call_mails_age ON on_call_mails (created_at);

-- Events and webhooks ----------------------------------------------------------------------------------------------

-- The event log of each workspace. The data of an event is read from the tables of its record when it is shown.
-- @row NewEvent
-- @kept for 30 days, because the log has no gaps; details of drafts are removed
-- @clears detail with thread
CREATE TABLE events (
  workspace_id {ID} NOT NULL,
  seq {I64} NOT NULL,                    -- @field=none without gaps
  id {ID} NOT NULL,                      -- @event
  type {TEXT} NOT NULL,                  -- @field=kind
  inbox_id {ID},
  thread_id {ID},
  message_id {ID},
  detail {TEXT} NOT NULL,                -- @field=detail_json JSON object: data that the tables may not have later
  released {I64} NOT NULL DEFAULT 0,     -- @field=none 1: was held while its inbox was paused, so it keeps its order in that inbox
  created_at {I64} NOT NULL,             -- @field=at
  PRIMARY KEY (workspace_id, seq)
){STRICT};
CREATE UNIQUE INDEX events_id ON events (workspace_id, id);
CREATE INDEX events_inbox ON events (workspace_id, inbox_id, seq);
-- Finds expired rows.
CREATE INDEX events_age ON events (created_at);

-- The end of each workspace's log, and the bytes that it stores, for the limit of its plan. A unit that appends events,
-- stores or deletes changes the row at its end. Locking the row serializes the writers of a log.
-- @kept data of the workspace
CREATE TABLE workspace_counters (
  workspace_id {ID} NOT NULL PRIMARY KEY,
  event_seq {I64} NOT NULL,              -- the last sequence number
  stored_bytes {I64} NOT NULL            -- raw messages once per workspace, bodies and files of drafts
){STRICT_KEYED};

-- Events of a paused inbox, in order of arrival. Resuming the inbox moves them to the log.
-- @with inbox
CREATE TABLE held_events (
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  created_at {I64} NOT NULL,
  id {ID} NOT NULL,                      -- @event
  type {TEXT} NOT NULL,
  thread_id {ID},
  message_id {ID},
  detail {TEXT} NOT NULL,                -- JSON object
  PRIMARY KEY (workspace_id, inbox_id, created_at, id)
){STRICT};

-- Sign-in with an agent ---------------------------------------------------------------------------------------------

-- Apps that agents of every workspace can sign in to. The workspace is the one that registered the app.
-- @kept data of the workspace
-- @row IdentityClient
CREATE TABLE identity_clients (
  workspace_id {ID} NOT NULL REFERENCES workspaces(id),
  id {ID} NOT NULL,
  client_id {TEXT} NOT NULL UNIQUE,      -- the public id
  name {TEXT} NOT NULL,
  type {TEXT} NOT NULL,                  -- @field=kind confidential | public | verify_only
  redirect_uris {TEXT} NOT NULL,         -- JSON array
  allowed_scopes {TEXT} NOT NULL,        -- separated by spaces
  subject_type {TEXT} NOT NULL,          -- pairwise | public
  subject_salt {BLOB} NOT NULL,          -- random; pairwise subjects depend on it
  homepage_url {TEXT},
  secret_prefix {TEXT},                  -- the start of the secret, which lists show
  secret_sha256 {BLOB},
  enabled {I64} NOT NULL,
  last_used_at {I64},
  created_at {I64} NOT NULL,
  updated_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX identity_clients_list ON identity_clients (workspace_id, created_at, id);

-- Apps that an agent may sign in to in the browser of a member, without a code.
-- @with inbox
CREATE TABLE identity_preapprovals (
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  client_id {TEXT} NOT NULL,
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id, client_id)
){STRICT_KEYED};

-- Sign-ins in a browser, from the request of the app to the exchange of its code. They belong to no workspace until an
-- agent approves them.
-- @row IdentityRequest
-- @kept for at most 70 minutes; the code of a deleted inbox is refused
CREATE TABLE identity_requests (
  id {ID} NOT NULL PRIMARY KEY,
  secret_sha256 {BLOB} NOT NULL UNIQUE,  -- @field=none of the secret in the address of the waiting page
  code_sha256 {BLOB} NOT NULL UNIQUE,    -- @field=none of the authorization code
  user_code {TEXT} NOT NULL UNIQUE,      -- what the page shows and an agent approves
  client_id {TEXT} NOT NULL,
  redirect_uri {TEXT} NOT NULL,
  scope {TEXT} NOT NULL,
  state {TEXT},
  nonce {TEXT},
  code_challenge {TEXT},                 -- PKCE, method S256
  hinted_id {ID},                        -- @inbox the agent that the app named
  status {TEXT} NOT NULL,                -- pending | approved | denied
  workspace_id {ID},                     -- of the agent that approved it
  inbox_id {ID},                         -- that agent
  approved_at {I64},
  code_expires_at {I64},                 -- null until the browser got the code
  used_at {I64},
  ip {TEXT} NOT NULL,
  network {TEXT} NOT NULL,               -- what counts as one client address
  user_agent {TEXT},
  created_at {I64} NOT NULL,
  expires_at {I64} NOT NULL,
  kept_until {I64} NOT NULL              -- @field=none later than expires_at, so that the reuse of a code is noticed
){STRICT};
-- Counts and deletes the sign-ins of an app.
CREATE INDEX identity_requests_client ON identity_requests (client_id, expires_at);
-- Counts and ends those of one client address.
CREATE INDEX identity_requests_network ON identity_requests (client_id, network, expires_at);
-- Finds the sign-ins that name an agent.
CREATE INDEX identity_requests_hinted ON identity_requests (hinted_id, expires_at) WHERE hinted_id IS NOT NULL;
CREATE INDEX identity_requests_workspace ON identity_requests (workspace_id) WHERE workspace_id IS NOT NULL;
-- Finds expired rows.
CREATE INDEX identity_requests_age ON identity_requests (kept_until);

-- Access tokens of apps, for the userinfo endpoint. Only a digest is stored.
-- @row IdentityAccessToken
-- @with inbox
CREATE TABLE identity_access_tokens (
  workspace_id {ID} NOT NULL,            -- of the agent
  digest {BLOB} NOT NULL,                -- @field=none SHA-256 of the token
  client_id {TEXT} NOT NULL,
  inbox_id {ID} NOT NULL,
  scope {TEXT} NOT NULL,
  request_id {ID},                       -- the sign-in in a browser that it was issued for
  expires_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, digest)
){STRICT};
-- Finds a token before its workspace is known.
CREATE UNIQUE INDEX identity_access_tokens_digest ON identity_access_tokens (digest);
-- Ends the tokens of an app or of a sign-in, and finds expired ones.
CREATE INDEX identity_access_tokens_client ON identity_access_tokens (client_id);
CREATE INDEX identity_access_tokens_request ON identity_access_tokens (request_id) WHERE request_id IS NOT NULL;
CREATE INDEX identity_access_tokens_inbox ON identity_access_tokens (workspace_id, inbox_id);
CREATE INDEX identity_access_tokens_age ON identity_access_tokens (expires_at);

-- The sign-in history of agents, for 90 days.
-- @with inbox
-- @row IdentitySignIn
CREATE TABLE identity_sign_ins (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  client_id {TEXT} NOT NULL,             --
  client_name {TEXT} NOT NULL,           -- at that time
  event {TEXT} NOT NULL,                 -- token_issued | signed_in
  flow {TEXT} NOT NULL,                  -- headless | authorization_code | jwt_bearer
  jti {TEXT} NOT NULL,                   -- the id of the identity token
  scope {TEXT} NOT NULL,
  ip {TEXT},
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX identity_sign_ins_list ON identity_sign_ins (workspace_id, inbox_id, created_at, id);
-- Finds the agent of a token, and makes the exchange of a token single-use.
CREATE UNIQUE INDEX identity_sign_ins_token ON identity_sign_ins (jti, event);
CREATE INDEX identity_sign_ins_age ON identity_sign_ins (created_at);

-- The apps that an agent has signed in to.
-- @row SignedInApp
-- @with inbox
CREATE TABLE identity_apps (
  workspace_id {ID} NOT NULL,            -- @field=none
  inbox_id {ID} NOT NULL,                -- @field=none
  client_id {TEXT} NOT NULL,
  name {TEXT} NOT NULL,                  -- at the last sign-in
  homepage_url {TEXT},                   -- at the last sign-in
  last_signed_in_at {I64} NOT NULL,
  sign_ins {I64} NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id, client_id)
){STRICT_KEYED};

-- Webhooks. Events aren't copied: a webhook has a position in the log.
-- @kept data of the workspace
-- @row Webhook
CREATE TABLE webhooks (
  workspace_id {ID} NOT NULL REFERENCES workspaces(id),
  id {ID} NOT NULL,                      -- @webhook
  url {TEXT} NOT NULL,
  events {TEXT} NOT NULL,                -- @field=kinds JSON array of event types
  inbox_ids {TEXT},                      -- @field=inboxes JSON array; null: every inbox
  enabled {I64} NOT NULL,
  payload {TEXT} NOT NULL,               -- full | envelope
  headers {BLOB} NOT NULL,               -- the owner's header fields, sealed because they may be credentials
  secret {BLOB} NOT NULL,                -- sealed
  secret_hint {TEXT} NOT NULL,
  old_secret {BLOB},                     -- sealed; the secret before the last rotation
  old_secret_until {I64},
  seq {I64} NOT NULL,                    -- @field=cursor the position: deliveries exist for events up to it
  failing_since {I64},                   -- set while every attempt fails
  last_success_at {I64},
  last_failure_at {I64},
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX webhooks_list ON webhooks (workspace_id, created_at, id);

-- Delivery attempts, one row each. This table is also the queue of the dispatcher.
-- @row WebhookDelivery
-- @kept for 30 days, like events; holds no content
CREATE TABLE webhook_deliveries (
  workspace_id {ID} NOT NULL,            -- @field=none
  webhook_id {ID} NOT NULL,
  id {ID} NOT NULL,
  event_id {ID} NOT NULL,
  event_type {TEXT} NOT NULL,            -- @field=kind
  attempt {I64} NOT NULL,
  status {TEXT} NOT NULL,                -- pending | succeeded | failed
  response_status {I64},
  response_excerpt {TEXT},
  exchange {TEXT},                       -- @field=none JSON object: URL, header fields and body hash of the request, fields of the response
  error {TEXT},
  duration_ms {I64},
  created_at {I64} NOT NULL,
  next_attempt_at {I64},                 -- as the API shows it
  run_at {I64},                          -- @field=none when a pending attempt runs or its lease ends, or a failed one is repeated
  lease_token {ID},                      -- @field=none fencing token
  PRIMARY KEY (workspace_id, webhook_id, id)
){STRICT_KEYED};
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (workspace_id, webhook_id, run_at) WHERE run_at IS NOT NULL;

-- Finished attempts per ten minutes, for the statistics of a day.
-- @kept for a day
CREATE TABLE webhook_counts (
  workspace_id {ID} NOT NULL,
  webhook_id {ID} NOT NULL,
  slot {I64} NOT NULL,                   -- ten minutes since 1970
  deliveries {I64} NOT NULL,
  failed {I64} NOT NULL,
  PRIMARY KEY (workspace_id, webhook_id, slot)
){STRICT};
-- Finds expired rows.
CREATE INDEX webhook_counts_age ON webhook_counts (slot);

-- Metrics ----------------------------------------------------------------------------------------------------------

-- Counters per inbox and quarter hour, of which the hours and days of every time zone are made.
-- @kept counters without content; deleted after 400 days
CREATE TABLE metric_slots (
  workspace_id {ID} NOT NULL,
  slot {I64} NOT NULL,                   -- quarter hours since 1970
  inbox_id {ID} NOT NULL,
  sent {I64} NOT NULL,
  received {I64} NOT NULL,
  delivered {I64} NOT NULL,
  bounced {I64} NOT NULL,
  complained {I64} NOT NULL,
  blocked {I64} NOT NULL,
  spam {I64} NOT NULL,
  unauthenticated {I64} NOT NULL,
  PRIMARY KEY (workspace_id, slot, inbox_id)
){STRICT};
-- Finds expired rows.
CREATE INDEX metric_slots_age ON metric_slots (slot);

-- Bounced recipients by status code.
-- @kept counters without content; deleted after 400 days
CREATE TABLE metric_bounces (
  workspace_id {ID} NOT NULL,
  slot {I64} NOT NULL,                   -- quarter hours since 1970
  inbox_id {ID} NOT NULL,
  reason {TEXT} NOT NULL,                -- enhanced status code, else SMTP code, else `unknown`
  bounces {I64} NOT NULL,
  PRIMARY KEY (workspace_id, slot, inbox_id, reason)
){STRICT};
CREATE INDEX metric_bounces_age ON metric_bounces (slot);

-- Bounced recipients by class.
-- @kept counters without content; deleted after 400 days
CREATE TABLE metric_bounce_classes (
  workspace_id {ID} NOT NULL,
  slot {I64} NOT NULL,                   -- quarter hours since 1970
  inbox_id {ID} NOT NULL,
  class {TEXT} NOT NULL,                 -- as in recipients.class
  bounces {I64} NOT NULL,
  PRIMARY KEY (workspace_id, slot, inbox_id, class)
){STRICT};
CREATE INDEX metric_bounce_classes_age ON metric_bounce_classes (slot);

-- Domains and certificates -----------------------------------------------------------------------------------------

-- Custom domains of workspaces.
-- @kept data of the workspace
CREATE TABLE mail_domains (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,                      -- @domain
  name {TEXT} NOT NULL,                  -- A-label form
  status {TEXT} NOT NULL,                -- pending | verified | failed | disabled
  owned {I64} NOT NULL,                  -- 1: verified at some time; only one workspace owns a name
  receiving {I64} NOT NULL,              -- 1: the domain's MX records should point to this server
  token {TEXT} NOT NULL,                 -- the value of the ownership record
  active_selector {TEXT} NOT NULL,       -- of the DKIM key that signs
  active_since {I64} NOT NULL,
  next_selector {TEXT},                  -- of the key that a rotation waits to publish
  next_started_at {I64},
  previous_selector {TEXT},              -- of the key that a rotation replaced; its record stays published for a while
  previous_retire_at {I64},
  checked {TEXT} NOT NULL,               -- JSON array: results of the last check of the DNS records
  hosting {TEXT},                        -- JSON object: zone and name servers
  hosting_at {I64},
  verified_at {I64},
  last_checked_at {I64},
  check_requested_at {I64},              -- when the owner last requested a check
  checks {I64} NOT NULL,                 -- number of checks, for their schedule
  rotation_announced {I64} NOT NULL,     -- 1: the event about a due rotation was written
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE UNIQUE INDEX mail_domains_name ON mail_domains (workspace_id, name);
-- Finds the owner of a name, and keeps it to one.
CREATE UNIQUE INDEX mail_domains_owner ON mail_domains (name) WHERE owned = 1;
CREATE INDEX mail_domains_list ON mail_domains (workspace_id, created_at, id);

-- DKIM keys of custom domains.
-- @kept data of the workspace
CREATE TABLE domain_keys (
  workspace_id {ID} NOT NULL,
  domain_id {ID} NOT NULL,
  selector {TEXT} NOT NULL,              -- s1 | s2 (RSA), s1e | s2e (Ed25519)
  private_key {BLOB} NOT NULL,           -- sealed
  record {TEXT} NOT NULL,                -- the TXT record to publish
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, domain_id, selector)
){STRICT};

-- DKIM keys of the served domains.
-- @row StoredDkimKey
-- @kept data of the server, not of a workspace
CREATE TABLE dkim_keys (
  domain {TEXT} NOT NULL,
  selector {TEXT} NOT NULL,
  algorithm {TEXT} NOT NULL,             -- rsa-sha256 | ed25519-sha256
  private_key {BLOB} NOT NULL,           -- sealed
  record {TEXT} NOT NULL,                -- the TXT record to publish
  active {I64} NOT NULL,                 -- @field=none
  created_at {I64} NOT NULL,
  PRIMARY KEY (domain, selector, algorithm)
){STRICT};

-- Keys that agents hold. Retired and revoked ones stay, so that signatures can be checked and none is registered twice.
-- @row AgentKey
-- @kept with the workspace, so that signatures can be checked and no key is registered twice
CREATE TABLE agent_keys (
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  kid {TEXT} NOT NULL,                   -- RFC 7638 thumbprint
  public_key {TEXT} NOT NULL,            -- @field=public JWK without optional members
  created_at {I64} NOT NULL,
  retired_at {I64},
  revoked_at {I64},                      -- from when on signatures are invalid; may be before the revocation
  revocation_reason {TEXT},
  last_used_at {I64},
  PRIMARY KEY (workspace_id, inbox_id, kid)
){STRICT};

-- Nonces of signatures and proofs of agents, until these are too old to be used again.
-- @kept for five minutes
CREATE TABLE agent_nonces (
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  kid {TEXT} NOT NULL,
  nonce {TEXT} NOT NULL,
  expires_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id, kid, nonce)
){STRICT};
CREATE INDEX agent_nonces_age ON agent_nonces (expires_at);

-- Signing keys of the service (ES256), with the public parts of old ones, because their signatures stay valid.
-- @row StoredSigningKey
-- @kept data of the server, not of a workspace
CREATE TABLE signing_keys (
  purpose {TEXT} NOT NULL,               -- agent_messages | identity
  generation {I64} NOT NULL,             -- 1, 2, ...: two processes that rotate at once make the same generation
  kid {TEXT} NOT NULL,                   -- RFC 7638 thumbprint
  public_key {TEXT} NOT NULL,            -- JWK with crv, kty, x and y
  private_key {BLOB},                    -- sealed; null a day after the key stopped signing
  created_at {I64} NOT NULL,             -- @field=times
  signs_from {I64} NOT NULL,             -- @field=times later than created_at, so that the key is known before it signs
  retired_at {I64},                      -- @field=times when its successor begins to sign
  revoked_at {I64},                      -- @field=times
  PRIMARY KEY (purpose, generation)
){STRICT};
CREATE UNIQUE INDEX signing_keys_kid ON signing_keys (kid);

-- Accounts at certificate authorities (RFC 8555), one per directory.
-- @kept data of the server, not of a workspace
CREATE TABLE acme_accounts (
  directory {TEXT} NOT NULL PRIMARY KEY, -- URL
  credentials {BLOB} NOT NULL,           -- sealed: key and URL of the account
  created_at {I64} NOT NULL
){STRICT};

-- Responses to HTTP challenges of certificate authorities (RFC 8555 section 8.3), for a day.
-- @kept data of the server, not of a workspace
CREATE TABLE acme_challenges (
  token {TEXT} NOT NULL PRIMARY KEY,
  answer {TEXT} NOT NULL,
  created_at {I64} NOT NULL
){STRICT};

-- Certificates by ACME, one row for each set of names at each directory.
-- @row StoredCertificate
-- @kept data of the server, not of a workspace
CREATE TABLE acme_certificates (
  id {ID} NOT NULL PRIMARY KEY,          -- @field=none derived from directory and names
  names {TEXT} NOT NULL,                 -- @field=none separated by spaces
  chain {TEXT},                          -- PEM; null until the first is issued
  private_key {BLOB},                    -- sealed
  not_after {I64},
  obtained_at {I64},                     -- @field=none
  failures {I64} NOT NULL,               -- failed attempts since the last success
  last_error {TEXT},                     -- why the last attempt failed
  tried_at {I64}
){STRICT};

-- The server ------------------------------------------------------------------------------------------------------

-- Senders that greylisting deferred, and those that came back. Networks and addresses are hashed.
-- @row GreylistRecord
-- @kept data of the server, not of a workspace
CREATE TABLE greylist (
  id {BLOB} NOT NULL PRIMARY KEY,        -- @field=none hash of the client's network, or of it with sender and recipient
  seen_at {I64} NOT NULL,                -- first seen
  passed_at {I64},                       -- came back in time
  expires_at {I64} NOT NULL
){STRICT};
CREATE INDEX greylist_expiry ON greylist (expires_at);

-- Durable work. A job holds IDs, not facts; the reconciliation sweep recreates lost jobs.
-- @kept until it has run; holds IDs only, and a job without its record ends
CREATE TABLE jobs (
  id {ID} NOT NULL PRIMARY KEY,
  kind {TEXT} NOT NULL,
  workspace_id {ID} NOT NULL,
  subject_id {ID} NOT NULL,              -- the record that the job is about
  job_group {TEXT} NOT NULL,             -- jobs that share a concurrency limit: the destination of outbound mail
  run_at {I64} NOT NULL,
  attempt {I64} NOT NULL,
  attempt_max {I64} NOT NULL,
  lease_token {ID},                      -- fencing token
  lease_until {I64},
  state {TEXT} NOT NULL,                 -- ready | leased | dead
  why {TEXT} NOT NULL,                   -- why it runs, waits or is dead
  created_at {I64} NOT NULL
){STRICT};
-- One live job per kind and subject.
CREATE UNIQUE INDEX jobs_subject ON jobs (kind, subject_id) WHERE state <> 'dead';
CREATE INDEX jobs_due ON jobs (kind, run_at) WHERE state = 'ready';
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE state = 'leased';
-- Lets workspaces and groups take turns when many jobs are due.
CREATE INDEX jobs_groups ON jobs (kind, workspace_id, job_group, run_at) WHERE state = 'ready';
CREATE INDEX jobs_dead ON jobs (kind, subject_id) WHERE state = 'dead';
