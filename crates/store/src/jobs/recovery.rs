//! What recreates a lost job of each kind, and what releases a held one.

use posthouse_domain::{JobKind, JobReason, Time, WorkspaceId};
use uuid::Uuid;

use crate::{Result, Sql, Tx, p, statements};

// A lost job is due at once if its row doesn't know a time.
statements! {
    LOST_OUTBOUND = "SELECT e.workspace_id, e.id AS subject_id, e.destination AS job_group, CAST(0 AS BIGINT) AS run_at FROM envelopes e
        WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = $1 AND j.subject_id = e.id AND j.state <> 'dead')
        AND NOT EXISTS (SELECT 1 FROM jobs d WHERE d.kind = $1 AND d.subject_id = e.id AND d.state = 'dead') LIMIT $2";
    LOST_LOCAL_DELIVERY = "SELECT l.workspace_id, l.id AS subject_id, '' AS job_group, CAST(0 AS BIGINT) AS run_at FROM local_deliveries l
        WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = $1 AND j.subject_id = l.id AND j.state <> 'dead')
        AND NOT EXISTS (SELECT 1 FROM jobs d WHERE d.kind = $1 AND d.subject_id = l.id AND d.state = 'dead') LIMIT $2";
    LOST_SCHEDULED_DRAFT = "SELECT d.workspace_id, d.id AS subject_id, '' AS job_group, d.send_at AS run_at FROM drafts d WHERE d.status = 'scheduled' AND d.send_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = $1 AND j.subject_id = d.id AND j.state <> 'dead')
        AND NOT EXISTS (SELECT 1 FROM jobs e WHERE e.kind = $1 AND e.subject_id = d.id AND e.state = 'dead')
        ORDER BY d.send_at LIMIT $2";
    LOST_FORWARD = "SELECT f.workspace_id, f.id AS subject_id, '' AS job_group, CAST(0 AS BIGINT) AS run_at FROM forwards f
        WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = $1 AND j.subject_id = f.id AND j.state <> 'dead')
        AND NOT EXISTS (SELECT 1 FROM jobs d WHERE d.kind = $1 AND d.subject_id = f.id AND d.state = 'dead') LIMIT $2";
    // Dead expiry jobs are recreated too, because a temporary inbox must end.
    LOST_INBOX_EXPIRY = "SELECT i.workspace_id, i.id AS subject_id, '' AS job_group, i.expires_at AS run_at FROM inboxes i
        WHERE i.temporary = 1 AND i.deleted_at IS NULL AND i.expires_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = $1 AND j.subject_id = i.id AND j.state <> 'dead') ORDER BY i.expires_at LIMIT $2";
    // Dead checks are recreated too, because a domain is checked for as long as it exists.
    LOST_DOMAIN_CHECK = "SELECT d.workspace_id, d.id AS subject_id, '' AS job_group, CAST(0 AS BIGINT) AS run_at FROM mail_domains d WHERE d.status <> 'disabled'
        AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = $1 AND j.subject_id = d.id AND j.state <> 'dead') LIMIT $2";
    // Dead expiry jobs are recreated too, because an idle workspace must end.
    LOST_SIGNUP_EXPIRY = "SELECT s.workspace_id, s.workspace_id AS subject_id, '' AS job_group, CAST(0 AS BIGINT) AS run_at FROM signups s
        WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = $1 AND j.subject_id = s.workspace_id AND j.state <> 'dead') LIMIT $2";
    LOST_ROLE_NOTICE = "SELECT r.workspace_id, r.workspace_id AS subject_id, '' AS job_group, CAST(0 AS BIGINT) AS run_at FROM role_mail r
        WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = $1 AND j.subject_id = r.workspace_id AND j.state <> 'dead')
        AND NOT EXISTS (SELECT 1 FROM jobs d WHERE d.kind = $1 AND d.subject_id = r.workspace_id AND d.state = 'dead')
        GROUP BY r.workspace_id LIMIT $2";
    // Dead jobs are recreated too, because people must learn what waits.
    LOST_ESCALATION = "SELECT e.workspace_id, e.workspace_id AS subject_id, '' AS job_group, CAST(0 AS BIGINT) AS run_at FROM escalations e
        WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = $1 AND j.subject_id = e.workspace_id AND j.state <> 'dead')
        GROUP BY e.workspace_id LIMIT $2";
    LOST_ON_CALL_MAIL = "SELECT c.workspace_id, c.id AS subject_id, '' AS job_group, CAST(0 AS BIGINT) AS run_at FROM on_call_contacts c
        WHERE c.mail_due IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = $1 AND j.subject_id = c.id AND j.state <> 'dead')
        AND NOT EXISTS (SELECT 1 FROM jobs d WHERE d.kind = $1 AND d.subject_id = c.id AND d.state = 'dead') LIMIT $2";
    // Dead checks are recreated too, because a card must not wait forever.
    LOST_LISTING_CHECK = "SELECT c.workspace_id, c.inbox_id AS subject_id, '' AS job_group, CAST(0 AS BIGINT) AS run_at FROM agent_cards c
        WHERE c.listing = 'pending'
        AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = $1 AND j.subject_id = c.inbox_id AND j.state <> 'dead') LIMIT $2";
    // Dead jobs are recreated too, because mail must not wait forever.
    LOST_ANALYSIS = "SELECT m.workspace_id, m.id AS subject_id, '' AS job_group, CAST(0 AS BIGINT) AS run_at FROM messages m
        WHERE m.analysis_due IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = $1 AND j.subject_id = m.id AND j.state <> 'dead')
        ORDER BY m.analysis_due LIMIT $2";
    // Dead jobs are recreated too, because the state of each text must become known; the last attempt of a job settles it.
    LOST_EXTRACTION = "SELECT p.workspace_id, p.attachment_id AS subject_id, '' AS job_group, CAST(0 AS BIGINT) AS run_at FROM pending_extractions p
        WHERE NOT EXISTS (SELECT 1 FROM jobs j WHERE j.kind = $1 AND j.subject_id = p.attachment_id AND j.state <> 'dead') LIMIT $2";
    RELEASE_OF_WORKSPACE = "UPDATE jobs SET run_at = $3 WHERE kind = $1 AND workspace_id = $2
        AND state = 'ready' AND run_at > $3 AND why IN ($4, $5, $6)";
    // The job belongs to the workspace of the recipients; what held it belongs to the sender.
    RELEASE_OF_SENDER = "UPDATE jobs SET run_at = $3 WHERE kind = $1 AND state = 'ready' AND run_at > $3 AND why IN ($4, $5, $6)
        AND subject_id IN (SELECT l.id FROM local_deliveries l WHERE l.sender_workspace_id = $2)";
}

