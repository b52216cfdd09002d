-- Why mail bounced, as one word; who may hand mail in.

-- unknown_user, mailbox_full, policy, …; null where nothing went wrong.
ALTER TABLE recipients ADD COLUMN class {TEXT};

-- Recipients that bounced, by class.
CREATE TABLE metric_bounce_classes (
  workspace_id {ID} NOT NULL,
  slot {I64} NOT NULL,                   -- quarter hours since 1970
  inbox_id {ID} NOT NULL,
  class {TEXT} NOT NULL,
  bounces {I64} NOT NULL,
  PRIMARY KEY (workspace_id, slot, inbox_id, class)
){STRICT};
CREATE INDEX metric_bounce_classes_age ON metric_bounce_classes (slot);

-- Unknown senders that were told to come back, and those that did. Nobody's data: what names people is hashed.
CREATE TABLE greylist (
  id {BLOB} NOT NULL PRIMARY KEY,       -- hash of the client's network, or of it with the sender and the recipient
  seen_at {I64} NOT NULL,                -- first seen
  passed_at {I64},                       -- came back in time
  expires_at {I64} NOT NULL
){STRICT};
CREATE INDEX greylist_expiry ON greylist (expires_at);

-- Received mail to postmaster or abuse whose person has not been told of it yet.
CREATE TABLE role_mail (
  workspace_id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  address {TEXT} NOT NULL,               -- whom it was for
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, message_id)
){STRICT};
