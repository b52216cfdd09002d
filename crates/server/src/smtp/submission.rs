//! The submission side of a session (RFC 6409, RFC 4954): an inbox sends to anyone, with an API key that may send from
//! it.

use std::{net::IpAddr, sync::Arc};

use posthouse_mail::{
    address::Address,
    smtp::{
        command::EnvelopeAddress,
        reply::{EnhancedStatusCode, ServerReply},
        server::{InboundTransaction, LoginCredentials, RecipientQuery, SenderQuery, SessionDecision},
    },
};

use super::{client_limits::FailedLogins, replies};
use posthouse_app::{
    outbound::submission::{self, SubmissionLogin},
    service::Service,
};

/// The submission state for one session.
pub(super) struct Submission<'h> {
    service: &'h Arc<Service>,
    failed_logins: &'h FailedLogins,
    client_ip: IpAddr,
    login: Option<SubmissionLogin>,
}

impl<'h> Submission<'h> {
    pub(super) fn new(service: &'h Arc<Service>, failed_logins: &'h FailedLogins, client_ip: IpAddr) -> Self {
        Self { service, failed_logins, client_ip, login: None }
    }

    pub(super) async fn authenticate(&mut self, credentials: &LoginCredentials) -> SessionDecision {
        self.login = None;
        let now = self.service.clock.now();
        if !self.failed_logins.may_log_in(self.client_ip, now) {
            return SessionDecision::Reject(replies::TOO_MANY_LOGINS);
        }
        match submission::log_in(self.service, &credentials.user, &credentials.password, self.client_ip).await {
            Ok(login) => {
                self.failed_logins.record_success(self.client_ip);
                self.login = Some(login);
                SessionDecision::Accept
            }
            Err(refusal) => {
                let reply = replies::login_refused(&refusal);
                if reply.code() >= 500 {
                    self.failed_logins.record_failure(self.client_ip, now);
                    tracing::debug!(client = %self.client_ip, code = refusal.code.text(), "submission.login_refused");
                }
                SessionDecision::Reject(reply)
            }
        }
    }

    pub(super) fn sender(&self, query: &SenderQuery) -> SessionDecision {
        let Some(login) = &self.login else { return SessionDecision::Reject(replies::LOGIN_NEEDED) };
        match query.mail_from.as_ref().map(EnvelopeAddress::to_address) {
            Some(Some(address)) if login.is(&address) => SessionDecision::Accept,
            Some(None) => SessionDecision::Reject(replies::BAD_SENDER),
            _ => SessionDecision::Reject(replies::foreign_sender(login.address())),
        }
    }

    pub(super) fn recipient(&self, query: &RecipientQuery) -> SessionDecision {
        match self.address(&query.address) {
            Some(_) => SessionDecision::Accept,
            None => SessionDecision::Reject(replies::BAD_RECIPIENT),
        }
    }

    /// Returns the address of a path, unless it is an address literal. `<postmaster>` without a domain is at the
    /// default domain (RFC 5321 §4.5.1).
    fn address(&self, path: &EnvelopeAddress) -> Option<Address> {
        match path.domain() {
            Some(_) => path.to_address().filter(|address| !address.is_literal()),
            None => Address::parse(&format!("{path}@{}", self.service.config.mail.default_domain)).ok(),
        }
    }

    /// Queues a message for its recipients.
    pub(super) async fn store(&self, transaction: InboundTransaction) -> ServerReply {
        let Some(login) = &self.login else { return replies::LOGIN_NEEDED };
        let (began, body_bytes) = (self.service.clock.now(), transaction.data.len());
        let recipients: Vec<Address> = transaction.recipients.iter().filter_map(|path| self.address(path)).collect();
        let count = recipients.len();
        let submission = submission::SubmissionRequest { recipients, raw: transaction.data };
        let result = submission::submit(self.service, login, submission).await;
        let took_ms = self.service.clock.now().since_ms(began);
        let (outcome, reply) = match result {
            Ok(submission::Submitted::Queued(id)) => ("queued", accepted(format!("Queued as {id}"))),
            Ok(submission::Submitted::Held(draft)) => ("held", accepted(format!("held for approval as draft {draft}"))),
            Err(refusal) => {
                self.service.storage_health.record(&refusal);
                self.service.metrics.refused(&refusal);
                let reply = replies::submission_refused(&refusal);
                (if reply.code() < 500 { "deferred" } else { "refused" }, reply)
            }
        };
        self.service.metrics.submission(outcome);
        tracing::debug!(outcome, code = reply.code(), body_bytes, recipients = count, took_ms, "submission.message");
        reply
    }
}

fn accepted(text: String) -> ServerReply {
    ServerReply::new(250, EnhancedStatusCode(2, 0, 0), text)
}
