CREATE TABLE acme_accounts (
  directory TEXT NOT NULL PRIMARY KEY,
  credentials BLOB NOT NULL,
  created_at INTEGER NOT NULL)STRICT;
CREATE TABLE acme_certificates (
  id BLOB NOT NULL PRIMARY KEY,
  names TEXT NOT NULL,
  chain TEXT,
  private_key BLOB,
  not_after INTEGER,
  obtained_at INTEGER,
  failures INTEGER NOT NULL,
  last_error TEXT,
  tried_at INTEGER)STRICT;
CREATE TABLE acme_challenges (
  token TEXT NOT NULL PRIMARY KEY,
  answer TEXT NOT NULL,
  created_at INTEGER NOT NULL)STRICT;
CREATE TABLE addresses (
  address TEXT NOT NULL PRIMARY KEY,
  workspace_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL)STRICT;
CREATE TABLE agent_cards (
  workspace_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  skills TEXT NOT NULL,
  accepts_types TEXT NOT NULL,
  languages TEXT NOT NULL,
  input_modes TEXT NOT NULL,
  documentation_url TEXT,
  visibility TEXT NOT NULL,
  handle TEXT,
  indexable INTEGER NOT NULL,
  listing TEXT,
  listing_problems TEXT NOT NULL,
  listed_at INTEGER,
  revoked_at INTEGER,
  revocation_reason TEXT,
  number INTEGER NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id))STRICT;
CREATE UNIQUE INDEX agent_cards_handle ON agent_cards (workspace_id, handle) WHERE handle IS NOT NULL;
CREATE INDEX agent_cards_pending ON agent_cards (listing) WHERE listing = 'pending';
CREATE INDEX agent_cards_public ON agent_cards (workspace_id) WHERE visibility = 'public';
CREATE TABLE agent_keys (
  workspace_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  kid TEXT NOT NULL,
  public_key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  retired_at INTEGER,
  revoked_at INTEGER,
  revocation_reason TEXT,
  last_used_at INTEGER,
  PRIMARY KEY (workspace_id, inbox_id, kid))STRICT;
CREATE TABLE agent_nonces (
  workspace_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  kid TEXT NOT NULL,
  nonce TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id, kid, nonce))STRICT;
CREATE INDEX agent_nonces_age ON agent_nonces (expires_at);
CREATE TABLE agent_reports (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  agent_workspace_id BLOB NOT NULL,
  agent_id BLOB NOT NULL,
  reason TEXT NOT NULL,
  details TEXT,
  message_id BLOB,
  counts INTEGER NOT NULL,
  network BLOB,
  created_at INTEGER NOT NULL,
  settled_at INTEGER,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX agent_reports_age ON agent_reports (created_at);
CREATE INDEX agent_reports_agent ON agent_reports (agent_id, created_at);
CREATE INDEX agent_reports_day ON agent_reports (workspace_id, created_at);
CREATE INDEX agent_reports_message ON agent_reports (workspace_id, message_id) WHERE message_id IS NOT NULL;
CREATE TABLE agent_sanctions (
  workspace_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  kind TEXT NOT NULL,
  reason TEXT,
  parties TEXT NOT NULL,
  review_requested_at INTEGER,
  review_note TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id))STRICT;
CREATE TABLE ai_checks (
  workspace_id BLOB NOT NULL,
  day INTEGER NOT NULL,
  checks INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, day))STRICT;
