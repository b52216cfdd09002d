-- Knowledge: documents that agents draw on for replies; and what a reader was given of a thread.

-- The number of the last change of a workspace's documents. An index in memory that has another one is read again.
-- @kept data of the workspace
CREATE TABLE knowledge_heads (
  workspace_id {ID} NOT NULL PRIMARY KEY,
  revision {I64} NOT NULL
){STRICT};

-- Knowledge documents without their bodies.
-- @row KnowledgeDocument
-- @with inbox
CREATE TABLE knowledge_documents (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,                      -- @knowledge
  inbox_id {ID} NOT NULL,                -- @nil the nil UUID: every inbox of the workspace
  source_id {TEXT},                      -- the caller's name for its source
  title {TEXT} NOT NULL,
  excerpt {TEXT} NOT NULL,               -- the beginning of the body
  chars {I64} NOT NULL,                  -- the length of the body
  version {I64} NOT NULL,                -- the newest one in knowledge_versions
  revision {I64} NOT NULL,               -- of its last change, see knowledge_heads
  created_at {I64} NOT NULL,
  updated_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE UNIQUE INDEX knowledge_documents_source ON knowledge_documents (workspace_id, inbox_id, source_id);
CREATE INDEX knowledge_documents_list ON knowledge_documents (workspace_id, created_at, id);
CREATE INDEX knowledge_documents_inbox ON knowledge_documents (workspace_id, inbox_id, created_at, id);
-- Finds what changed, and counts documents and characters.
CREATE INDEX knowledge_documents_revision ON knowledge_documents (workspace_id, revision, chars);

-- The newest versions of each document.
-- @row KnowledgeVersion
-- @with inbox
CREATE TABLE knowledge_versions (
  workspace_id {ID} NOT NULL,
  document_id {ID} NOT NULL,             -- @knowledge
  version {I64} NOT NULL,
  title {TEXT} NOT NULL,
  body {TEXT} NOT NULL,
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, document_id, version)
){STRICT};

-- What search needs of the newest version: its passages with their terms and vectors.
-- @with inbox
CREATE TABLE knowledge_passages (
  workspace_id {ID} NOT NULL,
  document_id {ID} NOT NULL,             -- @knowledge
  model {TEXT} NOT NULL,                 -- the model of the vectors; empty if there are none
  passages {BLOB} NOT NULL,
  PRIMARY KEY (workspace_id, document_id)
){STRICT};

-- The passages that an answer cites.
-- @with message
CREATE TABLE knowledge_citations (
  workspace_id {ID} NOT NULL,
  message_id {ID} NOT NULL,              -- the message that the answer replies to
  document_id {ID} NOT NULL,             -- @knowledge
  version {I64} NOT NULL,
  draft_id {ID} NOT NULL,                -- @nil @other the draft with the answer; the nil UUID: not saved
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, message_id, document_id, created_at)
){STRICT};
CREATE INDEX knowledge_citations_document ON knowledge_citations (workspace_id, document_id, created_at);

-- What a reader was given of a thread in parts, so that the next part continues there.
-- @with thread
CREATE TABLE thread_readings (
  workspace_id {ID} NOT NULL,
  thread_id {ID} NOT NULL,
  reader_id {ID} NOT NULL,               -- @other the key, person or connector
  position {TEXT} NOT NULL,              -- a cursor
  updated_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, thread_id, reader_id)
){STRICT};
-- Finds old rows.
CREATE INDEX thread_readings_age ON thread_readings (updated_at);
