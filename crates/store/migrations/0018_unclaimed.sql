-- Whom an unclaimed workspace wrote to on a UTC day (contract §18.3).
CREATE TABLE unclaimed_recipients (
  workspace_id {ID} NOT NULL,
  day {I64} NOT NULL,
  address {TEXT} NOT NULL,
  PRIMARY KEY (workspace_id, day, address)
){STRICT};
