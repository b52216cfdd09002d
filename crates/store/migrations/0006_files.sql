-- The text of attachments.

ALTER TABLE attachments ADD COLUMN extraction {TEXT}; -- JSON object: the state of the text; null for sent mail and mail of older versions

-- The texts, in parts of a fixed number of characters.
-- @with message
CREATE TABLE attachment_texts (
  workspace_id {ID} NOT NULL,
  attachment_id {ID} NOT NULL,
  part {I64} NOT NULL,
  message_id {ID} NOT NULL,
  text {TEXT} NOT NULL,
  PRIMARY KEY (workspace_id, attachment_id, part)
){STRICT};
CREATE INDEX attachment_texts_message ON attachment_texts (workspace_id, message_id);

-- Attachments whose text is not read yet. Each has a job.
-- @with message
CREATE TABLE pending_extractions (
  workspace_id {ID} NOT NULL,
  attachment_id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  PRIMARY KEY (workspace_id, attachment_id)
){STRICT_KEYED};
CREATE INDEX pending_extractions_message ON pending_extractions (workspace_id, message_id);

-- Files that a workspace had read in the month (UTC) of its latest one: their texts, and their structured data.
-- @kept counts for limits; deleting an inbox must not reset them
CREATE TABLE extraction_usage (
  workspace_id {ID} NOT NULL PRIMARY KEY,
  month {I64} NOT NULL,                  -- months since year 0
  texts {I64} NOT NULL,
  structured {I64} NOT NULL
){STRICT_KEYED};