CREATE TABLE api_keys (
  workspace_id BLOB NOT NULL REFERENCES workspaces(id),
  id BLOB NOT NULL,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  digest BLOB NOT NULL UNIQUE,
  scope TEXT NOT NULL,
  inbox_id BLOB,
  member_id BLOB,
  permissions TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  last_used_ip TEXT,
  last_used_user_agent TEXT,
  revoked_at INTEGER,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX api_keys_inbox ON api_keys (workspace_id, inbox_id) WHERE inbox_id IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX api_keys_member ON api_keys (workspace_id, member_id) WHERE member_id IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX api_keys_page ON api_keys (workspace_id, created_at, id);
CREATE TABLE attachment_texts (
  workspace_id BLOB NOT NULL,
  attachment_id BLOB NOT NULL,
  part INTEGER NOT NULL,
  message_id BLOB NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (workspace_id, attachment_id, part))STRICT;
CREATE INDEX attachment_texts_message ON attachment_texts (workspace_id, message_id);
CREATE TABLE attachments (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  position INTEGER NOT NULL,
  filename TEXT,
  content_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 BLOB NOT NULL,
  content_id TEXT,
  inline INTEGER NOT NULL,
  extraction TEXT,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX attachments_message ON attachments (workspace_id, message_id, position);
CREATE INDEX attachments_sha256 ON attachments (workspace_id, sha256);
CREATE TABLE cancelled_waits (
  workspace_id BLOB NOT NULL,
  digest BLOB NOT NULL,
  ends_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, digest))STRICT;
CREATE INDEX cancelled_waits_end ON cancelled_waits (ends_at);
CREATE TABLE card_index (
  number INTEGER NOT NULL,
  workspace_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  is_public INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (number))STRICT;
CREATE UNIQUE INDEX card_index_agent ON card_index (workspace_id, inbox_id);
CREATE INDEX card_index_public ON card_index (number) WHERE is_public = 1;
CREATE INDEX card_index_workspace ON card_index (workspace_id, number);
CREATE VIRTUAL TABLE card_words USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii');
CREATE TABLE 'card_words_config'(
  k PRIMARY KEY,
  v) WITHOUT ROWID;
CREATE TABLE 'card_words_data'(
  id INTEGER PRIMARY KEY,
  block BLOB);
CREATE TABLE 'card_words_docsize'(
  id INTEGER PRIMARY KEY,
  sz BLOB,
  origin INTEGER);
CREATE TABLE 'card_words_idx'(
  segid,
  term,
  pgno,
  PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE confirmation_requests (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  address BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX confirmation_requests_age ON confirmation_requests (created_at);
CREATE INDEX confirmation_requests_of_address ON confirmation_requests (address, created_at);
CREATE INDEX confirmation_requests_of_workspace ON confirmation_requests (workspace_id, created_at);
CREATE TABLE connector_clients (
  client_id TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  uri TEXT,
  redirect_uris TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL)STRICT;
CREATE INDEX connector_clients_expiry ON connector_clients (kind, expires_at);
CREATE TABLE connector_inboxes (
  workspace_id BLOB NOT NULL,
  connector_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  PRIMARY KEY (workspace_id, connector_id, inbox_id))STRICT, WITHOUT ROWID;
CREATE INDEX connector_inboxes_inbox ON connector_inboxes (workspace_id, inbox_id);
CREATE TABLE connector_tokens (
  workspace_id BLOB NOT NULL,
  digest BLOB NOT NULL,
  connector_id BLOB NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, digest))STRICT;
CREATE INDEX connector_tokens_connector ON connector_tokens (workspace_id, connector_id, expires_at);
CREATE UNIQUE INDEX connector_tokens_digest ON connector_tokens (digest);
CREATE INDEX connector_tokens_expiry ON connector_tokens (expires_at);
CREATE TABLE connectors (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  client_id TEXT NOT NULL,
  client_kind TEXT NOT NULL,
  client_name TEXT NOT NULL,
  client_uri TEXT,
  redirect_uri TEXT NOT NULL,
  user_id BLOB NOT NULL,
  reach TEXT NOT NULL,
  permissions TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at INTEGER NOT NULL,
  code_sha256 BLOB NOT NULL UNIQUE,
  code_challenge TEXT NOT NULL,
  code_expires_at INTEGER NOT NULL,
  code_used_at INTEGER,
  family_sha256 BLOB UNIQUE,
  refresh_sha256 BLOB,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX connectors_expiry ON connectors (expires_at);
CREATE INDEX connectors_list ON connectors (workspace_id, created_at, id);
CREATE INDEX connectors_user ON connectors (workspace_id, user_id);
CREATE TABLE contact_labels (
  workspace_id BLOB NOT NULL,
  label TEXT NOT NULL,
  contact_id BLOB NOT NULL,
  PRIMARY KEY (workspace_id, label, contact_id))STRICT;
CREATE INDEX contact_labels_contact ON contact_labels (workspace_id, contact_id);
CREATE TABLE contact_metadata (
  workspace_id BLOB NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  contact_id BLOB NOT NULL,
  PRIMARY KEY (workspace_id, key, value, contact_id))STRICT;
CREATE INDEX contact_metadata_contact ON contact_metadata (workspace_id, contact_id);
CREATE TABLE contacts (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  address TEXT NOT NULL,
  domain TEXT NOT NULL,
  name TEXT,
  name_source TEXT NOT NULL,
  kind TEXT NOT NULL,
  kind_source TEXT NOT NULL,
  notes TEXT,
  metadata TEXT NOT NULL,
  labels TEXT NOT NULL,
  message_count INTEGER NOT NULL,
  last_subject TEXT,
  last_subject_inbox_id BLOB,
  last_subject_at INTEGER,
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  haystack TEXT NOT NULL,
  corresponded_at INTEGER,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE UNIQUE INDEX contacts_address ON contacts (workspace_id, address);
CREATE INDEX contacts_domain ON contacts (workspace_id, domain, last_seen_at, id);
CREATE INDEX contacts_seen ON contacts (workspace_id, last_seen_at, id);
CREATE TABLE contents (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  raw BLOB,
  raw_blob TEXT,
  raw_bytes INTEGER NOT NULL,
  text TEXT,
  html TEXT,
  extracted_text TEXT,
  extracted_is_text INTEGER NOT NULL,
  headers TEXT NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX contents_blob ON contents (raw_blob) WHERE raw_blob IS NOT NULL;
CREATE TABLE delivery_attempts (
  workspace_id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  position INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  smtp_code INTEGER,
  enhanced_code TEXT,
  remote TEXT,
  detail TEXT,
  class TEXT,
  tls TEXT,
  next_attempt_at INTEGER,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, message_id, position, attempt))STRICT, WITHOUT ROWID;
CREATE TABLE dkim_keys (
  domain TEXT NOT NULL,
  selector TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  private_key BLOB NOT NULL,
  record TEXT NOT NULL,
  active INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (domain, selector, algorithm))STRICT;
CREATE TABLE domain_keys (
  workspace_id BLOB NOT NULL,
  domain_id BLOB NOT NULL,
  selector TEXT NOT NULL,
  private_key BLOB NOT NULL,
  record TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, domain_id, selector))STRICT;
CREATE TABLE draft_files (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  draft_id BLOB NOT NULL,
  position INTEGER NOT NULL,
  filename TEXT NOT NULL,
  content_type TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 BLOB NOT NULL,
  content BLOB,
  content_blob TEXT,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX draft_files_blob ON draft_files (content_blob) WHERE content_blob IS NOT NULL;
CREATE INDEX draft_files_draft ON draft_files (workspace_id, draft_id, position);
CREATE TABLE draft_metadata (
  workspace_id BLOB NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  draft_id BLOB NOT NULL,
  PRIMARY KEY (workspace_id, key, value, draft_id))STRICT;
CREATE INDEX draft_metadata_draft ON draft_metadata (workspace_id, draft_id);
CREATE TABLE drafts (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  status TEXT NOT NULL,
  revision INTEGER NOT NULL,
  answers BLOB,
  thread_id BLOB,
  reply_all INTEGER NOT NULL,
  to_list TEXT NOT NULL,
  cc_list TEXT NOT NULL,
  bcc_list TEXT NOT NULL,
  subject TEXT,
  text TEXT,
  html TEXT,
  data TEXT,
  type TEXT NOT NULL,
  labels TEXT NOT NULL,
  metadata TEXT NOT NULL,
  source TEXT NOT NULL,
  send_at INTEGER,
  sent_at INTEGER,
  sent_message_id BLOB,
  approved_by_type TEXT,
  approved_by_id TEXT,
  approved_by_label TEXT,
  approved_at INTEGER,
  approved_content_sha256 BLOB,
  sent_back TEXT,
  error_code TEXT,
  error_message TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  origins TEXT NOT NULL DEFAULT '[]',
  hold TEXT,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX drafts_inbox ON drafts (workspace_id, inbox_id, created_at, id);
CREATE INDEX drafts_inbox_status ON drafts (workspace_id, inbox_id, status, created_at, id);
CREATE INDEX drafts_list ON drafts (workspace_id, created_at, id);
CREATE INDEX drafts_pending ON drafts (workspace_id, inbox_id) WHERE status IN ('draft', 'failed');
CREATE INDEX drafts_scheduled ON drafts (send_at) WHERE status = 'scheduled';
CREATE INDEX drafts_status ON drafts (workspace_id, status, created_at, id);
CREATE INDEX drafts_thread ON drafts (workspace_id, thread_id, created_at, id) WHERE thread_id IS NOT NULL;
CREATE TABLE envelopes (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  destination TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  signatures TEXT,
  signed_with BLOB,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX envelopes_message ON envelopes (workspace_id, message_id);
CREATE TABLE escalation_settings (
  workspace_id BLOB NOT NULL PRIMARY KEY,
  triggers TEXT NOT NULL,
  delivery TEXT NOT NULL,
  max_per_hour INTEGER NOT NULL,
  quiet_start INTEGER,
  quiet_end INTEGER,
  quiet_zone TEXT,
  include_excerpt INTEGER NOT NULL)STRICT;
CREATE TABLE escalations (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  cause TEXT NOT NULL,
  message_id BLOB,
  draft_id BLOB,
  digest_at INTEGER,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX escalations_of_cause ON escalations (workspace_id, inbox_id, cause);
CREATE INDEX escalations_of_draft ON escalations (workspace_id, draft_id) WHERE draft_id IS NOT NULL;
CREATE INDEX escalations_of_message ON escalations (workspace_id, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX escalations_waiting ON escalations (workspace_id, created_at, id);
CREATE TABLE events (
  workspace_id BLOB NOT NULL,
  seq INTEGER NOT NULL,
  id BLOB NOT NULL,
  type TEXT NOT NULL,
  inbox_id BLOB,
  thread_id BLOB,
  message_id BLOB,
  detail TEXT NOT NULL,
  released INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, seq))STRICT;
CREATE INDEX events_age ON events (created_at);
CREATE UNIQUE INDEX events_id ON events (workspace_id, id);
CREATE INDEX events_inbox ON events (workspace_id, inbox_id, seq);
CREATE TABLE extraction_usage (
  workspace_id BLOB NOT NULL PRIMARY KEY,
  month INTEGER NOT NULL,
  texts INTEGER NOT NULL,
  structured INTEGER NOT NULL)STRICT, WITHOUT ROWID;
CREATE TABLE file_links (
  workspace_id BLOB NOT NULL,
  digest BLOB NOT NULL,
  key_id BLOB,
  session_id BLOB,
  connector_id BLOB,
  direction TEXT NOT NULL,
  call TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, digest))STRICT;
CREATE UNIQUE INDEX file_links_digest ON file_links (digest);
CREATE INDEX file_links_expiry ON file_links (expires_at);
CREATE TABLE forgotten_contacts (
  workspace_id BLOB NOT NULL,
  digest BLOB NOT NULL,
  PRIMARY KEY (workspace_id, digest))STRICT;
CREATE TABLE forwarding_addresses (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  address TEXT NOT NULL,
  skip_flagged INTEGER NOT NULL,
  token_sha256 BLOB NOT NULL,
  token_expires_at INTEGER NOT NULL,
  confirmed_at INTEGER,
  confirmation_sent_at INTEGER NOT NULL,
  last_forwarded_at INTEGER,
  forwarded_count INTEGER NOT NULL,
  error_code TEXT,
  error_message TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE UNIQUE INDEX forwarding_addresses_of_inbox ON forwarding_addresses (workspace_id, inbox_id, address);
CREATE UNIQUE INDEX forwarding_addresses_token ON forwarding_addresses (token_sha256);
CREATE TABLE forwards (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  address_id BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX forwards_of_address ON forwards (workspace_id, address_id);
CREATE INDEX forwards_of_message ON forwards (workspace_id, message_id);
CREATE TABLE greylist (
  id BLOB NOT NULL PRIMARY KEY,
  seen_at INTEGER NOT NULL,
  passed_at INTEGER,
  expires_at INTEGER NOT NULL)STRICT;
CREATE INDEX greylist_expiry ON greylist (expires_at);
CREATE TABLE handles (
  handle TEXT NOT NULL PRIMARY KEY,
  workspace_id BLOB NOT NULL,
  skeleton TEXT NOT NULL,
  state TEXT NOT NULL,
  redirect_until INTEGER,
  created_at INTEGER NOT NULL)STRICT;
CREATE UNIQUE INDEX handles_current ON handles (workspace_id) WHERE state = 'current';
CREATE INDEX handles_skeleton ON handles (skeleton, workspace_id);
CREATE INDEX handles_workspace ON handles (workspace_id, state, redirect_until);
CREATE TABLE held_events (
  workspace_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  id BLOB NOT NULL,
  type TEXT NOT NULL,
  thread_id BLOB,
  message_id BLOB,
  detail TEXT NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id, created_at, id))STRICT;
CREATE TABLE idempotency (
  workspace_id BLOB NOT NULL,
  scope_id BLOB NOT NULL,
  route TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, scope_id, route, key))STRICT;
CREATE INDEX idempotency_age ON idempotency (created_at);
CREATE TABLE identity_access_tokens (
  workspace_id BLOB NOT NULL,
  digest BLOB NOT NULL,
  client_id TEXT NOT NULL,
  inbox_id BLOB NOT NULL,
  scope TEXT NOT NULL,
  request_id BLOB,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, digest))STRICT;
CREATE INDEX identity_access_tokens_age ON identity_access_tokens (expires_at);
CREATE INDEX identity_access_tokens_client ON identity_access_tokens (client_id);
CREATE UNIQUE INDEX identity_access_tokens_digest ON identity_access_tokens (digest);
CREATE INDEX identity_access_tokens_inbox ON identity_access_tokens (workspace_id, inbox_id);
CREATE INDEX identity_access_tokens_request ON identity_access_tokens (request_id) WHERE request_id IS NOT NULL;
CREATE TABLE identity_apps (
  workspace_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  client_id TEXT NOT NULL,
  name TEXT NOT NULL,
  homepage_url TEXT,
  last_signed_in_at INTEGER NOT NULL,
  sign_ins INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id, client_id))STRICT, WITHOUT ROWID;
CREATE TABLE identity_clients (
  workspace_id BLOB NOT NULL REFERENCES workspaces(id),
  id BLOB NOT NULL,
  client_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  redirect_uris TEXT NOT NULL,
  allowed_scopes TEXT NOT NULL,
  subject_type TEXT NOT NULL,
  subject_salt BLOB NOT NULL,
  homepage_url TEXT,
  secret_prefix TEXT,
  secret_sha256 BLOB,
  enabled INTEGER NOT NULL,
  last_used_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX identity_clients_list ON identity_clients (workspace_id, created_at, id);
CREATE TABLE identity_preapprovals (
  workspace_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  client_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id, client_id))STRICT, WITHOUT ROWID;
CREATE TABLE identity_requests (
  id BLOB NOT NULL PRIMARY KEY,
  secret_sha256 BLOB NOT NULL UNIQUE,
  code_sha256 BLOB NOT NULL UNIQUE,
  user_code TEXT NOT NULL UNIQUE,
  client_id TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  scope TEXT NOT NULL,
  state TEXT,
  nonce TEXT,
  code_challenge TEXT,
  hinted_id BLOB,
  status TEXT NOT NULL,
  workspace_id BLOB,
  inbox_id BLOB,
  approved_at INTEGER,
  code_expires_at INTEGER,
  used_at INTEGER,
  ip TEXT NOT NULL,
  network TEXT NOT NULL,
  user_agent TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  kept_until INTEGER NOT NULL)STRICT;
CREATE INDEX identity_requests_age ON identity_requests (kept_until);
CREATE INDEX identity_requests_client ON identity_requests (client_id, expires_at);
CREATE INDEX identity_requests_hinted ON identity_requests (hinted_id, expires_at) WHERE hinted_id IS NOT NULL;
CREATE INDEX identity_requests_network ON identity_requests (client_id, network, expires_at);
CREATE INDEX identity_requests_workspace ON identity_requests (workspace_id) WHERE workspace_id IS NOT NULL;
CREATE TABLE identity_sign_ins (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  client_id TEXT NOT NULL,
  client_name TEXT NOT NULL,
  event TEXT NOT NULL,
  flow TEXT NOT NULL,
  jti TEXT NOT NULL,
  scope TEXT NOT NULL,
  ip TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX identity_sign_ins_age ON identity_sign_ins (created_at);
CREATE INDEX identity_sign_ins_list ON identity_sign_ins (workspace_id, inbox_id, created_at, id);
CREATE UNIQUE INDEX identity_sign_ins_token ON identity_sign_ins (jti, event);
CREATE TABLE inbox_escalation_settings (
  workspace_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  overrides INTEGER NOT NULL,
  triggers TEXT,
  PRIMARY KEY (workspace_id, inbox_id))STRICT;
CREATE TABLE inbox_metadata (
  workspace_id BLOB NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  inbox_id BLOB NOT NULL,
  PRIMARY KEY (workspace_id, key, value, inbox_id))STRICT;
CREATE INDEX inbox_metadata_inbox ON inbox_metadata (workspace_id, inbox_id);
CREATE TABLE inbox_usage (
  workspace_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  day INTEGER NOT NULL,
  sent INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id))STRICT, WITHOUT ROWID;
CREATE TABLE inboxes (
  workspace_id BLOB NOT NULL REFERENCES workspaces(id),
  id BLOB NOT NULL,
  kind TEXT NOT NULL,
  address TEXT NOT NULL,
  username TEXT NOT NULL,
  domain TEXT NOT NULL,
  display_name TEXT,
  client_id TEXT,
  metadata TEXT NOT NULL,
  temporary INTEGER NOT NULL,
  expires_at INTEGER,
  status TEXT NOT NULL,
  paused_at INTEGER,
  paused_reason TEXT,
  promotions_filter INTEGER,
  identity_enabled INTEGER NOT NULL DEFAULT 1,
  last_message_at INTEGER NOT NULL,
  message_count INTEGER NOT NULL DEFAULT 0,
  stored_bytes INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER,
  screening INTEGER,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE UNIQUE INDEX inboxes_client_id ON inboxes (workspace_id, kind, client_id) WHERE client_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX inboxes_domain ON inboxes (workspace_id, domain) WHERE deleted_at IS NULL;
CREATE INDEX inboxes_expiring ON inboxes (expires_at) WHERE temporary = 1 AND deleted_at IS NULL;
CREATE INDEX inboxes_list ON inboxes (workspace_id, kind, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX inboxes_temporary ON inboxes (workspace_id, created_at) WHERE temporary = 1;
CREATE TABLE instance (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL)STRICT;
CREATE TABLE jobs (
  id BLOB NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  workspace_id BLOB NOT NULL,
  subject_id BLOB NOT NULL,
  job_group TEXT NOT NULL,
  run_at INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  attempt_max INTEGER NOT NULL,
  lease_token BLOB,
  lease_until INTEGER,
  state TEXT NOT NULL,
  why TEXT NOT NULL,
  created_at INTEGER NOT NULL)STRICT;
CREATE INDEX jobs_dead ON jobs (kind, subject_id) WHERE state = 'dead';
CREATE INDEX jobs_due ON jobs (kind, run_at) WHERE state = 'ready';
CREATE INDEX jobs_groups ON jobs (kind, workspace_id, job_group, run_at) WHERE state = 'ready';
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE state = 'leased';
CREATE UNIQUE INDEX jobs_subject ON jobs (kind, subject_id) WHERE state <> 'dead';
CREATE TABLE knowledge_citations (
  workspace_id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  document_id BLOB NOT NULL,
  version INTEGER NOT NULL,
  draft_id BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, message_id, document_id, created_at))STRICT;
CREATE INDEX knowledge_citations_document ON knowledge_citations (workspace_id, document_id, created_at);
CREATE TABLE knowledge_documents (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  source_id TEXT,
  title TEXT NOT NULL,
  excerpt TEXT NOT NULL,
  chars INTEGER NOT NULL,
  version INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX knowledge_documents_inbox ON knowledge_documents (workspace_id, inbox_id, created_at, id);
CREATE INDEX knowledge_documents_list ON knowledge_documents (workspace_id, created_at, id);
CREATE INDEX knowledge_documents_revision ON knowledge_documents (workspace_id, revision, chars);
CREATE UNIQUE INDEX knowledge_documents_source ON knowledge_documents (workspace_id, inbox_id, source_id);
CREATE TABLE knowledge_heads (
  workspace_id BLOB NOT NULL PRIMARY KEY,
  revision INTEGER NOT NULL)STRICT;
CREATE TABLE knowledge_passages (
  workspace_id BLOB NOT NULL,
  document_id BLOB NOT NULL,
  model TEXT NOT NULL,
  passages BLOB NOT NULL,
  PRIMARY KEY (workspace_id, document_id))STRICT;
CREATE TABLE knowledge_versions (
  workspace_id BLOB NOT NULL,
  document_id BLOB NOT NULL,
  version INTEGER NOT NULL,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, document_id, version))STRICT;
CREATE TABLE list_entries (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  direction TEXT NOT NULL,
  kind TEXT NOT NULL,
  pattern TEXT NOT NULL,
  type TEXT NOT NULL,
  require_auth INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX list_entries_kind ON list_entries (workspace_id, direction, inbox_id, kind);
CREATE UNIQUE INDEX list_entries_pattern ON list_entries (workspace_id, direction, inbox_id, pattern, kind);
CREATE TABLE local_deliveries (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  sender_workspace_id BLOB NOT NULL,
  sender_inbox_id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  content_id BLOB NOT NULL,
  mail_from TEXT NOT NULL,
  requested TEXT,
  signed TEXT,
  disclosed INTEGER NOT NULL,
  recipients TEXT NOT NULL,
  state TEXT NOT NULL,
  missing TEXT NOT NULL,
  detail TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX local_deliveries_order ON local_deliveries (workspace_id, sender_inbox_id, created_at);
CREATE INDEX local_deliveries_sender ON local_deliveries (sender_workspace_id);
CREATE TABLE mail_domains (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL,
  owned INTEGER NOT NULL,
  receiving INTEGER NOT NULL,
  token TEXT NOT NULL,
  active_selector TEXT NOT NULL,
  active_since INTEGER NOT NULL,
  next_selector TEXT,
  next_started_at INTEGER,
  previous_selector TEXT,
  previous_retire_at INTEGER,
  checked TEXT NOT NULL,
  hosting TEXT,
  hosting_at INTEGER,
  verified_at INTEGER,
  last_checked_at INTEGER,
  check_requested_at INTEGER,
  checks INTEGER NOT NULL,
  rotation_announced INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX mail_domains_list ON mail_domains (workspace_id, created_at, id);
CREATE UNIQUE INDEX mail_domains_name ON mail_domains (workspace_id, name);
CREATE UNIQUE INDEX mail_domains_owner ON mail_domains (name) WHERE owned = 1;
CREATE TABLE members (
  workspace_id BLOB NOT NULL REFERENCES workspaces(id),
  user_id BLOB NOT NULL,
  role TEXT NOT NULL,
  joined_at INTEGER,
  created_at INTEGER NOT NULL,
  invitation_id BLOB UNIQUE,
  invited_by TEXT,
  inviter_id BLOB,
  invited_at INTEGER,
  invitation_expires_at INTEGER,
  PRIMARY KEY (workspace_id, user_id))STRICT, WITHOUT ROWID;
CREATE INDEX members_user ON members (user_id, workspace_id);
CREATE TABLE message_approvals (
  workspace_id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  draft_id BLOB NOT NULL,
  by_type TEXT NOT NULL,
  by_id TEXT,
  by_label TEXT NOT NULL,
  approved_at INTEGER NOT NULL,
  content_sha256 BLOB NOT NULL,
  PRIMARY KEY (workspace_id, message_id))STRICT;
CREATE TABLE message_labels (
  workspace_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  message_id BLOB NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id, label, created_at))STRICT;
CREATE TABLE messages (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  thread_id BLOB NOT NULL,
  content_id BLOB NOT NULL,
  direction TEXT NOT NULL,
  status TEXT NOT NULL,
  channel TEXT NOT NULL,
  type TEXT NOT NULL,
  rfc_message_id TEXT NOT NULL,
  in_reply_to TEXT,
  refs TEXT NOT NULL,
  from_text TEXT NOT NULL,
  to_list TEXT NOT NULL,
  cc_list TEXT NOT NULL,
  bcc_list TEXT NOT NULL,
  reply_to TEXT,
  reply_to_unproven INTEGER NOT NULL,
  author_proven INTEGER NOT NULL,
  subject TEXT,
  labels TEXT NOT NULL,
  is_read INTEGER NOT NULL,
  auto_reply INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  trace TEXT NOT NULL,
  verification TEXT,
  data TEXT,
  agent TEXT,
  author TEXT,
  disclosure TEXT,
  answers BLOB,
  contact_address TEXT,
  has_attachments INTEGER NOT NULL,
  masked_links INTEGER NOT NULL DEFAULT 0,
  held TEXT,
  released_at INTEGER,
  status_at INTEGER NOT NULL,
  sent_at INTEGER,
  received_at INTEGER,
  created_at INTEGER NOT NULL,
  released_by TEXT,
  analysis TEXT,
  analysis_due INTEGER,
  analyzed_at INTEGER,
  opened_at INTEGER,
  local_check TEXT,
  pending_position INTEGER,
  held_position INTEGER,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX messages_analysis_due ON messages (analysis_due) WHERE analysis_due IS NOT NULL;
CREATE INDEX messages_answers ON messages (workspace_id, answers) WHERE answers IS NOT NULL;
CREATE INDEX messages_bounced ON messages (workspace_id, inbox_id, status_at) WHERE status = 'bounced';
CREATE INDEX messages_codes ON messages (workspace_id, created_at) WHERE verification IS NOT NULL;
CREATE INDEX messages_content ON messages (workspace_id, content_id);
CREATE INDEX messages_held ON messages (workspace_id, created_at, id) WHERE held IS NOT NULL;
CREATE INDEX messages_held_in_inbox ON messages (workspace_id, inbox_id, created_at) WHERE held IS NOT NULL;
CREATE INDEX messages_held_position ON messages (workspace_id, inbox_id, held_position) WHERE held_position IS NOT NULL;
CREATE UNIQUE INDEX messages_inbox ON messages (workspace_id, inbox_id, created_at);
CREATE INDEX messages_outbound ON messages (workspace_id, created_at) WHERE direction = 'outbound';
CREATE INDEX messages_pending_position ON messages (workspace_id, inbox_id, pending_position) WHERE pending_position IS NOT NULL;
CREATE INDEX messages_rfc_id ON messages (workspace_id, inbox_id, rfc_message_id);
CREATE INDEX messages_status ON messages (workspace_id, inbox_id, status, created_at) WHERE status <> 'received';
CREATE INDEX messages_thread ON messages (workspace_id, thread_id, created_at);
CREATE INDEX messages_unread ON messages (workspace_id, inbox_id, created_at) WHERE is_read = 0;
CREATE INDEX messages_unread_in_thread ON messages (workspace_id, thread_id) WHERE is_read = 0;
CREATE TABLE metric_bounce_classes (
  workspace_id BLOB NOT NULL,
  slot INTEGER NOT NULL,
  inbox_id BLOB NOT NULL,
  class TEXT NOT NULL,
  bounces INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, slot, inbox_id, class))STRICT;
CREATE INDEX metric_bounce_classes_age ON metric_bounce_classes (slot);
CREATE TABLE metric_bounces (
  workspace_id BLOB NOT NULL,
  slot INTEGER NOT NULL,
  inbox_id BLOB NOT NULL,
  reason TEXT NOT NULL,
  bounces INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, slot, inbox_id, reason))STRICT;
CREATE INDEX metric_bounces_age ON metric_bounces (slot);
CREATE TABLE metric_slots (
  workspace_id BLOB NOT NULL,
  slot INTEGER NOT NULL,
  inbox_id BLOB NOT NULL,
  sent INTEGER NOT NULL,
  received INTEGER NOT NULL,
  delivered INTEGER NOT NULL,
  bounced INTEGER NOT NULL,
  complained INTEGER NOT NULL,
  blocked INTEGER NOT NULL,
  spam INTEGER NOT NULL,
  unauthenticated INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, slot, inbox_id))STRICT;
CREATE INDEX metric_slots_age ON metric_slots (slot);
CREATE TABLE on_call_contacts (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  address TEXT NOT NULL,
  position INTEGER NOT NULL,
  token_sha256 BLOB,
  token_expires_at INTEGER,
  confirmed_at INTEGER,
  mail_due TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX on_call_contacts_due ON on_call_contacts (mail_due) WHERE mail_due IS NOT NULL;
CREATE UNIQUE INDEX on_call_contacts_of_inbox ON on_call_contacts (workspace_id, inbox_id, address);
CREATE UNIQUE INDEX on_call_contacts_token ON on_call_contacts (token_sha256);
CREATE TABLE on_call_mails (
  workspace_id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, message_id))STRICT;
CREATE INDEX on_call_mails_age ON on_call_mails (created_at);
CREATE INDEX on_call_mails_sent ON on_call_mails (workspace_id, kind, created_at);
CREATE TABLE pending_extractions (
  workspace_id BLOB NOT NULL,
  attachment_id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  PRIMARY KEY (workspace_id, attachment_id))STRICT, WITHOUT ROWID;
CREATE INDEX pending_extractions_message ON pending_extractions (workspace_id, message_id);
CREATE TABLE queue_items (
  workspace_id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  thread_id BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  channel TEXT NOT NULL,
  type TEXT NOT NULL,
  state TEXT NOT NULL,
  available_at INTEGER NOT NULL,
  lease_id BLOB,
  deliveries INTEGER NOT NULL,
  consumer TEXT,
  settled_at INTEGER,
  PRIMARY KEY (workspace_id, message_id))STRICT;
CREATE INDEX queue_items_dead ON queue_items (workspace_id, inbox_id) WHERE state = 'dead';
CREATE INDEX queue_items_gone ON queue_items (settled_at) WHERE state = 'gone';
CREATE INDEX queue_items_spent ON queue_items (available_at) WHERE state = 'open' AND deliveries >= 10;
CREATE INDEX queue_items_thread ON queue_items (workspace_id, thread_id, available_at) WHERE state = 'open';
CREATE INDEX queue_items_waiting ON queue_items (workspace_id, inbox_id, available_at, created_at) WHERE state = 'open';
CREATE TABLE queues (
  workspace_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  position INTEGER NOT NULL,
  changes INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id))STRICT;
CREATE TABLE recipients (
  workspace_id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  position INTEGER NOT NULL,
  envelope_id BLOB,
  address TEXT NOT NULL,
  channel TEXT NOT NULL,
  status TEXT NOT NULL,
  smtp_code INTEGER,
  enhanced_code TEXT,
  remote TEXT,
  detail TEXT,
  class TEXT,
  tls TEXT,
  attempts INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  origin TEXT,
  PRIMARY KEY (workspace_id, message_id, position))STRICT;
CREATE INDEX recipients_envelope ON recipients (workspace_id, envelope_id) WHERE envelope_id IS NOT NULL;
CREATE TABLE role_mail (
  workspace_id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  address TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, message_id))STRICT;
CREATE TABLE rules (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  inbox_id BLOB,
  enabled INTEGER NOT NULL,
  conditions TEXT NOT NULL,
  actions TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE TABLE schema_migrations (
  number INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL) STRICT;
CREATE TABLE screening_feedback (
  workspace_id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  reason TEXT NOT NULL,
  feedback TEXT NOT NULL,
  injection REAL,
  phishing REAL,
  model TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, message_id))STRICT;
CREATE TABLE search_docs (
  workspace_id BLOB NOT NULL,
  doc INTEGER NOT NULL,
  message_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  channel TEXT NOT NULL,
  type TEXT NOT NULL,
  has_attachments INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, doc))STRICT;
CREATE UNIQUE INDEX search_docs_message ON search_docs (workspace_id, message_id);
CREATE TABLE search_heads (
  workspace_id BLOB NOT NULL PRIMARY KEY,
  number INTEGER NOT NULL,
  seq INTEGER NOT NULL)STRICT;
CREATE TABLE search_pending (
  workspace_id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  PRIMARY KEY (workspace_id, message_id))STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE search_text USING fts5(words, content='', contentless_delete=1, tokenize='ascii');
CREATE TABLE 'search_text_config'(
  k PRIMARY KEY,
  v) WITHOUT ROWID;
CREATE TABLE 'search_text_data'(
  id INTEGER PRIMARY KEY,
  block BLOB);
CREATE TABLE 'search_text_docsize'(
  id INTEGER PRIMARY KEY,
  sz BLOB,
  origin INTEGER);
CREATE TABLE 'search_text_idx'(
  segid,
  term,
  pgno,
  PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE seen_addresses (
  workspace_id BLOB NOT NULL,
  address_key INTEGER NOT NULL,
  message_id BLOB NOT NULL,
  PRIMARY KEY (workspace_id, address_key, message_id))STRICT, WITHOUT ROWID;
CREATE INDEX seen_addresses_message ON seen_addresses (workspace_id, message_id);
CREATE TABLE seen_filters (
  workspace_id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  attachment_id BLOB NOT NULL,
  filter BLOB NOT NULL,
  PRIMARY KEY (workspace_id, message_id, attachment_id))STRICT;
CREATE TABLE sending_incidents (
  workspace_id BLOB NOT NULL,
  kind TEXT NOT NULL,
  party TEXT NOT NULL,
  happened_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, kind, party))STRICT;
CREATE INDEX sending_incidents_age ON sending_incidents (happened_at);
CREATE INDEX sending_incidents_window ON sending_incidents (workspace_id, kind, happened_at);
CREATE TABLE sending_recoveries (
  workspace_id BLOB NOT NULL PRIMARY KEY,
  recovered_at INTEGER NOT NULL,
  sent INTEGER NOT NULL,
  bounced INTEGER NOT NULL,
  complained INTEGER NOT NULL)STRICT;
CREATE TABLE service_mails (
  workspace_id BLOB NOT NULL,
  message_id BLOB NOT NULL,
  kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, message_id))STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX service_mails_message ON service_mails (message_id);
CREATE TABLE sessions (
  workspace_id BLOB NOT NULL REFERENCES workspaces(id),
  id BLOB NOT NULL,
  user_id BLOB NOT NULL,
  digest BLOB NOT NULL UNIQUE,
  user_agent TEXT,
  ip TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX sessions_expiry ON sessions (expires_at);
CREATE INDEX sessions_user ON sessions (workspace_id, user_id, last_used_at);
CREATE TABLE sign_ins (
  id BLOB NOT NULL PRIMARY KEY,
  email TEXT NOT NULL,
  purpose TEXT NOT NULL,
  workspace_id BLOB,
  message_id BLOB,
  digest BLOB UNIQUE,
  network BLOB,
  tries_left INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL)STRICT;
CREATE INDEX sign_ins_email ON sign_ins (email, created_at);
CREATE INDEX sign_ins_expiry ON sign_ins (expires_at);
CREATE INDEX sign_ins_workspace ON sign_ins (workspace_id, created_at) WHERE workspace_id IS NOT NULL;
CREATE TABLE signing_keys (
  purpose TEXT NOT NULL,
  generation INTEGER NOT NULL,
  kid TEXT NOT NULL,
  public_key TEXT NOT NULL,
  private_key BLOB,
  created_at INTEGER NOT NULL,
  signs_from INTEGER NOT NULL,
  retired_at INTEGER,
  revoked_at INTEGER,
  PRIMARY KEY (purpose, generation))STRICT;
CREATE UNIQUE INDEX signing_keys_kid ON signing_keys (kid);
CREATE TABLE signup_usage (
  kind TEXT NOT NULL,
  subject BLOB NOT NULL,
  day INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (kind, subject, day))STRICT;
CREATE INDEX signup_usage_age ON signup_usage (day);
CREATE TABLE signups (
  workspace_id BLOB NOT NULL PRIMARY KEY,
  agents INTEGER NOT NULL,
  claim_email TEXT,
  claim_token_sha256 BLOB,
  claim_expires_at INTEGER)STRICT;
CREATE UNIQUE INDEX signups_claim ON signups (claim_token_sha256) WHERE claim_token_sha256 IS NOT NULL;
CREATE TABLE stream_tokens (
  workspace_id BLOB NOT NULL,
  digest BLOB NOT NULL,
  key_id BLOB,
  session_id BLOB,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, digest))STRICT;
CREATE UNIQUE INDEX stream_tokens_digest ON stream_tokens (digest);
CREATE TABLE suppressions (
  workspace_id BLOB NOT NULL,
  address TEXT NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT,
  message_id BLOB,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, address))STRICT;
