-- Full-text search (contract §7). A mail is indexed soon after it is stored, and before any search of its workspace.

-- Messages that are not indexed yet.
CREATE TABLE search_pending (
  workspace_id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, message_id)
){STRICT_KEYED};
INSERT INTO search_pending (workspace_id, message_id) SELECT workspace_id, id FROM messages;

-- How far the numbers of a workspace's documents have come.
CREATE TABLE search_heads (
  workspace_id {ID} NOT NULL PRIMARY KEY,
  number {I64} NOT NULL,                 -- of the workspace: the upper bits of its documents' numbers
  seq {I64} NOT NULL                     -- of the newest document: the lower 40 bits
){STRICT};

-- An indexed message. Numbers rise with the time of indexing, so a walk from above shows the newest first.
CREATE TABLE search_docs (
  workspace_id {ID} NOT NULL,
  doc {I64} NOT NULL,
  message_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  created_at {I64} NOT NULL,             -- of the message, which finds its labels
  channel {TEXT} NOT NULL,
  type {TEXT} NOT NULL,
  has_attachments {I64} NOT NULL,
-- @postgres
  words TSVECTOR NOT NULL,
-- @both
  PRIMARY KEY (workspace_id, doc)
){STRICT};
CREATE UNIQUE INDEX search_docs_message ON search_docs (workspace_id, message_id);

-- The words themselves are made by the program, separated by spaces; nothing of the text is kept here.
-- @sqlite
CREATE VIRTUAL TABLE search_text USING fts5(words, content='', contentless_delete=1, tokenize='ascii');
-- @postgres
ALTER TABLE search_docs ALTER COLUMN words SET STORAGE EXTERNAL;
CREATE INDEX search_docs_words ON search_docs USING gin (words) WITH (gin_pending_list_limit = 1024);
