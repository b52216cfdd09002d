-- Where a message was in the order of its inbox before agents got it: requests for withheld mail returned it then.

ALTER TABLE messages ADD COLUMN pending_position {I64}; -- @field=none created_at while its check was pending
ALTER TABLE messages ADD COLUMN held_position {I64}; -- @field=none created_at while it was held
CREATE INDEX messages_pending_position ON messages (workspace_id, inbox_id, pending_position) WHERE pending_position IS NOT NULL;
CREATE INDEX messages_held_position ON messages (workspace_id, inbox_id, held_position) WHERE held_position IS NOT NULL;

-- The addresses that a received mail names beyond those of seen_addresses, one row for the mail and one for each file.
-- @with message
CREATE TABLE seen_filters (
  workspace_id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  attachment_id {ID} NOT NULL,           -- @nil the file; none: the mail itself
  filter {BLOB} NOT NULL,                -- @other a Bloom filter; empty: any address
  PRIMARY KEY (workspace_id, message_id, attachment_id)
){STRICT};
