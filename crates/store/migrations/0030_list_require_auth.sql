-- An allow entry may want its sender authenticated.
ALTER TABLE list_entries ADD COLUMN require_auth {I64} NOT NULL DEFAULT 0;
