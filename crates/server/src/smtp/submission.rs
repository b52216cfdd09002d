//! What submission answers in a session (decision 16, RFC 6409, RFC 4954): an inbox writes to anybody, with a key that may
//! send from it.

use std::{net::IpAddr, sync::Arc};

use posthouse_mail::{
    address::Address,
    smtp::{
        command::EnvelopeAddress,
        reply::{EnhancedCode, Reply},
        server::{Credentials, RecipientQuery, SenderQuery, Transaction, Verdict},
    },
};

use super::{logins::FailedLogins, replies};
use crate::app::{
    App,
    submit::{self, Login},
};

/// The desk of one session.
pub(super) struct Submission<'h> {
    app: &'h Arc<App>,
    failed: &'h FailedLogins,
    client_ip: IpAddr,
    login: Option<Login>,
}

impl<'h> Submission<'h> {
    pub(super) fn new(app: &'h Arc<App>, failed: &'h FailedLogins, client_ip: IpAddr) -> Self {
        Self { app, failed, client_ip, login: None }
    }

    pub(super) async fn authenticate(&mut self, credentials: &Credentials) -> Verdict {
        self.login = None;
        let now = self.app.clock.now();
        if !self.failed.may_try(self.client_ip, now) {
            return Verdict::Reject(replies::TOO_MANY_LOGINS);
        }
        match submit::log_in(self.app, &credentials.user, &credentials.password).await {
            Ok(login) => {
                self.failed.succeeded(self.client_ip);
                self.login = Some(login);
                Verdict::Accept
            }
            Err(refusal) => {
                let reply = replies::login_refused(&refusal);
                if reply.code() >= 500 {
                    self.failed.failed(self.client_ip, now);
                    tracing::debug!(client = %self.client_ip, code = refusal.code.text(), "submission.login_refused");
                }
                Verdict::Reject(reply)
            }
        }
    }

    pub(super) fn sender(&self, query: &SenderQuery) -> Verdict {
        let Some(login) = &self.login else { return Verdict::Reject(replies::LOGIN_NEEDED) };
        match query.mail_from.as_ref().map(EnvelopeAddress::to_address) {
            Some(Some(address)) if login.is(&address) => Verdict::Accept,
            Some(None) => Verdict::Reject(replies::BAD_SENDER),
            _ => Verdict::Reject(replies::foreign_sender(login.address())),
        }
    }

    pub(super) fn recipient(&self, query: &RecipientQuery) -> Verdict {
        match self.address(&query.address) {
            Some(_) => Verdict::Accept,
            None => Verdict::Reject(replies::BAD_RECIPIENT),
        }
    }

    /// The address meant by a path. No mail goes to an address literal, and `<postmaster>` alone is ours (RFC 5321 §4.5.1).
    fn address(&self, path: &EnvelopeAddress) -> Option<Address> {
        match path.domain() {
            Some(_) => path.to_address().filter(|address| !address.is_literal()),
            None => Address::parse(&format!("{path}@{}", self.app.config.mail.default_domain)).ok(),
        }
    }

    /// Queues a message for its recipients.
    pub(super) async fn store(&self, transaction: Transaction) -> Reply {
        let Some(login) = &self.login else { return replies::LOGIN_NEEDED };
        let (began, body_bytes) = (self.app.clock.now(), transaction.data.len());
        let recipients: Vec<Address> = transaction.recipients.iter().filter_map(|path| self.address(path)).collect();
        let count = recipients.len();
        let submission = submit::Submission { recipients, raw: transaction.data };
        let result = submit::submit(self.app, login, submission).await;
        let took_ms = self.app.clock.now().since_ms(began);
        let (outcome, reply) = match result {
            Ok(id) => ("queued", Reply::new(250, EnhancedCode(2, 0, 0), format!("Queued as {id}"))),
            Err(refusal) => {
                self.app.shortage.note(&refusal);
                let reply = replies::submission_refused(&refusal);
                (if reply.code() < 500 { "deferred" } else { "refused" }, reply)
            }
        };
        self.app.metrics.submission(outcome);
        tracing::debug!(outcome, code = reply.code(), body_bytes, recipients = count, took_ms, "submission.message");
        reply
    }
}
