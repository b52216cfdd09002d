//! Kinds of durable jobs, and the reasons for their states.
//!
//! A new kind needs a handler (`app/src/jobs/registry.rs`) and a recovery (`store/src/jobs/recovery.rs`); both are
//! exhaustive matches. A process never claims a job of a kind that it doesn't know: after a downgrade, the job waits
//! for a version that does.

use uuid::Uuid;

use crate::{JobId, ScreeningMode, Time, WorkspaceId};

named! {
    /// The kind of a job: what its handler does, and to which row its subject refers.
    JobKind {
        /// Delivers an envelope; the subject is the envelope, the group its destination.
        Outbound = "outbound",
        /// Delivers a message to inboxes of the workspace, sent by another workspace; the subject is the local
        /// delivery, the group the inbox of the sender.
        LocalDelivery = "local_delivery",
        /// Sends a scheduled draft; the subject is the draft.
        ScheduledDraft = "scheduled_draft",
        /// Forwards a received message to one address; the subject is the forward, the group its address.
        Forward = "forward",
        /// Expires a temporary inbox; the subject is the inbox.
        InboxExpiry = "inbox_expiry",
        /// Checks the DNS records of a domain; the subject is the domain.
        DomainCheck = "domain_check",
        /// Obtains and renews a certificate by ACME; the subject is the certificate.
        Certificate = "certificate",
        /// Notifies an owner that a webhook was disabled; the subject is the webhook.
        WebhookNotice = "webhook_notice",
        /// Notifies a person of mail to postmaster and abuse; the subject is the workspace.
        RoleNotice = "role_notice",
        /// Deletes an unclaimed workspace that nobody uses; the subject is the workspace.
        SignupExpiry = "signup_expiry",
        /// Mails a sign-in link or an invitation; the subject is the sign-in.
        SignInMail = "sign_in_mail",
        /// Sends the escalations of a workspace to its people on call; the subject is the workspace.
        Escalation = "escalation",
        /// Asks a person on call to confirm, or tells the owner that one confirmed; the subject is the contact.
        OnCallMail = "on_call_mail",
        /// Checks whether a card may be in the public directory; the subject is the inbox.
        ListingCheck = "listing_check",
        /// Asks the model server about a received message; the subject is the message.
        Analysis = "analysis",
        /// Releases the held mail of a workspace where screening was switched off; the subject is the workspace.
        HeldMail = "held_mail",
        /// Reads the text of an attachment; the subject is the attachment, the group its workspace.
        Extraction = "extraction",
    }

    /// Why a job is in its state: why it was enqueued, held, retried or given up.
    JobReason {
        /// A message was accepted for sending.
        Queued = "queued",
        /// A message was received.
        Received = "received",
        /// A draft was scheduled, or its time has not come.
        Scheduled = "scheduled",
        /// A temporary inbox or an unclaimed workspace has an end.
        Expires = "expires",
        /// A temporary inbox was extended after its job was claimed.
        Extended = "extended",
        /// An unclaimed workspace was used after its job was enqueued.
        Used = "used",
        /// The configuration asks for a certificate.
        Wanted = "wanted",
        /// The certificate is renewed at that time.
        Renewal = "renewal",
        /// The certificate authority issued no certificate.
        NotIssued = "not_issued",
        /// A webhook was disabled.
        Disabled = "disabled",
        /// A person asked for a sign-in link, or was invited.
        SignInRequested = "sign_in_requested",
        /// Screening was switched off.
        ScreeningOff = "screening_off",
        /// A public card was created or changed.
        CardChanged = "card_changed",
        /// A domain was added.
        Added = "new",
        /// A domain was enabled.
        Enabled = "enabled",
        /// The regular check of a domain.
        Regular = "regular",
        /// The keys of a domain are being rotated.
        Rotation = "rotation",
        /// A notice was sent; later mail is reported together.
        Pause = "pause",
        /// Something was escalated.
        Escalated = "escalated",
        /// Quiet hours, the limit per hour or a digest.
        NotDue = "not_due",
        /// The sweep found the job missing.
        Recreated = "recreated",

        /// The workspace is stopped.
        WorkspaceStopped = "workspace_stopped",
        /// The inbox is paused.
        InboxPaused = "inbox_paused",
        /// Sending is suspended for the workspace.
        WorkspaceSuspended = "workspace_suspended",
        /// The destination is paused or at its limit.
        DestinationPaused = "destination_paused",
        /// The envelope was split into one for each recipient.
        RecipientsSplit = "recipients_split",
        /// The row changed while the job ran.
        Changed = "changed",
        /// The plan's monthly limit is used up.
        PlanLimitEmails = "plan_limit_emails",
        /// The inbox's daily limit is used up.
        DailySendLimitExceeded = "daily_send_limit_exceeded",
        /// The workspace's daily limit is used up.
        OrgDailyLimitExceeded = "org_daily_limit_exceeded",
        /// The workspace sends too many messages in a short time.
        RateLimited = "rate_limited",
        /// An unclaimed workspace wrote to enough recipients today.
        UnclaimedRecipientLimit = "unclaimed_recipient_limit",
        /// The inbox's domain is not verified.
        DomainNotVerified = "domain_not_verified",

        /// A recipient's server refused for now.
        TemporaryFailure = "temporary_failure",
        /// The send checks refused.
        Refused = "refused",
        /// A local problem.
        Failed = "failed",
        /// The store failed.
        StoreFailed = "store_failed",
        /// The store could not be reached.
        StoreUnavailable = "store_unavailable",
        /// The handler panicked.
        Panicked = "panicked",
        /// The lease expired: the worker died or lost the store.
        LeaseExpired = "lease_expired",
        /// The worker shut down.
        Released = "released",
    }
}

