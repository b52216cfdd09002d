-- Recipients whose complaint or hard bounce may suspend sending: suspension counts people, not reports.

CREATE TABLE sending_incidents (
  workspace_id {ID} NOT NULL,
  kind {TEXT} NOT NULL,                  -- complaint or hard_bounce
  recipient {BLOB} NOT NULL,             -- SHA-256 of the canonical address
  happened_at {I64} NOT NULL,            -- the last time
  PRIMARY KEY (workspace_id, kind, recipient)
){STRICT};
CREATE INDEX sending_incidents_window ON sending_incidents (workspace_id, kind, happened_at);
CREATE INDEX sending_incidents_age ON sending_incidents (happened_at);
