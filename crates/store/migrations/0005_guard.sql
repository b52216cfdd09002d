-- The outbound policy: where the address of a recipient comes from, which messages wait for an approval, and the rules of
-- the owner.

ALTER TABLE workspaces ADD COLUMN outbound_policy {TEXT} NOT NULL DEFAULT 'label'; -- off | label | hold | refuse
ALTER TABLE recipients ADD COLUMN origin {TEXT}; -- JSON: where the address came from; null: sent by an older version
ALTER TABLE drafts ADD COLUMN origins {TEXT} NOT NULL DEFAULT '[]'; -- JSON array: where the recipients come from
ALTER TABLE drafts ADD COLUMN hold {TEXT}; -- JSON: why it waits for an approval that nobody asked for
ALTER TABLE contacts ADD COLUMN corresponded_at {I64}; -- the first correspondence; null: others named the address

UPDATE contacts SET corresponded_at = first_seen_at WHERE (workspace_id, address) IN (SELECT r.workspace_id, r.address FROM recipients r);
UPDATE contacts SET corresponded_at = first_seen_at WHERE (workspace_id, address)
  IN (SELECT m.workspace_id, m.contact_address FROM messages m WHERE m.author_proven = 1);

-- Finds codes and links that were received lately.
CREATE INDEX messages_codes ON messages (workspace_id, created_at) WHERE verification IS NOT NULL;

-- The addresses that received mail names, also in its text.
-- @with message
CREATE TABLE seen_addresses (
  workspace_id {ID} NOT NULL,
  address_key {I64} NOT NULL,            -- a hash that the spellings of the address share
  message_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, address_key, message_id)
){STRICT_KEYED};
CREATE INDEX seen_addresses_message ON seen_addresses (workspace_id, message_id);

-- Rules of the owner about received mail.
-- @row Rule
-- @with inbox
CREATE TABLE rules (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,                      -- @other
  position {I64} NOT NULL,               -- the order in which rules apply
  name {TEXT} NOT NULL,
  inbox_id {ID},                         -- null: every inbox of the workspace
  enabled {BOOL} NOT NULL,
  conditions {TEXT} NOT NULL,            -- JSON array: names and values, which must all hold
  actions {TEXT} NOT NULL,               -- JSON array: names and values
  created_at {I64} NOT NULL,
  updated_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