/// What recreates a lost job of a kind.
#[derive(Clone, Copy, Debug)]
pub enum JobRecovery {
    /// The reconciliation sweep, with this query for the rows whose job is missing.
    Rows(&'static Sql),
    /// The reconciliation sweep, from the configuration.
    Configuration,
    /// Nothing. The job only sends a notice, and its row shows the same fact.
    Nothing,
}

/// Returns what recreates a lost job of a kind.
#[must_use]
pub fn recovery(kind: JobKind) -> JobRecovery {
    match kind {
        JobKind::Outbound => JobRecovery::Rows(&LOST_OUTBOUND),
        JobKind::LocalDelivery => JobRecovery::Rows(&LOST_LOCAL_DELIVERY),
        JobKind::ScheduledDraft => JobRecovery::Rows(&LOST_SCHEDULED_DRAFT),
        JobKind::Forward => JobRecovery::Rows(&LOST_FORWARD),
        JobKind::InboxExpiry => JobRecovery::Rows(&LOST_INBOX_EXPIRY),
        JobKind::DomainCheck => JobRecovery::Rows(&LOST_DOMAIN_CHECK),
        JobKind::RoleNotice => JobRecovery::Rows(&LOST_ROLE_NOTICE),
        JobKind::SignupExpiry => JobRecovery::Rows(&LOST_SIGNUP_EXPIRY),
        JobKind::Escalation => JobRecovery::Rows(&LOST_ESCALATION),
        JobKind::OnCallMail => JobRecovery::Rows(&LOST_ON_CALL_MAIL),
        JobKind::ListingCheck => JobRecovery::Rows(&LOST_LISTING_CHECK),
        JobKind::Analysis => JobRecovery::Rows(&LOST_ANALYSIS),
        JobKind::Extraction => JobRecovery::Rows(&LOST_EXTRACTION),
        JobKind::Certificate => JobRecovery::Configuration,
        // Held mail is listed, and people release it.
        JobKind::HeldMail => JobRecovery::Nothing,
        // The webhook shows that it is disabled.
        JobKind::WebhookNotice => JobRecovery::Nothing,
        // The person asks for another link.
        JobKind::SignInMail => JobRecovery::Nothing,
    }
}

/// Returns the statement that makes jobs due that were held by a stop, a pause or a suspension; `None` if these don't
/// hold jobs of the kind.
fn release(kind: JobKind) -> Option<&'static Sql> {
    match kind {
        JobKind::Outbound | JobKind::ScheduledDraft | JobKind::Forward => Some(&RELEASE_OF_WORKSPACE),
        JobKind::LocalDelivery => Some(&RELEASE_OF_SENDER),
        JobKind::InboxExpiry
        | JobKind::SignupExpiry
        | JobKind::DomainCheck
        | JobKind::Certificate
        | JobKind::WebhookNotice
        | JobKind::RoleNotice
        | JobKind::SignInMail
        | JobKind::Escalation
        | JobKind::OnCallMail
        | JobKind::ListingCheck
        | JobKind::Analysis
        | JobKind::HeldMail
        | JobKind::Extraction => None,
    }
}

