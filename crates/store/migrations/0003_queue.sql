-- Work queues (contract §4.8). Storing a mail writes nothing here: a claim takes over what came since the last one.

-- The queue of an inbox that was claimed from at least once.
CREATE TABLE queues (
  workspace_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  position {I64} NOT NULL,               -- created_at of the newest message that was taken over or passed by
  stirs {I64} NOT NULL,                  -- rises when something may have become claimable without a new message
  started_at {I64} NOT NULL,             -- the first claim
  PRIMARY KEY (workspace_id, inbox_id)
){STRICT};

-- A received message that a claim has taken over.
CREATE TABLE queue_items (
  workspace_id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  thread_id {ID} NOT NULL,
  created_at {I64} NOT NULL,             -- of the message: the order of the queue
  channel {TEXT} NOT NULL,
  type {TEXT} NOT NULL,
  state {TEXT} NOT NULL,                 -- open | done | dead | gone (the message was deleted after it was handed out)
  available_at {I64} NOT NULL,           -- end of the lease or of the delay; 0: nothing keeps it back
  lease_id {ID},                         -- the last lease, null when it was given back
  deliveries {I64} NOT NULL,
  consumer {TEXT},
  settled_at {I64},                      -- when it was done, dead or gone
  PRIMARY KEY (workspace_id, message_id)
){STRICT};
CREATE INDEX queue_items_waiting ON queue_items (workspace_id, inbox_id, available_at, created_at) WHERE state = 'open';
CREATE INDEX queue_items_thread ON queue_items (workspace_id, thread_id, available_at) WHERE state = 'open';
CREATE INDEX queue_items_spent ON queue_items (available_at) WHERE state = 'open' AND deliveries >= 10;
CREATE INDEX queue_items_dead ON queue_items (workspace_id, inbox_id) WHERE state = 'dead';
CREATE INDEX queue_items_gone ON queue_items (settled_at) WHERE state = 'gone';
