//! Test messages: short, written next to the assertion, and dated by the manual clock.

use std::net::{IpAddr, Ipv4Addr};

use posthouse_app::{
    inbound::receive::{InboundMail, receive},
    mailbox::{self, Visibility, show::Showing},
    ports::Clock,
};
use posthouse_domain::{id::MessageId, message::HoldReason, time::Time};
use posthouse_mail::{
    address::Address,
    dkim::{DkimKey, DkimSignOptions},
};
use posthouse_store::{Tx, inboxes, messages};

use crate::{
    fixtures::{TestInbox, TestKey},
    http::Api,
    server::TestServer,
    smtp::{SmtpReply, TestSmtpClient},
};

/// The default sender.
pub const SENDER: &str = "alice@remote.example";

/// A plain-text message, serialized by [`TestMessage::raw`].
#[derive(Clone, Debug)]
pub struct TestMessage {
    fields: Vec<(String, String)>,
    text: String,
}

impl TestMessage {
    /// Creates a message with a subject and a text.
    #[must_use]
    pub fn new(subject: &str, text: &str) -> Self {
        Self { fields: vec![("Subject".to_owned(), subject.to_owned())], text: text.to_owned() }
    }

    /// Sets a header field, replacing fields of the same name.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.fields.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns the bytes, with defaults for the required header fields.
    #[must_use]
    pub fn raw(&self, to: &str, now: Time) -> String {
        let mut out = String::new();
        let mut put = |name: &str, value: &str| {
            if !self.fields.iter().any(|(other, _)| other.eq_ignore_ascii_case(name)) {
                out.push_str(&format!("{name}: {value}\r\n"));
            }
        };
        put("From", &format!("Alice <{SENDER}>"));
        put("To", to);
        put("Date", &date(now));
        put("Message-ID", &format!("<{}.{}@remote.example>", now.millis(), self.text.len()));
        for (name, value) in &self.fields {
            out.push_str(&format!("{name}: {value}\r\n"));
        }
        format!("{out}\r\n{}\r\n", self.text.replace("\r\n", "\n").replace('\n', "\r\n"))
    }
}

/// Formats a time as a `Date` header field value without the day of the week (RFC 5322 §3.3).
fn date(time: Time) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = time.to_string();
    let month: usize = text[5..7].parse().expect("a time shows its month in two digits");
    format!("{} {} {} {} +0000", &text[8..10], MONTHS[month - 1], &text[..4], &text[11..19])
}

/// A captured mail of the service.
#[derive(Clone, Debug)]
pub struct CapturedMail {
    /// The recipients.
    pub to: Vec<String>,
    /// The mail, with the links in place.
    pub raw: String,
}

impl TestServer {
    /// Opens an SMTP session with the service, up to EHLO.
    pub async fn smtp(&self) -> TestSmtpClient {
        TestSmtpClient::connect_with_ehlo(self.smtp_address()).await
    }

    /// Delivers a message to one address over SMTP. Moves the clock by a millisecond first, so that messages have an
    /// order.
    ///
    /// # Panics
    /// Panics if the message is rejected.
    pub async fn deliver(&self, message: &TestMessage, to: &str) {
        self.clock.advance(1);
        self.deliver_raw(message.raw(to, self.clock.now()).as_bytes(), &[to]).await.expect(250);
    }

    /// Delivers a message to one address over SMTP from an envelope sender whose domain names this client in SPF.
    ///
    /// # Panics
    /// Panics if the message is rejected.
    pub async fn deliver_from(&self, message: &TestMessage, from: &str, to: &str) {
        let domain = from.rsplit_once('@').expect("an address").1;
        self.dns.txt(domain, "v=spf1 ip4:127.0.0.1 -all");
        self.clock.advance(1);
        let mut client = self.smtp().await;
        client.mail(from, &[to], message.raw(to, self.clock.now()).as_bytes()).await.expect(250);
        client.quit().await;
    }

    /// Returns a message with a DKIM signature of its author's domain, whose key it publishes.
    ///
    /// # Panics
    /// Panics if the message can't be signed.
    pub fn signed(&self, domain: &str, raw: &str) -> String {
        let key = DkimKey::generate_ed25519().expect("a key");
        self.dns.txt(&format!("test._domainkey.{domain}"), &key.dns_record().expect("a record"));
        let options = DkimSignOptions { domain, selector: "test", now_s: self.clock.now().seconds() };
        key.sign(raw.as_bytes(), &options).expect("a signature") + raw
    }

