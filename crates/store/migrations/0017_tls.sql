-- How an attempt at a recipient was encrypted: version, cipher and whether the certificate was valid.
ALTER TABLE recipients ADD COLUMN tls {TEXT};

-- Accounts at certificate authorities (RFC 8555), one a directory.
CREATE TABLE acme_accounts (
  directory {TEXT} NOT NULL PRIMARY KEY, -- URL
  credentials {BLOB} NOT NULL,          -- sealed: the account's key and URL
  created_at {I64} NOT NULL
){STRICT};

-- What a certificate authority is to be answered that looks for a token (RFC 8555 section 8.3).
CREATE TABLE acme_challenges (
  token {TEXT} NOT NULL PRIMARY KEY,
  answer {TEXT} NOT NULL,
  created_at {I64} NOT NULL
){STRICT};

-- Certificates by ACME: one row for each set of names at each directory.
CREATE TABLE acme_certificates (
  id {ID} NOT NULL PRIMARY KEY,          -- made of directory and names
  names {TEXT} NOT NULL,                 -- separated by a space
  chain {TEXT},                          -- PEM; none until the first was issued
  private_key {BLOB},                   -- sealed
  not_after {I64},
  obtained_at {I64},
  failures {I64} NOT NULL,               -- attempts since the last that went well
  trouble {TEXT},                        -- why the last attempt failed
  tried_at {I64}
){STRICT};