CREATE INDEX suppressions_list ON suppressions (workspace_id, created_at, address);
CREATE TABLE thread_labels (
  workspace_id BLOB NOT NULL,
  label TEXT NOT NULL,
  thread_id BLOB NOT NULL,
  PRIMARY KEY (workspace_id, label, thread_id))STRICT;
CREATE INDEX thread_labels_thread ON thread_labels (workspace_id, thread_id);
CREATE TABLE thread_people (
  workspace_id BLOB NOT NULL,
  address TEXT NOT NULL,
  thread_id BLOB NOT NULL,
  PRIMARY KEY (workspace_id, address, thread_id))STRICT, WITHOUT ROWID;
CREATE INDEX thread_people_thread ON thread_people (workspace_id, thread_id);
CREATE TABLE thread_readings (
  workspace_id BLOB NOT NULL,
  thread_id BLOB NOT NULL,
  reader_id BLOB NOT NULL,
  position TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, thread_id, reader_id))STRICT;
CREATE INDEX thread_readings_age ON thread_readings (updated_at);
CREATE TABLE thread_references (
  workspace_id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  rfc_message_id TEXT NOT NULL,
  thread_id BLOB NOT NULL,
  PRIMARY KEY (workspace_id, inbox_id, rfc_message_id))STRICT, WITHOUT ROWID;
