//! What the mail exchanger answers in a session (RFC 5321, decision 17): anybody may write to who is here.

use std::{net::IpAddr, sync::Arc};

use posthouse_mail::{
    address::Address,
    smtp::{
        command::EnvelopeAddress,
        reply::{EnhancedCode, Reply},
        server::{RecipientQuery, SenderQuery, Transaction, Verdict},
    },
};

use super::{listener::House, rates::Counted, replies};
use crate::app::{
    App,
    receive::{self, Arrival, RecipientVerdict},
    screen_client::{self, Offer, Screening},
};

/// The desk of one session.
pub(super) struct Inbound<'h> {
    house: &'h House,
    app: &'h Arc<App>,
    client_ip: IpAddr,
    /// Whether the recipients taken so far are role addresses; none before the first.
    to_role: Option<bool>,
}

impl<'h> Inbound<'h> {
    pub(super) fn new(house: &'h House, client_ip: IpAddr) -> Self {
        Self { house, app: &house.app, client_ip, to_role: None }
    }

    pub(super) fn sender(&self, query: &SenderQuery) -> Verdict {
        match &query.mail_from {
            Some(path) if path.to_address().is_none() => Verdict::Reject(replies::BAD_SENDER),
            _ if !self.house.may(self.client_ip, Counted::Message) => Verdict::Reject(replies::TOO_MANY_MESSAGES),
            _ => Verdict::Accept,
        }
    }

    /// AUTH is never offered at this door, so the session never asks this.
    pub(super) fn authenticate(&self) -> Verdict {
        Verdict::Reject(replies::NO_AUTH)
    }

    pub(super) async fn recipient(&mut self, query: &RecipientQuery) -> Verdict {
        let Some(address) = self.address(&query.address) else {
            return Verdict::Reject(replies::UNKNOWN_RECIPIENT);
        };
        if self.app.store.damage().is_some() {
            // What a damaged database does not find may be there all the same.
            return Verdict::Reject(replies::UNAVAILABLE);
        }
        let is_role = receive::is_role(&address);
        if !is_role && !self.house.may(self.client_ip, Counted::Recipient) {
            return Verdict::Reject(replies::TOO_MANY_RECIPIENTS);
        }
        match receive::recipient(self.app, &address).await {
            Ok(RecipientVerdict::Accept) => {}
            Ok(RecipientVerdict::Unknown) => return Verdict::Reject(replies::UNKNOWN_RECIPIENT),
            Err(refusal) => return Verdict::Reject(replies::refusal(&refusal)),
        }
        if query.accepted == 0 {
            self.to_role = None;
        }
        // A whole message is refused or taken; what must never be refused travels alone.
        if self.app.config.smtp.reject_dmarc_fail && self.to_role.is_some_and(|so_far| so_far != is_role) {
            return Verdict::Reject(replies::ROLE_APART);
        }
        let verdict = self.screen(query, &address).await;
        if verdict == Verdict::Accept {
            self.to_role = Some(is_role);
        }
        verdict
    }

    /// What the operator's rules say of the client.
    async fn screen(&self, query: &RecipientQuery, recipient: &Address) -> Verdict {
        let mail_from = query.mail_from.as_ref().and_then(EnvelopeAddress::to_address);
        let offer = Offer { client_ip: self.client_ip, mail_from: mail_from.as_ref(), recipient };
        let (rule, reply) = match screen_client::screen(self.app, offer).await {
            Ok(Screening::Welcome) => return Verdict::Accept,
            Ok(Screening::Listed(list)) => ("dnsbl", replies::listed(self.client_ip, &list)),
            Ok(Screening::ComeBack) => ("greylisting", replies::GREYLISTED),
            Err(refusal) => return Verdict::Reject(replies::refusal(&refusal)),
        };
        self.app.metrics.smtp_screened(rule);
        tracing::debug!(client = %self.client_ip, rule, "smtp.turned_away");
        Verdict::Reject(reply)
    }

    /// The address meant by a path; `<postmaster>` alone is ours (RFC 5321 §4.5.1).
    fn address(&self, path: &EnvelopeAddress) -> Option<Address> {
        match path.domain() {
            Some(_) => path.to_address(),
            None => Address::parse_smtp(&format!("{path}@{}", self.app.config.mail.default_domain)).ok(),
        }
    }

    /// Stores a message for its recipients.
    pub(super) async fn store(&self, transaction: Transaction, tls: Option<String>) -> Reply {
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
                // A report about mail of a deleted inbox is heard and kept nowhere.
                let words = if ids.is_empty() { "Heard".to_owned() } else { format!("Stored as {message_id}") };
                Reply::new(250, EnhancedCode(2, 0, 0), words)
            }
            Err(refusal) => {
                app.shortage.note(&refusal);
                let reply = replies::refusal(&refusal);
                let outcome = if reply.code() < 500 { "deferred" } else { "refused" };
                app.metrics.smtp_message(outcome);
                tracing::debug!(outcome, code = refusal.code.text(), body_bytes, recipients, took_ms, "smtp.message");
                reply
            }
        }
    }

    fn arrival(&self, transaction: Transaction, tls: Option<String>) -> Arrival {
        Arrival {
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

/// The transmission type of the trace field (RFC 3848, RFC 6531 §4.3).
fn protocol(transaction: &Transaction) -> &'static str {
    match (transaction.smtputf8, transaction.tls, transaction.esmtp) {
        (true, true, _) => "UTF8SMTPS",
        (true, false, _) => "UTF8SMTP",
        (false, true, _) => "ESMTPS",
        (false, false, true) => "ESMTP",
        (false, false, false) => "SMTP",
    }
}