/// What makes a waiting job due before its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JobRelease {
    /// Nothing: the job waits for its time.
    Time,
    /// The end of a stop, a pause or a suspension.
    SendingResumed,
}

impl JobReason {
    /// The reasons that end with a stop, a pause or a suspension.
    pub const UNTIL_RESUMED: [Self; 3] = [Self::WorkspaceStopped, Self::InboxPaused, Self::WorkspaceSuspended];

    /// Returns what releases a job that waits for this reason.
    #[must_use]
    pub const fn release(self) -> JobRelease {
        match self {
            Self::WorkspaceStopped | Self::InboxPaused | Self::WorkspaceSuspended => JobRelease::SendingResumed,
            Self::Queued
            | Self::Received
            | Self::Scheduled
            | Self::Expires
            | Self::Extended
            | Self::Used
            | Self::Wanted
            | Self::Renewal
            | Self::NotIssued
            | Self::Disabled
            | Self::SignInRequested
            | Self::ScreeningOff
            | Self::CardChanged
            | Self::Added
            | Self::Enabled
            | Self::Regular
            | Self::Rotation
            | Self::Pause
            | Self::Escalated
            | Self::NotDue
            | Self::Recreated
            | Self::DestinationPaused
            | Self::RecipientsSplit
            | Self::Changed
            | Self::PlanLimitEmails
            | Self::DailySendLimitExceeded
            | Self::OrgDailyLimitExceeded
            | Self::RateLimited
            | Self::UnclaimedRecipientLimit
            | Self::DomainNotVerified
            | Self::TemporaryFailure
            | Self::Refused
            | Self::Failed
            | Self::StoreFailed
            | Self::StoreUnavailable
            | Self::Panicked
            | Self::LeaseExpired
            | Self::Released => JobRelease::Time,
        }
    }
}

impl JobKind {
    /// Returns how many attempts a job of this kind has unless it is enqueued with another number. Holding a job uses
    /// no attempts, but a crash of the process does.
    #[must_use]
    pub const fn attempts_max(self) -> u32 {
        match self {
            // The envelope's own deadline comes long before.
            Self::Outbound => 200,
            Self::LocalDelivery => 50,
            Self::ScheduledDraft => 20,
            Self::Forward => 12,
            // Only a crash or a broken store uses an attempt.
            Self::InboxExpiry | Self::SignupExpiry | Self::Certificate | Self::ListingCheck | Self::HeldMail => 100,
            // Each regular check starts the count again.
            Self::DomainCheck => 1_000,
            // An hour apart.
            Self::WebhookNotice | Self::RoleNotice | Self::OnCallMail => 48,
            // Each step that sends or waits starts the count again.
            Self::Escalation => 1_000,
            // A file that ends its process ends no attempt, so only a crash of the server uses one.
            Self::Extraction => 5,
            // The person asks again.
            Self::SignInMail => 20,
            // The deadline of the screening comes before, or the message is shown without an analysis.
            Self::Analysis => 6,
        }
    }
}

