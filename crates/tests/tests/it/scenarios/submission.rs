//! SMTP submission by mail programs: authentication, a raw message, and the normal path of a sent message.

mod login;
mod message;
mod programs;
mod refusals;

use posthouse_tests::{
    ServerOptions,
    http::ApiResponse,
    smtp::{SmtpReply, TestSmtpClient},
};
use serde_json::json;

use crate::inbox_fixture::InboxFixture;

/// Starts a server with an inbox for mail programs.
async fn fixture() -> InboxFixture {
    fixture_with(ServerOptions::default()).await
}

async fn fixture_with(options: ServerOptions) -> InboxFixture {
    InboxFixture::with_inbox(options, json!({ "username": "sam", "display_name": "Sam" })).await
}

impl InboxFixture {
    /// Opens a session up to EHLO.
    async fn session(&self) -> TestSmtpClient {
        TestSmtpClient::connect_with_ehlo(self.server.submission_address()).await
    }

    /// Opens an authenticated session for the inbox.
    async fn authenticated_session(&self) -> TestSmtpClient {
        let mut session = self.session().await;
        session.log_in(&self.inbox.address, &self.key.secret).await.expect_enhanced(235, "2.7.0");
        session
    }

    /// Submits a message of the inbox to one recipient.
    async fn submit(&self, to: &str, raw: &str) -> SmtpReply {
        let mut session = self.authenticated_session().await;
        let reply = session.mail(&self.inbox.address, &[to], raw.as_bytes()).await;
        session.quit().await;
        reply
    }

    /// Returns the message that a 250 reply names.
    async fn submitted_message(&self, reply: &SmtpReply) -> ApiResponse {
        self.api.get(&format!("/v1/messages/{}", reply.id())).await.expect(200)
    }
}

/// Returns a complete message of the inbox.
fn raw_message(subject: &str) -> String {
    format!(
        "From: Sam <sam@agents.localhost>\r\nTo: dana@b.example\r\nSubject: {subject}\r\n\
         Date: Tue, 15 Sep 2026 11:59:00 +0000\r\nMessage-ID: <{}@program.example>\r\n\r\nHello.\r\n",
        subject.replace(' ', ".")
    )
}
