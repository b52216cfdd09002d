-- The last time that an operator ended a workspace's suspension, and what the quarter hour had counted until then: what
-- came before does not suspend again.

CREATE TABLE sending_recoveries (
  workspace_id {ID} NOT NULL PRIMARY KEY,
  recovered_at {I64} NOT NULL,
  sent {I64} NOT NULL,
  bounced {I64} NOT NULL,
  complained {I64} NOT NULL
){STRICT};