CREATE INDEX thread_references_thread ON thread_references (workspace_id, thread_id);
CREATE TABLE threads (
  workspace_id BLOB NOT NULL,
  id BLOB NOT NULL,
  inbox_id BLOB NOT NULL,
  subject TEXT,
  subject_key TEXT NOT NULL,
  subject_lower TEXT NOT NULL,
  participants TEXT NOT NULL,
  message_count INTEGER NOT NULL,
  labels TEXT NOT NULL,
  metadata TEXT NOT NULL,
  last_message_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX threads_inbox ON threads (workspace_id, inbox_id, last_message_at, id);
CREATE INDEX threads_subject ON threads (workspace_id, inbox_id, subject_key, last_message_at);
CREATE INDEX threads_workspace ON threads (workspace_id, last_message_at, id);
CREATE TABLE unclaimed_recipients (
  workspace_id BLOB NOT NULL,
  day INTEGER NOT NULL,
  address TEXT NOT NULL,
  PRIMARY KEY (workspace_id, day, address))STRICT;
CREATE TABLE used_challenges (
  nonce BLOB NOT NULL PRIMARY KEY,
  expires_at INTEGER NOT NULL)STRICT;
CREATE INDEX used_challenges_age ON used_challenges (expires_at);
CREATE TABLE users (
  id BLOB NOT NULL PRIMARY KEY,
  email TEXT NOT NULL UNIQUE,
  name TEXT,
  created_at INTEGER NOT NULL)STRICT;
CREATE TABLE webhook_counts (
  workspace_id BLOB NOT NULL,
  webhook_id BLOB NOT NULL,
  slot INTEGER NOT NULL,
  deliveries INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, webhook_id, slot))STRICT;
