//! A browser of a person: signs in by mail and sends the session cookie.

use posthouse_app::people::sign_in::OperatorLink;
use serde_json::json;

use crate::{
    TestServer,
    fixtures::TestKey,
    http::{Api, ApiResponse},
};

/// The header that changes from the dashboard have.
pub const FROM_DASHBOARD: (&str, &str) = ("X-Requested-With", "service-web");

/// What a sign-in mail contains.
pub struct SignInMail {
    /// The token of the link.
    pub token: String,
    /// The six digits; empty in an invitation.
    pub code: String,
    /// The whole mail.
    pub text: String,
}

impl TestServer {
    /// Asks for a sign-in link and runs the jobs.
    pub async fn request_link(&self, email: &str) {
        self.anonymous().post("/platform/auth/magic-link", json!({ "email": email })).await.expect(204);
        self.settle().await;
    }

    /// Returns the newest captured mail to an address, as a key of its workspace sees it in the outbox.
    ///
    /// # Panics
    /// Panics if there is none with a link.
    pub async fn sign_in_mail(&self, key: &TestKey, email: &str) -> SignInMail {
        self.find_sign_in_mail(key, email).await.expect("a captured mail with a link")
    }

    /// Returns the newest captured mail to an address with a link, if any.
    ///
    /// # Panics
    /// Panics if the outbox can't be read.
    pub async fn find_sign_in_mail(&self, key: &TestKey, email: &str) -> Option<SignInMail> {
        let api = self.api(key);
        let outbox = api.get("/dev/outbox").await.expect(200);
        let entry = outbox.data().iter().find(|entry| entry["envelope"]["to"][0] == email)?;
        let raw = api.get(&format!("/dev/outbox/{}/raw", entry["id"].as_str()?)).await.expect(200);
        let text = String::from_utf8(raw.bytes.clone()).ok()?;
        let token = text.split_once("#token=")?.1.split_whitespace().next()?.to_owned();
        let is_code = |line: &&str| line.len() == 6 && line.bytes().all(|byte| byte.is_ascii_digit());
        let code = text.lines().find(is_code).unwrap_or_default().to_owned();
        Some(SignInMail { token, code, text })
    }

    /// Signs a person in by mail and returns a client with the session.
    ///
    /// # Panics
    /// Panics if the sign-in fails.
    pub async fn sign_in(&self, key: &TestKey, email: &str) -> Api {
        self.request_link(email).await;
        let mail = self.sign_in_mail(key, email).await;
        let reply = self.anonymous().post("/platform/auth/verify", json!({ "token": mail.token })).await.expect(200);
        self.browser(&reply)
    }

    /// Accepts the newest invitation of a person and returns a client with the session in that workspace.
    ///
    /// # Panics
    /// Panics if the person has none.
    pub async fn accept_invitation(&self, person: &Api) -> Api {
        let me = person.get("/platform/me").await.expect(200);
        let id = me["invitations"][0]["id"].as_str().expect("an open invitation").to_owned();
        self.browser(&person.post_empty(&format!("/platform/invitations/{id}/accept")).await.expect(200))
    }

    /// Signs the owner of a workspace in by a link of the operator, without mail.
    ///
    /// # Panics
    /// Panics if the sign-in fails.
    pub async fn owner_session(&self, key: &TestKey) -> Api {
        self.browser(&self.owner_sign_in(key).await)
    }

    /// Signs the owner of a workspace in as [`Self::owner_session`] does, and returns the response.
    ///
    /// # Panics
    /// Panics if the sign-in fails.
    pub async fn owner_sign_in(&self, key: &TestKey) -> ApiResponse {
        let link = OperatorLink::new(self.service().clock.as_ref(), "owner@example.org", key.workspace);
        let (url, stored) = (link.url(""), link.clone());
        self.store().write(move |tx| stored.insert(tx)).await.expect("a link can be stored");
        let token = url.rsplit_once('=').expect("a link has a token").1;
        self.anonymous().post("/platform/auth/verify", json!({ "token": token })).await.expect(200)
    }

    /// Returns a client with the session that a response began, as the dashboard uses it.
    ///
    /// # Panics
    /// Panics if the response sets no session cookie.
    #[must_use]
    pub fn browser(&self, reply: &ApiResponse) -> Api {
        let (name, value) = FROM_DASHBOARD;
        self.anonymous().with_header("Cookie", &cookie(reply)).with_header(name, value)
    }
}

/// Returns the session cookie that a response sets, as a request sends it.
///
/// # Panics
/// Panics if the response sets none.
#[must_use]
pub fn cookie(reply: &ApiResponse) -> String {
    let set = reply.header("set-cookie").expect("the response sets a cookie");
    set.split(';').next().expect("a cookie").to_owned()
}
