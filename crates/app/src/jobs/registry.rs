//! The definition of each job kind.

use posthouse_domain::JobKind;

use super::{
    analysis, certificate, definition::JobDefinition, domain_check, escalation, extraction, forward, held_mail,
    inbox_expiry, listing_check, local_delivery, on_call_mail, outbound, role_notice, scheduled_draft, sign_in_mail,
    signup_expiry, webhook_notice,
};
use crate::Service;

/// Returns the definition of a kind.
fn definition(kind: JobKind, service: &Service) -> JobDefinition {
    match kind {
        JobKind::Outbound => outbound::kind(service),
        JobKind::LocalDelivery => local_delivery::kind(),
        JobKind::ScheduledDraft => scheduled_draft::kind(),
        JobKind::Forward => forward::kind(),
        JobKind::InboxExpiry => inbox_expiry::kind(),
        JobKind::DomainCheck => domain_check::kind(),
        JobKind::Certificate => certificate::kind(),
        JobKind::WebhookNotice => webhook_notice::kind(),
        JobKind::RoleNotice => role_notice::kind(),
        JobKind::SignupExpiry => signup_expiry::kind(),
        JobKind::SignInMail => sign_in_mail::kind(),
        JobKind::Escalation => escalation::kind(),
        JobKind::OnCallMail => on_call_mail::kind(),
        JobKind::ListingCheck => listing_check::kind(),
        JobKind::Analysis => analysis::kind(),
        JobKind::HeldMail => held_mail::kind(),
        JobKind::Extraction => extraction::kind(service),
    }
}

/// Returns whether this process runs jobs of a kind. Each kind costs a query per scan.
fn is_run(kind: JobKind, service: &Service) -> bool {
    kind != JobKind::Certificate || service.config.acme.enabled
}

/// Returns the definition of every job kind that this process runs.
#[must_use]
pub fn all(service: &Service) -> Vec<JobDefinition> {
    JobKind::ALL.iter().filter(|kind| is_run(**kind, service)).map(|kind| definition(*kind, service)).collect()
}
