//! `/v1/directory`, `/v1/inboxes/{id}/agent`, `/v1/public` and the pages of the public directory.

mod cards;
mod handles;
mod listing;
mod pages;
mod public;
mod reports;
mod resolve;
mod search;
mod verify;

use posthouse_domain::plan::Plan;
use posthouse_server::config::Configuration;
use posthouse_tests::{TestServer, http::Api, server::ServerOptions};
use serde_json::{Value, json};

/// Returns a server with the public directory.
pub(crate) async fn open() -> TestServer {
    open_with(|_| ()).await
}

/// Returns a server with the public directory and further settings.
pub(crate) async fn open_with(change: impl FnOnce(&mut Configuration) + 'static) -> TestServer {
    let options = ServerOptions::default().configure(|config| config.app.agents.public_directory = true);
    TestServer::start(options.configure(change)).await
}

/// An inbox of a workspace of its own, with the workspace's key.
pub(crate) struct Agent {
    pub(crate) api: Api,
    pub(crate) id: String,
    pub(crate) address: String,
}

impl Agent {
    pub(crate) async fn open(server: &TestServer, username: &str) -> Self {
        let key = server.workspace(Plan::Team).await;
        Self::of(server.api(&key), username).await
    }

    /// Creates another inbox of a workspace.
    pub(crate) async fn of(api: Api, username: &str) -> Self {
        let created = api.post("/v1/inboxes", json!({ "username": username })).await.expect(201).json;
        let text = |name: &str| created[name].as_str().unwrap().to_owned();
        Self { id: text("id"), address: text("address"), api }
    }

    pub(crate) fn path(&self) -> String {
        format!("/v1/inboxes/{}/agent", self.id)
    }

    /// Changes the card, and returns the bundle.
    pub(crate) async fn card(&self, change: Value) -> Value {
        self.api.patch(&self.path(), change).await.expect(200).json
    }

    /// Makes a public card, and runs the listing check.
    pub(crate) async fn list(&self, server: &TestServer, name: &str) -> Value {
        self.card(json!({ "name": name, "visibility": "public" })).await;
        server.settle().await;
        self.api.get(&self.path()).await.expect(200).json
    }

    /// Claims a handle for the workspace, and gives the agent the other part.
    pub(crate) async fn handle(&self, workspace: &str, part: &str) {
        self.api.put("/v1/directory/handle", json!({ "handle": workspace })).await.expect(200);
        self.card(json!({ "handle": part })).await;
    }

    /// Returns the addresses that a search finds.
    pub(crate) async fn search(&self, query: &str) -> Vec<String> {
        addresses(&self.api.get(&format!("/v1/directory/search?{query}")).await.expect(200).json)
    }
}

/// Returns the addresses of a page of cards.
pub(crate) fn addresses(page: &Value) -> Vec<String> {
    page["data"].as_array().unwrap().iter().map(|card| card["address"].as_str().unwrap().to_owned()).collect()
}