crate::row_struct!(
    /// A row whose job is missing.
    #[derive(Clone, PartialEq, Eq, Debug)]
    pub LostJob {
        workspace = workspace_id: WorkspaceId, subject = subject_id: Uuid, group = job_group: String,
        /// When the job is due; in the past if it is due at once.
        run_at: Time,
    }
);

/// Returns up to `limit` rows that need a job of this kind and have none.
pub fn lost(tx: &mut Tx, kind: JobKind, limit: u32) -> Result<Vec<LostJob>> {
    match recovery(kind) {
        JobRecovery::Rows(query) => tx.rows(query, p![kind, limit]),
        JobRecovery::Configuration | JobRecovery::Nothing => Ok(Vec::new()),
    }
}

/// Makes the held jobs of a workspace due now. Call it after anything that ends a stop, a pause or a suspension. Jobs
/// that must still wait are held again.
pub fn release_held(tx: &mut Tx, workspace: WorkspaceId, now: Time) -> Result<u64> {
    let [stopped, paused, suspended] = JobReason::UNTIL_RESUMED;
    let mut released = 0;
    for kind in JobKind::ALL {
        if let Some(statement) = release(*kind) {
            released += tx.exec(statement, p![kind, workspace, now, stopped, paused, suspended])?;
        }
    }
    if released > 0 {
        tx.wake_jobs();
    }
    Ok(released)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, all_statements::FILES};

    /// Returns the names of kinds and reasons that a statement about jobs compares or stores as literals.
    fn literals(text: &str) -> Vec<&str> {
        let words = |code: &str| -> Vec<String> {
            let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
            code.split(is_end).filter(|word| !["", "IN", "NOT"].contains(word)).map(str::to_owned).collect()
        };
        if !words(text).iter().any(|word| word == "jobs") {
            return Vec::new();
        }
        let (mut column, mut found) = (String::new(), Vec::new());
        for (at, piece) in text.split('\'').enumerate() {
            if at % 2 == 0 {
                column = words(piece).pop().unwrap_or(column);
            } else if (["kind", "why"].contains(&column.as_str()) || text.starts_with("INSERT INTO jobs"))
                && (JobKind::parse(piece).is_some() || JobReason::parse(piece).is_some())
            {
                found.push(piece);
            }
        }
        found
    }

    #[test]
    fn no_statement_repeats_the_name_of_a_kind_or_reason() {
        let repeating = [
            ("SELECT 1 FROM jobs j WHERE j.kind = 'outbound' AND j.why = 'released'", &["outbound", "released"][..]),
            ("DELETE FROM jobs WHERE kind NOT IN ('forward', 'outbound')", &["forward", "outbound"]),
            ("INSERT INTO jobs (kind, why) VALUES ($1, 'queued')", &["queued"]),
            ("SELECT 1 FROM drafts, jobs WHERE status = 'scheduled' AND kind = $1 AND state = 'dead'", &[]),
            ("SELECT 1 FROM events WHERE kind = 'outbound'", &[]),
        ];
        for (text, expected) in repeating {
            assert_eq!(literals(text), expected, "{text}");
        }
        for (file, statements) in FILES {
            for sql in *statements {
                for engine in [Engine::Sqlite, Engine::Postgres] {
                    let text = sql.text(engine);
                    let name = sql.name();
                    assert_eq!(literals(&text), [""; 0], "{file}: {name}: bind JobKind or JobReason as a parameter");
                }
            }
        }
    }

    #[test]
    fn a_released_kind_is_also_recreated() {
        for kind in JobKind::ALL.iter().filter(|kind| release(**kind).is_some()) {
            assert!(matches!(recovery(*kind), JobRecovery::Rows(_)), "{}", kind.text());
        }
    }
}
