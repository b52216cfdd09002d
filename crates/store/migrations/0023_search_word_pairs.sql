-- Filters of pairs with three hashes instead of one: a quarter of the texts are read that were read for nothing.

-- @postgres
-- Null for what was indexed before, or by a process of the version before: it is found as it was before there were pairs. The
-- column `pairs` stays for such a process, and is not written any more.
ALTER TABLE search_docs ADD COLUMN word_pairs BYTEA;
ALTER TABLE search_docs ALTER COLUMN word_pairs SET STORAGE MAIN;
