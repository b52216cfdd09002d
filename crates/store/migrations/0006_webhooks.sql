-- Webhooks and every attempt to hand an event to one. Events are not copied: a webhook has a place in the log of its
-- workspace, and attempts name events.

-- 1: it was held back while its inbox was paused, so it keeps its order among the others of that inbox.
ALTER TABLE events ADD COLUMN released {I64} NOT NULL DEFAULT 0;

CREATE TABLE webhooks (
  workspace_id {ID} NOT NULL REFERENCES workspaces(id),
  id {ID} NOT NULL,
  url {TEXT} NOT NULL,
  events {TEXT} NOT NULL,                -- JSON array of types
  inbox_ids {TEXT},                      -- JSON array; null: every inbox
  enabled {I64} NOT NULL,
  payload {TEXT} NOT NULL,               -- full | envelope
  headers {BLOB} NOT NULL,               -- the owner's header fields, sealed: they may be credentials
  secret {BLOB} NOT NULL,                -- sealed
  secret_hint {TEXT} NOT NULL,
  old_secret {BLOB},                     -- the one before the last rotation, sealed
  old_secret_until {I64},
  seq {I64} NOT NULL,                    -- the place in the log up to which events are fanned out
  failing_since {I64},                   -- since when every attempt has failed
  last_success_at {I64},
  last_failure_at {I64},
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX webhooks_list ON webhooks (workspace_id, created_at, id);

-- One row an attempt. run_at is when something is to be done about it: a pending one is made (again, when its lease ends),
-- behind a failed one the next is made; null: nothing.
CREATE TABLE webhook_deliveries (
  workspace_id {ID} NOT NULL,
  webhook_id {ID} NOT NULL,
  id {ID} NOT NULL,
  event_id {ID} NOT NULL,
  event_type {TEXT} NOT NULL,
  attempt {I64} NOT NULL,
  status {TEXT} NOT NULL,                -- pending | succeeded | failed
  response_status {I64},
  response_excerpt {TEXT},
  error {TEXT},
  duration_ms {I64},
  created_at {I64} NOT NULL,
  next_attempt_at {I64},
  run_at {I64},
  lease_token {ID},
  PRIMARY KEY (workspace_id, webhook_id, id)
){STRICT_KEYED};
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (workspace_id, webhook_id, run_at) WHERE run_at IS NOT NULL;

-- Attempts that ended, counted as they do, by stretches of ten minutes.
CREATE TABLE webhook_counts (
  workspace_id {ID} NOT NULL,
  webhook_id {ID} NOT NULL,
  slot {I64} NOT NULL,                   -- ten minutes since 1970
  deliveries {I64} NOT NULL,
  failed {I64} NOT NULL,
  PRIMARY KEY (workspace_id, webhook_id, slot)
){STRICT};
CREATE INDEX webhook_counts_age ON webhook_counts (slot);
