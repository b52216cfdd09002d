//! The mail exchanger's side of a session (RFC 5321): anyone may send to an inbox of this service.

use std::{net::IpAddr, sync::Arc};

use posthouse_mail::{
    address::Address,
    smtp::{
        command::EnvelopeAddress,
        reply::{EnhancedStatusCode, ServerReply},
        server::{InboundTransaction, RecipientQuery, SenderQuery, SessionDecision},
    },
};

use super::{client_limits::RateLimitedAction, frontend::SmtpFrontend, replies};
use posthouse_app::{
    app::App,
    inbound::{
        receive::{self, InboundMail},
        recipient::{self, RecipientVerdict},
        screen_client::{self, ClientScreening, ScreeningRequest},
    },
};

/// The mail exchanger's state for one session.
pub(super) struct Inbound<'h> {
    frontend: &'h SmtpFrontend,
    app: &'h Arc<App>,
    client_ip: IpAddr,
    /// Whether the accepted recipients are role addresses; `None` before the first.
    to_role: Option<bool>,
}

impl<'h> Inbound<'h> {
    pub(super) fn new(frontend: &'h SmtpFrontend, client_ip: IpAddr) -> Self {
        Self { frontend, app: &frontend.app.app, client_ip, to_role: None }
    }

    pub(super) fn sender(&self, query: &SenderQuery) -> SessionDecision {
        match &query.mail_from {
            Some(path) if path.to_address().is_none() => SessionDecision::Reject(replies::BAD_SENDER),
            _ if !self.frontend.allow(self.client_ip, RateLimitedAction::Message) => {
                SessionDecision::Reject(replies::TOO_MANY_MESSAGES)
            }
            _ => SessionDecision::Accept,
        }
    }

    /// Rejects AUTH, which the mail exchanger never offers.
    pub(super) fn authenticate(&self) -> SessionDecision {
        SessionDecision::Reject(replies::NO_AUTH)
    }

    pub(super) async fn recipient(&mut self, query: &RecipientQuery) -> SessionDecision {
        let Some(address) = self.address(&query.address) else {
            return SessionDecision::Reject(replies::UNKNOWN_RECIPIENT);
        };
        if self.app.store.damage().is_some() {
            // A damaged database may fail to find an existing inbox.
            return SessionDecision::Reject(replies::UNAVAILABLE);
        }
        let is_role = recipient::is_role(&address);
        if !is_role && !self.frontend.allow(self.client_ip, RateLimitedAction::Recipient) {
            return SessionDecision::Reject(replies::TOO_MANY_RECIPIENTS);
        }
        match recipient::recipient(self.app, &address).await {
            Ok(RecipientVerdict::Accept) => {}
            Ok(RecipientVerdict::Unknown) => return SessionDecision::Reject(replies::UNKNOWN_RECIPIENT),
            Err(refusal) => return SessionDecision::Reject(replies::refusal(&refusal)),
        }
        if query.accepted == 0 {
            self.to_role = None;
        }
        // A message is refused as a whole, and mail to role addresses must never be refused.
        if self.app.config.inbound.reject_dmarc_fail && self.to_role.is_some_and(|so_far| so_far != is_role) {
            return SessionDecision::Reject(replies::SEPARATE_ROLE_MAIL);
        }
        let verdict = self.screen(query, &address).await;
        if verdict == SessionDecision::Accept {
            self.to_role = Some(is_role);
        }
        verdict
    }

    /// Applies blocklists and greylisting to the client.
    async fn screen(&self, query: &RecipientQuery, recipient: &Address) -> SessionDecision {
        let mail_from = query.mail_from.as_ref().and_then(EnvelopeAddress::to_address);
        let offer = ScreeningRequest { client_ip: self.client_ip, mail_from: mail_from.as_ref(), recipient };
        let (rule, reply) = match screen_client::screen(self.app, &self.frontend.app.blocklist_cache, offer).await {
            Ok(ClientScreening::Accept) => return SessionDecision::Accept,
            Ok(ClientScreening::Listed(list)) => ("dnsbl", replies::listed(self.client_ip, &list)),
            Ok(ClientScreening::RetryLater) => ("greylisting", replies::GREYLISTED),
            Err(refusal) => return SessionDecision::Reject(replies::refusal(&refusal)),
        };
        self.app.metrics.smtp_rejected_by_policy(rule);
        tracing::debug!(client = %self.client_ip, rule, "smtp.turned_away");
        SessionDecision::Reject(reply)
    }

    /// Returns the address of a path. `<postmaster>` without a domain is at the default domain (RFC 5321 §4.5.1).
    fn address(&self, path: &EnvelopeAddress) -> Option<Address> {
        match path.domain() {
            Some(_) => path.to_address(),
            None => Address::parse_smtp(&format!("{path}@{}", self.app.config.mail.default_domain)).ok(),
        }
    }

    /// Stores a message for its recipients.
    pub(super) async fn store(&self, transaction: InboundTransaction, tls: Option<String>) -> ServerReply {
        let app = self.app;
        let began = app.clock.now();
        let body_bytes = transaction.data.len();
        let recipients = transaction.recipients.len();
        let result = receive::receive(app, self.arrival(transaction, tls)).await;
        let took_ms = app.clock.now().since_ms(began);
        match result {
            Ok(ids) => {
                app.metrics.smtp_message("stored");
                let message_id = ids.first().map(ToString::to_string).unwrap_or_default();
                tracing::debug!(message_id, outcome = "stored", body_bytes, recipients, took_ms, "smtp.message");
                // A report about mail of a deleted inbox is processed but not stored.
                let text = if ids.is_empty() { "Processed".to_owned() } else { format!("Stored as {message_id}") };
                ServerReply::new(250, EnhancedStatusCode(2, 0, 0), text)
            }
            Err(refusal) => {
                app.storage_health.record(&refusal);
                let reply = replies::refusal(&refusal);
                let outcome = if reply.code() < 500 { "deferred" } else { "refused" };
                app.metrics.smtp_message(outcome);
                tracing::debug!(outcome, code = refusal.code.text(), body_bytes, recipients, took_ms, "smtp.message");
                reply
            }
        }
    }

    fn arrival(&self, transaction: InboundTransaction, tls: Option<String>) -> InboundMail {
        InboundMail {
            protocol: protocol(&transaction),
            mail_from: transaction.mail_from.as_ref().and_then(EnvelopeAddress::to_address),
            recipients: transaction.recipients.iter().filter_map(|path| self.address(path)).collect(),
            raw: transaction.data,
            client_ip: self.client_ip,
            helo: transaction.helo,
            tls,
        }
    }
}

/// Returns the transmission type for the trace field (RFC 3848, RFC 6531 §4.3).
fn protocol(transaction: &InboundTransaction) -> &'static str {
    match (transaction.smtputf8, transaction.tls, transaction.esmtp) {
        (true, true, _) => "UTF8SMTPS",
        (true, false, _) => "UTF8SMTP",
        (false, true, _) => "ESMTPS",
        (false, false, true) => "ESMTP",
        (false, false, false) => "SMTP",
    }
}