    /// Delivers bytes over SMTP from [`SENDER`] and returns the last reply.
    pub async fn deliver_raw(&self, raw: &[u8], to: &[&str]) -> SmtpReply {
        let mut client = self.smtp().await;
        let reply = client.mail(SENDER, to, raw).await;
        client.quit().await;
        reply
    }

    /// Stores a message as the end of an SMTP session does, without the session and thus without its timers. Returns
    /// the message id.
    ///
    /// # Panics
    /// Panics if the message is rejected.
    pub async fn receive_message(&self, at: &TestInbox, raw: impl Into<Vec<u8>>) -> MessageId {
        self.receive_for(&[at], raw).await[0]
    }

    /// Stores one message for several recipients. Returns the message ids in the order of the recipients.
    ///
    /// # Panics
    /// Panics if the message is rejected.
    pub async fn receive_for(&self, at: &[&TestInbox], raw: impl Into<Vec<u8>>) -> Vec<MessageId> {
        self.receive_arrival(at, raw.into(), Visibility::Shown).await
    }

    /// Stores a message that agents don't get until it is released. Returns the message id.
    ///
    /// # Panics
    /// Panics if the message is rejected.
    pub async fn receive_held(&self, at: &TestInbox, message: &TestMessage, reason: HoldReason) -> MessageId {
        self.receive_with(at, message, Visibility::Held(reason)).await
    }

    /// Stores a message that agents don't get until a check has passed it. Returns the message id.
    ///
    /// # Panics
    /// Panics if the message is rejected.
    pub async fn receive_pending(&self, at: &TestInbox, message: &TestMessage) -> MessageId {
        self.receive_with(at, message, Visibility::Pending(self.clock.now().plus_ms(1_000))).await
    }

    /// Stores a message. Moves the clock by a millisecond first. Returns the message id.
    ///
    /// # Panics
    /// Panics if the message is rejected.
    pub async fn receive_with(&self, at: &TestInbox, message: &TestMessage, visibility: Visibility) -> MessageId {
        self.clock.advance(1);
        let raw = message.raw(&at.address, self.clock.now()).into_bytes();
        self.receive_arrival(&[at], raw, visibility).await[0]
    }

    /// Shows a message that was held or pending, as a check does that passes it. Moves the clock by a millisecond first.
    ///
    /// # Panics
    /// Panics if there is no such message.
    pub async fn show(&self, key: &TestKey, id: MessageId) {
        self.clock.advance(1);
        let (workspace, address_key) =
            (key.workspace, self.service().address_key().expect("the instance key is available"));
        let (ids, now) = (self.service().clock.ids(), self.clock.now());
        let write = move |tx: &mut Tx| {
            let found = messages::get(tx, workspace, id)?.expect("the message is stored");
            let inbox = inboxes::lock(tx, workspace, found.inbox)?.expect("the inbox exists");
            messages::lock(tx, workspace, &[id])?;
            let found = messages::get(tx, workspace, id)?.expect("the message is stored");
            mailbox::show(tx, &found, Showing { inbox: &inbox, key: &address_key, ids: &ids, now })
        };
        self.store().write(write).await.expect("the store works");
    }

    /// Holds a message: one that was pending, as a check does that finds something; one that was shown, as the text of a file
    /// does. Moves the clock by a millisecond first.
    ///
    /// # Panics
    /// Panics if there is no such message.
    pub async fn hold(&self, key: &TestKey, id: MessageId, reason: HoldReason) {
        self.clock.advance(1);
        let (workspace, now) = (key.workspace, self.clock.now());
        let write = move |tx: &mut Tx| {
            messages::lock(tx, workspace, &[id])?;
            let found = messages::get(tx, workspace, id)?.expect("the message is stored");
            if found.held == Some(HoldReason::Pending) {
                return messages::end_pending(tx, &found, Some(reason), now).map(drop);
            }
            let mut check = found.local_check.clone().unwrap_or_default();
            check.was_shown = true;
            messages::set_local_check(tx, &posthouse_domain::Message { local_check: Some(check), ..found })?;
            messages::hold(tx, workspace, id, reason)
        };
        self.store().write(write).await.expect("the store works");
    }

