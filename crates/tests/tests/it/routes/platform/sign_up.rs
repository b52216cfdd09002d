//! People who are in no workspace yet.

use posthouse_app::settings::DeliveryMode;
use posthouse_domain::plan::Plan;
use posthouse_tests::{ServerOptions, TestServer, http::Api};
use serde_json::json;

use super::capturing;

const ADA: &str = "Ada@Example.org";

/// Returns the links that the server wrote to its log for an address, oldest first.
fn links(server: &TestServer, email: &str) -> Vec<String> {
    let lines = server.log.lines();
    let captured = lines.iter().filter(|line| line.text.contains("sign_in.captured") && line.text.contains(email));
    captured
        .filter_map(|line| {
            Some(line.text.split_once("link=")?.1.split([' ', '"']).find(|word| !word.is_empty())?.to_owned())
        })
        .collect()
}

fn token(link: &str) -> String {
    link.split_once("#token=").unwrap_or_else(|| panic!("{link} has a token")).1.to_owned()
}

/// Starts a server with captured mail and this number of self-signups per client.
async fn with_signups(max: Option<u64>) -> TestServer {
    let change = move |config: &mut posthouse_server::config::Configuration| {
        config.delivery.mode = DeliveryMode::Capture;
        config.app.signup.per_address_per_day = max;
    };
    TestServer::start(ServerOptions::default().configure(change)).await
}

#[tokio::test]
async fn a_new_person_gets_a_workspace_with_the_link() {
    let server = capturing().await;
    server.request_link(ADA).await;
    let link = links(&server, "ada@example.org").remove(0);
    assert!(link.contains("/sign-in?new#token="), "{link}");
    let reply = server.anonymous().post("/platform/auth/verify", json!({ "token": token(&link) })).await.expect(200);
    assert_eq!((&reply["user"]["email"], &reply["user"]["role"]), (&json!("ada@example.org"), &json!("owner")));
    assert_eq!((&reply["org"]["name"], &reply["org"]["status"]), (&json!("ada@example.org"), &json!("active")));
    let browser = server.browser(&reply);
    let account = browser.get("/v1/account").await.expect(200);
    assert_eq!(
        (&account["claim"]["status"], &account["workspace"]["plan"]),
        (&json!("not_applicable"), &json!("free"))
    );
    browser.post("/v1/inboxes", json!({ "username": "assistant" })).await.expect(201);
    // The link is used up, and the next one signs in to the same workspace.
    server.anonymous().post("/platform/auth/verify", json!({ "token": token(&link) })).await.error("invalid_token");
    server.request_link(ADA).await;
    let link = links(&server, "ada@example.org").remove(1);
    assert!(link.contains("/sign-in#token="), "{link}");
    let again = server.anonymous().post("/platform/auth/verify", json!({ "token": token(&link) })).await.expect(200);
    assert_eq!(again["org"]["id"], reply["org"]["id"]);
    server.finish().await;
}

#[tokio::test]
async fn two_links_of_a_new_person_make_one_workspace() {
    let server = capturing().await;
    server.request_link(ADA).await;
    server.request_link(ADA).await;
    let links = links(&server, "ada@example.org");
    let verify =
        async |at: usize| server.anonymous().post("/platform/auth/verify", json!({ "token": token(&links[at]) })).await;
    let (one, other) = tokio::join!(verify(0), verify(1));
    let statuses = [one.status, other.status];
    assert!(statuses.contains(&200), "{statuses:?}");
    let signed_in = if one.status == 200 { &one } else { &other };
    let workspaces = server.browser(signed_in).get("/platform/workspaces").await.expect(200);
    assert_eq!(workspaces.data().len(), 1);
    server.finish().await;
}

#[tokio::test]
async fn a_client_makes_as_many_workspaces_as_configured() {
    let server = with_signups(Some(1)).await;
    for (email, expected) in [("ada@example.org", 200), ("grace@example.org", 429)] {
        server.request_link(email).await;
        let link = links(&server, email).remove(0);
        let reply = server.anonymous().post("/platform/auth/verify", json!({ "token": token(&link) })).await;
        assert_eq!(reply.status, expected, "{email}");
        if expected == 429 {
            reply.error("signup_rate_limited");
            // The link still works tomorrow, or would, if it didn't expire before.
            let again = server.anonymous().post("/platform/auth/verify", json!({ "token": token(&link) })).await;
            again.error("signup_rate_limited");
        }
    }
    server.finish().await;
}

