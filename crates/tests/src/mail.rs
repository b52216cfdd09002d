//! Mail as tests write it: short, right where it matters, and dated by the manual clock.

use std::net::{IpAddr, Ipv4Addr};

use posthouse_domain::{id::MessageId, time::Time};
use posthouse_mail::address::Address;
use posthouse_server::{
    app::receive::{Arrival, receive},
    ports::Clock,
};
use posthouse_store::messages;

use crate::{
    fixtures::{TestInbox, TestKey},
    http::Api,
    server::TestServer,
    smtp::{SmtpClient, SmtpReply},
};

/// Who writes, when a test does not say.
pub const SENDER: &str = "alice@remote.example";

/// A plain-text mail to be written out by [`Letter::raw`].
#[derive(Clone, Debug)]
pub struct Letter {
    fields: Vec<(String, String)>,
    text: String,
}

impl Letter {
    /// A letter with a subject and a text.
    #[must_use]
    pub fn new(subject: &str, text: &str) -> Self {
        Self { fields: vec![("Subject".to_owned(), subject.to_owned())], text: text.to_owned() }
    }

    /// Sets a header field; those of the same name go.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.fields.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The bytes, with the fields that no mail may lack.
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

/// A date as header fields have it (RFC 5322 §3.3; the day of the week may be left out).
fn date(time: Time) -> String {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = time.to_string();
    let month: usize = text[5..7].parse().expect("a time shows its month in two digits");
    format!("{} {} {} {} +0000", &text[8..10], MONTHS[month - 1], &text[..4], &text[11..19])
}

impl TestServer {
    /// A session with the mail exchanger, greeted.
    pub async fn smtp(&self) -> SmtpClient {
        SmtpClient::greeted(self.smtp_address()).await
    }

    /// Delivers a letter to one address over SMTP. The clock moves on by a millisecond first, so that mail has an order.
    ///
    /// # Panics
    /// Where it is refused.
    pub async fn deliver(&self, letter: &Letter, to: &str) {
        self.clock.advance(1);
        self.deliver_raw(letter.raw(to, self.clock.now()).as_bytes(), &[to]).await.expect(250);
    }

    /// Delivers bytes over SMTP from [`SENDER`]; the last reply.
    pub async fn deliver_raw(&self, raw: &[u8], to: &[&str]) -> SmtpReply {
        let mut client = self.smtp().await;
        let reply = client.mail(SENDER, to, raw).await;
        client.quit().await;
        reply
    }

    /// Stores a mail as the end of an SMTP session does, without the session: no wait of it is on the clock. The id of
    /// the message.
    ///
    /// # Panics
    /// Where it is refused.
    pub async fn arrive(&self, at: &TestInbox, raw: impl Into<Vec<u8>>) -> MessageId {
        self.arrive_at(&[at], raw).await[0]
    }

    /// The same for several recipients of one mail; the ids of the copies in their order.
    ///
    /// # Panics
    /// Where it is refused.
    pub async fn arrive_at(&self, at: &[&TestInbox], raw: impl Into<Vec<u8>>) -> Vec<MessageId> {
        let arrival = Arrival {
            mail_from: Address::parse("dana@sender.example").ok(),
            recipients: at.iter().map(|inbox| Address::parse(&inbox.address).expect("an address")).collect(),
            raw: raw.into(),
            client_ip: IpAddr::V4(Ipv4Addr::LOCALHOST),
            helo: "client.example".to_owned(),
            protocol: "ESMTP",
            tls: None,
        };
        receive(self.app(), arrival).await.expect("the mail is taken")
    }

    /// Our own trace lines of a message.
    ///
    /// # Panics
    /// Where it is not stored.
    pub async fn trace_of(&self, key: &TestKey, id: &str) -> String {
        let (workspace, id) = (key.workspace, id.parse().expect("the id of a message"));
        let found = self.store().read(move |tx| messages::get(tx, workspace, id)).await;
        found.expect("the store works").expect("the message is stored").trace
    }

    /// The raw bytes of every message of an inbox as they were received, newest first.
    ///
    /// # Panics
    /// Where they are more than one page, or do not stand behind our trace lines.
    pub async fn raw_mails(&self, key: &TestKey, inbox: &TestInbox) -> Vec<Vec<u8>> {
        let api = self.api(key);
        let list = api.get(&format!("/v1/inboxes/{}/messages?limit=100", inbox.id)).await.expect(200);
        assert!(list["next_cursor"].is_null(), "{list}");
        let mut mails = Vec::new();
        for message in list.data() {
            let id = message["id"].as_str().expect("an id is text");
            let raw = api.get(&format!("/v1/messages/{id}/raw")).await.expect(200).bytes;
            let trace = self.trace_of(key, id).await;
            mails.push(raw.strip_prefix(trace.as_bytes()).expect("our trace lines come first").to_vec());
        }
        mails
    }

    /// The newest message of an inbox as the API shows it in its list.
    ///
    /// # Panics
    /// Where there is none.
    pub async fn newest(&self, api: &Api, inbox: &str) -> serde_json::Value {
        let list = api.get(&format!("/v1/inboxes/{inbox}/messages?limit=1")).await.expect(200);
        list.data().first().cloned().unwrap_or_else(|| panic!("the inbox is empty: {list}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_has_the_fields_that_no_mail_may_lack_once() {
        let now = Time::parse(crate::clock::START).unwrap();
        let raw = Letter::new("Hi", "one\ntwo").with("From", "b@c.example").raw("a@b.example", now);
        assert!(raw.contains("Date: 15 Sep 2026 12:00:00 +0000\r\n"), "{raw}");
        assert!(raw.ends_with("\r\n\r\none\r\ntwo\r\n"), "{raw}");
        assert_eq!(raw.matches("From: ").count(), 1);
    }
}