/// A job to enqueue.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewJob {
    pub id: JobId,
    pub kind: JobKind,
    pub workspace: WorkspaceId,
    /// The row it refers to. Each subject has at most one live job of a kind.
    pub subject: Uuid,
    /// Jobs with the same group share a concurrency limit; empty means no limit.
    pub group: String,
    /// When it is due.
    pub run_at: Time,
    /// Maximum number of attempts.
    pub attempt_max: u32,
    /// Reason for the job's current state.
    pub why: JobReason,
    pub created_at: Time,
}

/// A change of how mail is screened in a workspace or one of its inboxes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScreeningChange {
    pub workspace: WorkspaceId,
    /// The mode until now.
    pub before: ScreeningMode,
    /// The mode from now on.
    pub after: ScreeningMode,
}

impl ScreeningChange {
    /// Returns the job that releases held mail, if the change switches the screening off.
    #[must_use]
    pub fn job(self, id: JobId, now: Time) -> Option<NewJob> {
        let is_switched_off = self.before != self.after && self.after == ScreeningMode::Off;
        let (kind, why) = (JobKind::HeldMail, JobReason::ScreeningOff);
        is_switched_off.then(|| NewJob::new(kind, why, self.workspace, self.workspace.0, id, now))
    }
}

impl NewJob {
    /// Returns a job that is due at once, has no group, and as many attempts as its kind allows.
    #[must_use]
    pub fn new(
        kind: JobKind,
        why: JobReason,
        workspace: WorkspaceId,
        subject: Uuid,
        id: JobId,
        created_at: Time,
    ) -> Self {
        let (group, attempt_max) = (String::new(), kind.attempts_max());
        Self { id, kind, workspace, subject, group, run_at: created_at, attempt_max, why, created_at }
    }

    /// Sets the group whose limit it shares.
    #[must_use]
    pub fn in_group(self, group: String) -> Self {
        Self { group, ..self }
    }

    /// Sets when it is due.
    #[must_use]
    pub fn due_at(self, run_at: Time) -> Self {
        Self { run_at, ..self }
    }

    /// Sets the maximum number of attempts.
    #[must_use]
    pub fn with_attempts(self, attempt_max: u32) -> Self {
        Self { attempt_max, ..self }
    }
}

/// The outcome of an attempt.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum JobOutcome {
    /// The work is done; the job is deleted.
    Done,
    /// Try again later. After the last attempt the job is dead.
    Retry {
        /// When to try again.
        at: Time,
        /// The reason.
        why: JobReason,
    },
    /// Not attempted, because a condition must change first. Doesn't count as an attempt.
    Hold {
        /// When to check again.
        at: Time,
        /// The reason, which also decides what releases the job.
        why: JobReason,
    },
    /// The work can never be done; the job is kept so that operators see it.
    Dead {
        /// The reason.
        why: JobReason,
    },
}

/// A job that won't be tried again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadJob {
    pub id: JobId,
    /// The name of the job kind, which this binary may not know.
    pub kind: String,
    pub workspace: WorkspaceId,
    /// The row it refers to.
    pub subject: Uuid,
    /// Jobs with the same group share a concurrency limit.
    pub group: String,
    /// Number of attempts made.
    pub attempt: u32,
    /// Why it is dead.
    pub why: String,
    pub created_at: Time,
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn reasons_that_end_with_a_resume_are_listed() {
        let released = JobReason::ALL.iter().copied().filter(|reason| reason.release() == JobRelease::SendingResumed);
        assert_eq!(released.collect::<Vec<_>>(), JobReason::UNTIL_RESUMED);
    }

    #[test]
    fn names_are_unique_and_parse() {
        assert!(JobKind::ALL.iter().all(|kind| JobKind::parse(kind.text()) == Some(*kind)));
        assert!(JobReason::ALL.iter().all(|reason| JobReason::parse(reason.text()) == Some(*reason)));
        let names: HashSet<&str> = JobReason::ALL.iter().map(|reason| reason.text()).collect();
        assert_eq!(names.len(), JobReason::ALL.len());
    }
}
