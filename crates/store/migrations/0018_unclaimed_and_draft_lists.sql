-- Whom an unclaimed workspace wrote to on a UTC day (contract §18.3).
CREATE TABLE unclaimed_recipients (
  workspace_id {ID} NOT NULL,
  day {I64} NOT NULL,
  address {TEXT} NOT NULL,
  PRIMARY KEY (workspace_id, day, address)
){STRICT};

-- Most drafts are sent after a while; those of one status are found without passing over the others.
CREATE INDEX drafts_status ON drafts (workspace_id, status, created_at, id);
CREATE INDEX drafts_inbox_status ON drafts (workspace_id, inbox_id, status, created_at, id);