    async fn receive_arrival(&self, at: &[&TestInbox], raw: Vec<u8>, visibility: Visibility) -> Vec<MessageId> {
        let arrival = InboundMail {
            mail_from: Address::parse("dana@sender.example").ok(),
            recipients: at.iter().map(|inbox| Address::parse(&inbox.address).expect("an address")).collect(),
            raw,
            client_ip: IpAddr::V4(Ipv4Addr::LOCALHOST),
            helo: "client.example".to_owned(),
            protocol: "ESMTP",
            tls: None,
            may_not_fit_in: None,
            visibility,
        };
        receive(self.service(), arrival).await.expect("the message is accepted")
    }

    /// Returns the trace fields that the service added to a message.
    ///
    /// # Panics
    /// Panics if the message is not stored.
    pub async fn trace_fields(&self, key: &TestKey, id: &str) -> String {
        let (workspace, id) = (key.workspace, id.parse().expect("the id of a message"));
        let found = self.store().read(move |tx| messages::get(tx, workspace, id)).await;
        found.expect("the store works").expect("the message is stored").trace
    }

    /// Returns the raw bytes of every message of an inbox as received, newest first.
    ///
    /// # Panics
    /// Panics if there is more than one page, or if the trace fields are not at the start.
    pub async fn raw_messages(&self, key: &TestKey, inbox: &TestInbox) -> Vec<Vec<u8>> {
        let api = self.api(key);
        let list = api.get(&format!("/v1/inboxes/{}/messages?limit=100", inbox.id)).await.expect(200);
        assert!(list["next_cursor"].is_null(), "{list}");
        let mut messages = Vec::new();
        for message in list.data() {
            let id = message["id"].as_str().expect("an id is text");
            let raw = api.get(&format!("/v1/messages/{id}/raw")).await.expect(200).bytes;
            let trace = self.trace_fields(key, id).await;
            messages.push(raw.strip_prefix(trace.as_bytes()).expect("our trace lines come first").to_vec());
        }
        messages
    }

    /// Returns the captured mails that the service wrote for a workspace, newest first.
    ///
    /// # Panics
    /// Panics if the outbox can't be read.
    pub async fn service_mails(&self, api: &Api) -> Vec<CapturedMail> {
        self.settle().await;
        let outbox = api.get("/dev/outbox").await.expect(200);
        let mut found = Vec::new();
        for entry in outbox.data() {
            let path = format!("/dev/outbox/{}/raw", entry["id"].as_str().expect("an id"));
            let raw = String::from_utf8(api.get(&path).await.expect(200).bytes).expect("a text");
            if raw.contains("<no-reply@") {
                let to = entry["envelope"]["to"].as_array().expect("recipients");
                found
                    .push(CapturedMail { to: to.iter().filter_map(|to| Some(to.as_str()?.to_owned())).collect(), raw });
            }
        }
        found
    }

    /// Returns the path of the link in the newest captured mail that the service wrote for a workspace; `below` is the start
    /// of the path.
    ///
    /// # Panics
    /// Panics if there is none.
    pub async fn service_link(&self, api: &Api, below: &str) -> String {
        let mails = self.service_mails(api).await;
        let newest = mails.iter().find(|mail| mail.raw.contains(below)).expect("a mail with a link");
        let at = newest.raw.find(below).expect("a link");
        newest.raw[at..].lines().next().expect("a line").trim_end().to_owned()
    }

    /// Returns the newest message of an inbox as it appears in the list.
    ///
    /// # Panics
    /// Panics if the inbox is empty.
    pub async fn newest_message(&self, api: &Api, inbox: &str) -> serde_json::Value {
        let list = api.get(&format!("/v1/inboxes/{inbox}/messages?limit=1")).await.expect(200);
        list.data().first().cloned().unwrap_or_else(|| panic!("the inbox is empty: {list}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_message_has_each_required_field_once() {
        let now = Time::parse(crate::clock::START).unwrap();
        let raw = TestMessage::new("Hi", "one\ntwo").with("From", "b@c.example").raw("a@b.example", now);
        assert!(raw.contains("Date: 15 Sep 2026 12:00:00 +0000\r\n"), "{raw}");
        assert!(raw.ends_with("\r\n\r\none\r\ntwo\r\n"), "{raw}");
        assert_eq!(raw.matches("From: ").count(), 1);
    }
}
