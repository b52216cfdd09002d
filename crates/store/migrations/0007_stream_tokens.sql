-- Tokens of the stream: each stands for a key, once, for a minute.
CREATE TABLE stream_tokens (
  workspace_id {ID} NOT NULL,
  digest {BLOB} NOT NULL,                -- SHA-256 of the token
  key_id {ID} NOT NULL,
  expires_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, digest)
){STRICT};
CREATE UNIQUE INDEX stream_tokens_digest ON stream_tokens (digest);
