-- Addresses that the mail of an inbox is passed on to, once their owner has said yes (contract §3.3).
CREATE TABLE forwarding_addresses (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  inbox_id {ID} NOT NULL,
  address {TEXT} NOT NULL,               -- canonical
  skip_flagged {BOOL} NOT NULL,
  token_sha256 {BLOB} NOT NULL,          -- of the token in the newest link
  token_expires_at {I64} NOT NULL,
  confirmed_at {I64},
  confirmation_sent_at {I64} NOT NULL,
  last_forwarded_at {I64},
  forwarded_count {I64} NOT NULL,
  error_code {TEXT},
  error_message {TEXT},
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE UNIQUE INDEX forwarding_addresses_of_inbox ON forwarding_addresses (workspace_id, inbox_id, address);
CREATE UNIQUE INDEX forwarding_addresses_token ON forwarding_addresses (token_sha256);

-- Received messages that are still to be passed on, a row for each address; gone when it is done.
CREATE TABLE forwards (
  workspace_id {ID} NOT NULL,
  id {ID} NOT NULL,
  message_id {ID} NOT NULL,
  address_id {ID} NOT NULL,
  created_at {I64} NOT NULL,
  PRIMARY KEY (workspace_id, id)
){STRICT};
CREATE INDEX forwards_of_message ON forwards (workspace_id, message_id);
CREATE INDEX forwards_of_address ON forwards (workspace_id, address_id);
