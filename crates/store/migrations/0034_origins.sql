-- No workspace began by self-signup so far: people and operators made them all.
UPDATE workspaces SET claim_status = 'not_applicable', claimed_at = NULL WHERE claim_status = 'claimed';

-- The inbox that the newest subject came to, or was sent from: keys that cannot see it do not see the subject. Null in old rows.
ALTER TABLE contacts ADD COLUMN last_subject_inbox_id {ID};
CREATE INDEX contacts_subject_inbox ON contacts (workspace_id, last_subject_inbox_id) WHERE last_subject_inbox_id IS NOT NULL;
