-- Phrases of frequent words are found without reading all words of each message.

-- @postgres
-- Which words may stand one behind the other (a Bloom filter); null for what was indexed before. It stays in the row.
ALTER TABLE search_docs ADD COLUMN pairs BYTEA;
ALTER TABLE search_docs ALTER COLUMN pairs SET STORAGE MAIN;
