-- Counted as it happens: what metrics and deliverability show, and what decides about a suspension.

-- One row for each inbox and quarter hour (UTC) in which something happened; the hours and days of every time zone are made
-- of quarter hours.
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
CREATE INDEX metric_slots_age ON metric_slots (slot);

-- Recipients that bounced, by the status that was given as the reason.
CREATE TABLE metric_bounces (
  workspace_id {ID} NOT NULL,
  slot {I64} NOT NULL,
  inbox_id {ID} NOT NULL,
  reason {TEXT} NOT NULL,                -- enhanced status code, else SMTP code, else unknown
  bounces {I64} NOT NULL,
  PRIMARY KEY (workspace_id, slot, inbox_id, reason)
){STRICT};
CREATE INDEX metric_bounces_age ON metric_bounces (slot);

-- What an inbox holds now.
ALTER TABLE inboxes ADD COLUMN message_count {I64} NOT NULL DEFAULT 0;
ALTER TABLE inboxes ADD COLUMN stored_bytes {I64} NOT NULL DEFAULT 0;

-- Days that mail is kept; null is for ever.
ALTER TABLE workspaces ADD COLUMN retention_days {I64};
