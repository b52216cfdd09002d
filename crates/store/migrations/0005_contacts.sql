-- Contacts: everybody mail was exchanged with, written in the transactions that store mail.

CREATE TABLE contacts (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
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
  last_subject {TEXT},
  first_seen_at {I64} NOT NULL,
  last_seen_at {I64} NOT NULL,
  created_at {I64} NOT NULL,
  haystack {TEXT} NOT NULL,              -- address and name in lower case, for the substring filter
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE UNIQUE INDEX contacts_address ON contacts (workspace_id, address);
CREATE INDEX contacts_seen ON contacts (workspace_id, last_seen_at, id);
CREATE INDEX contacts_domain ON contacts (workspace_id, domain, last_seen_at, id);

CREATE TABLE contact_labels (
  workspace_id {ID} NOT NULL,
  label {TEXT} NOT NULL,
  contact_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, label, contact_id)
){STRICT};
CREATE INDEX contact_labels_contact ON contact_labels (workspace_id, contact_id);

CREATE TABLE contact_metadata (
  workspace_id {ID} NOT NULL,
  key {TEXT} NOT NULL,
  value {TEXT} NOT NULL,                 -- the string form that filters compare
  contact_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, key, value, contact_id)
){STRICT};
CREATE INDEX contact_metadata_contact ON contact_metadata (workspace_id, contact_id);

-- Addresses that received mail must not make into contacts again: a keyed hash, and nothing that tells the address.
CREATE TABLE forgotten_contacts (
  workspace_id {ID} NOT NULL,
  digest {BLOB} NOT NULL,
  PRIMARY KEY (workspace_id, digest)
){STRICT};

-- Who takes part in which thread, for the threads of a contact.
CREATE TABLE thread_people (
  workspace_id {ID} NOT NULL,
  address {TEXT} NOT NULL,               -- canonical
  thread_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, address, thread_id)
){STRICT_KEYED};
CREATE INDEX thread_people_thread ON thread_people (workspace_id, thread_id);

-- Who wrote a received message, or the first outside recipient of a sent one; canonical.
ALTER TABLE messages ADD COLUMN contact_address {TEXT};

CREATE INDEX suppressions_list ON suppressions (workspace_id, created_at, address);
