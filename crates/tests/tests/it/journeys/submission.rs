//! Mail programs hand in mail: a login, a message as they wrote it, and the way of any sent message (decision 16).

mod login;
mod message;
mod programs;
mod refusals;

use posthouse_tests::{
    Options,
    http::Reply,
    smtp::{SmtpClient, SmtpReply},
};
use serde_json::json;

use crate::desk::Desk;

/// A server, and an inbox on it that mail programs write for.
async fn office() -> Desk {
    office_with(Options::default()).await
}

async fn office_with(options: Options) -> Desk {
    Desk::with_inbox(options, json!({ "username": "sam", "display_name": "Sam" })).await
}

impl Desk {
    /// A session that has said EHLO and nothing else.
    async fn session(&self) -> SmtpClient {
        SmtpClient::greeted(self.server.submission_address()).await
    }

    /// A session of the inbox.
    async fn logged_in(&self) -> SmtpClient {
        let mut session = self.session().await;
        session.log_in(&self.inbox.address, &self.key.secret).await.says(235, "2.7.0");
        session
    }

    /// Hands in a message of the inbox to one recipient.
    async fn hand_in(&self, to: &str, raw: &str) -> SmtpReply {
        let mut session = self.logged_in().await;
        let reply = session.mail(&self.inbox.address, &[to], raw.as_bytes()).await;
        session.quit().await;
        reply
    }

    /// The message that a 250 names.
    async fn handed_in(&self, reply: &SmtpReply) -> Reply {
        self.api.get(&format!("/v1/messages/{}", reply.id())).await.expect(200)
    }
}

/// A whole message of the inbox.
fn letter(subject: &str) -> String {
    format!(
        "From: Sam <sam@agents.localhost>\r\nTo: dana@b.example\r\nSubject: {subject}\r\n\
         Date: Tue, 15 Sep 2026 11:59:00 +0000\r\nMessage-ID: <{}@program.example>\r\n\r\nHello.\r\n",
        subject.replace(' ', ".")
    )
}
