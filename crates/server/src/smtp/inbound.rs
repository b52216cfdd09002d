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
    inbound::{
        receive::{self, InboundMail},
        recipient::{self, AcceptedRecipient, RecipientVerdict},
        screen_client::{self, ClientScreening, ScreeningRequest},
    },
    mailbox,
    service::Service,
};

/// The mail exchanger's state for one session.
pub(super) struct Inbound<'h> {
    frontend: &'h SmtpFrontend,
    service: &'h Arc<Service>,
    client_ip: IpAddr,
    /// Whether the accepted recipients are role addresses; `None` before the first.
    to_role: Option<bool>,
    /// The first accepted recipient of the transaction.
    first: Option<AcceptedRecipient>,
}

impl<'h> Inbound<'h> {
    pub(super) fn new(frontend: &'h SmtpFrontend, client_ip: IpAddr) -> Self {
        Self { frontend, service: &frontend.service, client_ip, to_role: None, first: None }
    }

    pub(super) fn sender(&self, query: &SenderQuery) -> SessionDecision {
        match &query.mail_from {
            Some(path) if path.to_address().is_none() => SessionDecision::Reject(replies::BAD_SENDER),
            _ => match self.frontend.count(self.client_ip, RateLimitedAction::Message) {
                Ok(()) => SessionDecision::Accept,
                Err(reached) => SessionDecision::Reject(replies::too_many_messages(reached)),
            },
        }
    }

    /// Rejects AUTH, which the mail exchanger never offers.
    pub(super) fn authenticate(&self) -> SessionDecision {
        SessionDecision::Reject(replies::NO_AUTH)
    }

    pub(super) async fn recipient(&mut self, query: &RecipientQuery) -> SessionDecision {
        let Some(address) = self.address(&query.address) else { return self.refuse_unknown() };
        if self.service.store.damage().is_some() {
            // A damaged database may fail to find an existing inbox.
            return SessionDecision::Reject(replies::UNAVAILABLE);
        }
        let is_role = mailbox::recipient::is_role(&address);
        // Known recipients are refused too, because otherwise the client could go on guessing.
        if !is_role && let Err(reached) = self.frontend.check(self.client_ip, RateLimitedAction::UnknownRecipient) {
            return SessionDecision::Reject(replies::too_many_unknown_recipients(reached));
        }
        if !is_role && let Err(reached) = self.frontend.count(self.client_ip, RateLimitedAction::Recipient) {
            return SessionDecision::Reject(replies::too_many_recipients(reached));
        }
        let accepted = match recipient::recipient(self.service, &address, query.size).await {
            Ok(RecipientVerdict::Accept(accepted)) => accepted,
            Ok(RecipientVerdict::Unknown) => return self.refuse_unknown(),
            Ok(RecipientVerdict::Unread) => return SessionDecision::Reject(replies::UNREAD_RECIPIENT),
            Err(refusal) => {
                self.service.metrics.refused(&refusal);
                return SessionDecision::Reject(replies::refusal(&refusal));
            }
        };
        if query.accepted == 0 {
            (self.to_role, self.first) = (None, None);
        }
        // A message is refused as a whole, so a workspace that may have no room for it must be the only one.
        if self
            .first
            .is_some_and(|first| first.workspace != accepted.workspace && (first.may_not_fit || accepted.may_not_fit))
        {
            return SessionDecision::Reject(replies::SEPARATE_WORKSPACE_MAIL);
        }
        // A message is refused as a whole, and mail to role addresses must never be refused.
        if self.service.config.inbound.reject_dmarc_fail && self.to_role.is_some_and(|so_far| so_far != is_role) {
            return SessionDecision::Reject(replies::SEPARATE_ROLE_MAIL);
        }
        let verdict = self.screen(query, &address).await;
        if verdict == SessionDecision::Accept {
            self.to_role = Some(is_role);
            self.first.get_or_insert(accepted);
        }
        verdict
    }

    /// Refuses a recipient without an inbox, and counts it. Over the limit per minute the session ends.
    fn refuse_unknown(&self) -> SessionDecision {
        SessionDecision::Reject(match self.frontend.count(self.client_ip, RateLimitedAction::UnknownRecipient) {
            Ok(()) => replies::UNKNOWN_RECIPIENT,
            Err(reached) => replies::too_many_unknown_recipients(reached),
        })
    }

    /// Applies blocklists and greylisting to the client.
    async fn screen(&self, query: &RecipientQuery, recipient: &Address) -> SessionDecision {
        let mail_from = query.mail_from.as_ref().and_then(EnvelopeAddress::to_address);
        let offer = ScreeningRequest { client_ip: self.client_ip, mail_from: mail_from.as_ref(), recipient };
        let (rule, reply) = match screen_client::screen(self.service, offer).await {
            Ok(ClientScreening::Accept) => return SessionDecision::Accept,
            Ok(ClientScreening::Listed(list)) => ("dnsbl", replies::listed(self.client_ip, &list)),
            Ok(ClientScreening::RetryLater) => ("greylisting", replies::GREYLISTED),
            Err(refusal) => return SessionDecision::Reject(replies::refusal(&refusal)),
        };
        self.service.metrics.smtp_rejected_by_policy(rule);
        tracing::debug!(client = %self.client_ip, rule, "smtp.refused_by_policy");
        SessionDecision::Reject(reply)
    }

    /// Returns the address of a path. `<postmaster>` without a domain is at the default domain (RFC 5321 §4.5.1).
    fn address(&self, path: &EnvelopeAddress) -> Option<Address> {
        match path.domain() {
            Some(_) => path.to_address(),
            None => Address::parse_smtp(&format!("{path}@{}", self.service.config.mail.default_domain)).ok(),
        }
    }

    /// Stores a message for its recipients.
    pub(super) async fn store(&self, transaction: InboundTransaction, tls: Option<String>) -> ServerReply {
        let service = self.service;
        let began = service.clock.now();
        let body_bytes = transaction.data.len();
        let recipients = transaction.recipients.len();
        let result = receive::receive(service, self.arrival(transaction, tls)).await;
        let took_ms = service.clock.now().since_ms(began);
        match result {
            Ok(ids) => {
                service.metrics.smtp_message("stored");
                let message_id = ids.first().map(ToString::to_string).unwrap_or_default();
                tracing::debug!(message_id, outcome = "stored", body_bytes, recipients, took_ms, "smtp.message");
                // A report about mail of a deleted inbox is processed but not stored.
                let text = if ids.is_empty() { "Processed".to_owned() } else { format!("Stored as {message_id}") };
                ServerReply::new(250, EnhancedStatusCode(2, 0, 0), text)
            }
            Err(refusal) => {
                service.storage_health.record(&refusal);
                service.metrics.refused(&refusal);
                let reply = replies::refusal(&refusal);
                let outcome = if reply.code() < 500 { "deferred" } else { "refused" };
                service.metrics.smtp_message(outcome);
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
            may_not_fit_in: self.first.filter(|first| first.may_not_fit).and_then(|first| first.workspace),
            visibility: mailbox::Visibility::Shown,
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
