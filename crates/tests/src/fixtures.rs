//! Common starting points of tests: a workspace, keys, an inbox.

use posthouse_app::{
    access::new_key::{NewKey, new_key},
    people::new_workspace::{NewWorkspace, create},
};
use posthouse_domain::{
    auth::{Permissions, Scope},
    id::{InboxId, KeyId, WorkspaceId},
    plan::Plan,
};
use posthouse_store::{Error, keys};

use crate::{http::Api, server::TestServer};

/// A key with its secret.
#[derive(Clone, Debug)]
pub struct TestKey {
    /// The workspace of the key.
    pub workspace: WorkspaceId,
    /// The key's id.
    pub id: KeyId,
    /// The token for the `Authorization: Bearer` header.
    pub secret: String,
}

/// An inbox created through the API.
#[derive(Clone, Debug)]
pub struct TestInbox {
    /// The inbox's id.
    pub id: InboxId,
    /// The inbox's address.
    pub address: String,
}

impl TestServer {
    /// Creates a workspace on that plan and returns its org-wide key with every permission.
    pub async fn workspace(&self, plan: Plan) -> TestKey {
        let clock = self.service().clock.clone();
        let new = NewWorkspace { name: "Test workspace".to_owned(), owner: "owner@example.org".to_owned(), plan };
        let made = create(clock.as_ref(), &new);
        let stored = made.clone();
        self.store().write(move |tx| stored.insert(tx)).await.unwrap();
        TestKey { workspace: made.workspace.id, id: made.key.id, secret: made.secret.reveal().to_owned() }
    }

    /// Creates another key in the workspace of `of`. `permissions` is a comma-separated list of permissions or presets.
    pub async fn key(&self, of: &TestKey, permissions: &str, scope: Scope) -> TestKey {
        let clock = self.service().clock.clone();
        let permissions = Permissions::parse(permissions).expect("names of permissions or presets");
        let new = NewKey { workspace: of.workspace, name: "test key".to_owned(), scope, permissions, member: None };
        let made = new_key(clock.as_ref(), &clock.ids(), new);
        let (stored, digest) = (made.key.clone(), made.secret.digest());
        self.store().write(move |tx| -> Result<(), Error> { keys::insert(tx, &stored, &digest) }).await.unwrap();
        TestKey { workspace: of.workspace, id: made.key.id, secret: made.secret.reveal().to_owned() }
    }

    /// Returns an API client that uses this key.
    #[must_use]
    pub fn api(&self, key: &TestKey) -> Api {
        self.anonymous().with_key(&key.secret)
    }

    /// Creates an inbox with a generated name.
    pub async fn inbox(&self, key: &TestKey) -> TestInbox {
        self.inbox_with(key, serde_json::json!({})).await
    }

    /// Creates an inbox with this username at the default domain.
    pub async fn inbox_named(&self, key: &TestKey, username: &str) -> TestInbox {
        self.inbox_with(key, serde_json::json!({ "username": username })).await
    }

    /// Creates an inbox from this request body.
    pub async fn inbox_with(&self, key: &TestKey, body: serde_json::Value) -> TestInbox {
        let reply = self.api(key).post("/v1/inboxes", body).await.expect(201);
        TestInbox {
            id: reply.text("id").parse().expect("the id of an inbox"),
            address: reply.text("address").to_owned(),
        }
    }
}