CREATE INDEX webhook_counts_age ON webhook_counts (slot);
CREATE TABLE webhook_deliveries (
  workspace_id BLOB NOT NULL,
  webhook_id BLOB NOT NULL,
  id BLOB NOT NULL,
  event_id BLOB NOT NULL,
  event_type TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  status TEXT NOT NULL,
  response_status INTEGER,
  response_excerpt TEXT,
  exchange TEXT,
  error TEXT,
  duration_ms INTEGER,
  created_at INTEGER NOT NULL,
  next_attempt_at INTEGER,
  run_at INTEGER,
  lease_token BLOB,
  PRIMARY KEY (workspace_id, webhook_id, id))STRICT, WITHOUT ROWID;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (workspace_id, webhook_id, run_at) WHERE run_at IS NOT NULL;
CREATE TABLE webhooks (
  workspace_id BLOB NOT NULL REFERENCES workspaces(id),
  id BLOB NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  inbox_ids TEXT,
  enabled INTEGER NOT NULL,
  payload TEXT NOT NULL,
  headers BLOB NOT NULL,
  secret BLOB NOT NULL,
  secret_hint TEXT NOT NULL,
  old_secret BLOB,
  old_secret_until INTEGER,
  seq INTEGER NOT NULL,
  failing_since INTEGER,
  last_success_at INTEGER,
  last_failure_at INTEGER,
  created_at INTEGER NOT NULL,
  key_id BLOB,
  session_id BLOB,
  connector_id BLOB,
  expires_at INTEGER,
  PRIMARY KEY (workspace_id, id))STRICT;
