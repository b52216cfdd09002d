-- Finds the text of a file that another message of the workspace has, so that it is read once.

CREATE INDEX attachments_sha256 ON attachments (workspace_id, sha256);
