//! Only the workspace's part of listed handles was compared with the names of cards, so a card could be listed with the
//! whole handle of an agent of another workspace as its name.

use serde_json::json;

use crate::routes::directory::{Agent, open};

#[tokio::test]
async fn a_listed_handle_is_no_name_for_others() {
    let server = open().await;
    let (acme, other) = (Agent::open(&server, "acme").await, Agent::open(&server, "other").await);
    let quiet = Agent::open(&server, "quiet").await;
    acme.handle("acme", "helper").await;
    quiet.handle("quiet-corp", "bot").await;
    acme.list(&server, "@acme/helper").await;
    assert_eq!(acme.api.get(&acme.path()).await.expect(200)["card"]["listing"]["state"], "listed", "its own");
    for name in [
        "@acme/helper",
        "acme/helper",
        "Acme Helper",
        "ACME-HELPER",
        "acmehelper",
        "@acrne helper",
        "Acme/other",
        "@quiet-corp",
        "@quietcorp/sales",
    ] {
        let listing = other.list(&server, name).await["card"]["listing"].clone();
        assert_eq!((&listing["state"], &listing["problems"]), (&json!("hidden"), &json!(["similar_handle"])), "{name}");
    }
    for name in ["Acme Helpers", "Helper for Acme", "Helper", "Quiet Corp", "@other-name", "Sales 24/7"] {
        assert_eq!(other.list(&server, name).await["card"]["listing"]["state"], "listed", "{name}");
    }
    acme.card(json!({ "handle": null })).await;
    assert_eq!(
        other.list(&server, "Acme Helper").await["card"]["listing"]["state"],
        "listed",
        "it belongs to no agent now"
    );
    server.finish().await;
}
