-- Mail is signed when it is accepted, once for all destinations and attempts.

-- The DKIM-Signature fields, and a digest of the keys that made them: mail whose keys have changed is signed anew. Null
-- where nothing was signed yet.
ALTER TABLE envelopes ADD COLUMN signatures {TEXT};
ALTER TABLE envelopes ADD COLUMN signed_with {BLOB};
