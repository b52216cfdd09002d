-- Lists of messages under filters that few messages pass: without these an inbox is walked from end to end.

CREATE INDEX messages_unread ON messages (workspace_id, inbox_id, created_at) WHERE is_read = 0;
-- Received mail has one status; only what was sent is told apart by it.
CREATE INDEX messages_status ON messages (workspace_id, inbox_id, status, created_at) WHERE status <> 'received';