#[tokio::test]
async fn a_new_person_gets_three_mails_a_day_and_an_agent_none() {
    let server = capturing().await;
    for tag in 0..5 {
        server.request_link(&format!("ada+{tag}@example.org")).await;
    }
    let sent: usize = (0..5).map(|tag| links(&server, &format!("ada+{tag}@example.org")).len()).sum();
    assert_eq!(sent, 3, "the tags belong to one mailbox");
    let key = server.workspace(Plan::Team).await;
    let inbox = server.api(&key).post("/v1/inboxes", json!({ "username": "robot" })).await.expect(201);
    let address = inbox["address"].as_str().unwrap().to_owned();
    server.request_link(&address).await;
    assert!(links(&server, &address).is_empty());
    server.finish().await;
}

#[tokio::test]
async fn without_self_signup_strangers_get_nothing() {
    let change = |config: &mut posthouse_server::config::Configuration| {
        config.delivery.mode = DeliveryMode::Capture;
        config.app.signup.enabled = false;
    };
    let server = TestServer::start(ServerOptions::default().configure(change)).await;
    server.request_link(ADA).await;
    assert!(links(&server, "ada@example.org").is_empty());
    server.finish().await;
}

/// What an address is at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AddressState {
    Stranger,
    Invited,
    Member,
}

/// Brings an address to a state in the workspace of a session of its owner.
async fn become_state(server: &TestServer, owner: &Api, email: &str, state: AddressState) {
    let members = owner.get("/platform/members").await.expect(200);
    let found = members.data().iter().find(|member| member["email"] == email).cloned();
    if let Some(member) = found {
        owner.delete(&format!("/platform/members/{}", member["id"].as_str().unwrap())).await.expect(204);
    }
    if state == AddressState::Stranger {
        return;
    }
    owner.post("/platform/members", json!({ "email": email, "role": "member" })).await.expect(202);
    server.settle().await;
    if state == AddressState::Member {
        let link = links(server, email).pop().unwrap();
        let proof = json!({ "token": token(&link) });
        let person = server.browser(&server.anonymous().post("/platform/auth/verify", proof).await.expect(200));
        server.accept_invitation(&person).await;
    }
}

#[tokio::test]
async fn only_a_mail_that_offers_a_workspace_makes_one() {
    use AddressState::{Invited, Member, Stranger};
    let states = [Stranger, Invited, Member];
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let owner = server.owner_session(&key).await;
    for (mailed, used) in states.into_iter().flat_map(|mailed| states.map(|used| (mailed, used))) {
        let email = format!("{mailed:?}-{used:?}@example.org").to_lowercase();
        become_state(&server, &owner, &email, mailed).await;
        server.request_link(&email).await;
        let link = links(&server, &email).pop().unwrap();
        let offers = mailed != Member;
        assert_eq!(link.contains("/sign-in?new#"), offers, "{mailed:?}: {link}");
        if used != mailed && used != Member {
            become_state(&server, &owner, &email, used).await;
        } else if used == Member && mailed != Member {
            // Joining by the invitation uses up the other links of the address.
            continue;
        }
        let reply = server.anonymous().post("/platform/auth/verify", json!({ "token": token(&link) })).await;
        let case = format!("{mailed:?} {used:?}: {reply:?}");
        match (offers, used) {
            (_, Member) => assert_eq!(reply.expect(200)["org"]["id"], key.workspace.to_string(), "{case}"),
            (true, _) => {
                let reply = reply.expect(200);
                assert_eq!((&reply["org"]["name"], &reply["user"]["role"]), (&json!(email), &json!("owner")), "{case}");
            }
            (false, Invited) => assert!(reply.expect(200)["org"].is_null(), "{case}"),
            (false, Stranger) => _ = reply.error("invalid_token"),
        }
    }
    server.finish().await;
}