CREATE INDEX webhooks_list ON webhooks (workspace_id, created_at, id);
CREATE TABLE workspace_counters (
  workspace_id BLOB NOT NULL PRIMARY KEY,
  event_seq INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL)STRICT, WITHOUT ROWID;
CREATE TABLE workspace_usage (
  workspace_id BLOB NOT NULL PRIMARY KEY,
  month INTEGER NOT NULL,
  month_sent INTEGER NOT NULL,
  day INTEGER NOT NULL,
  day_sent INTEGER NOT NULL)STRICT, WITHOUT ROWID;
CREATE TABLE workspaces (
  id BLOB NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  owner_email TEXT NOT NULL,
  plan TEXT NOT NULL,
  status TEXT NOT NULL,
  suspension TEXT,
  origin TEXT NOT NULL,
  claim_status TEXT NOT NULL,
  claimed_at INTEGER,
  notice TEXT,
  notice_at INTEGER,
  stopped_at INTEGER,
  stop_reason TEXT,
  ai_processing TEXT NOT NULL,
  screening INTEGER NOT NULL,
  daily_send_limit INTEGER,
  disclosure_line TEXT NOT NULL,
  disclosure_text TEXT,
  disclosure_name INTEGER NOT NULL,
  retention_days INTEGER,
  created_at INTEGER NOT NULL ,
  screening_deadline INTEGER NOT NULL DEFAULT 120,
  screening_release INTEGER NOT NULL DEFAULT 0,
  outbound_policy TEXT NOT NULL DEFAULT 'label')STRICT;
