//! Members: invitations, roles and removal.

use posthouse_domain::plan::Plan;
use posthouse_tests::{TestServer, fixtures::TestKey, http::Api};
use serde_json::{Value, json};

use super::{OWNER, capturing};

const ANA: &str = "ana@example.org";

/// Invites a person and returns a client with the session that the invitation began.
async fn join(server: &TestServer, key: &TestKey, owner: &Api, email: &str, role: &str) -> Api {
    let invited = owner.post("/platform/members", json!({ "email": email, "role": role })).await.expect(202);
    assert_eq!(invited["status"], "invited");
    server.settle().await;
    let mail = server.sign_in_mail(key, email).await;
    let reply = server.anonymous().post("/platform/auth/verify", json!({ "token": mail.token })).await.expect(200);
    let person = server.accept_invitation(&server.browser(&reply)).await;
    assert_eq!(person.get("/platform/me").await.expect(200)["user"]["role"], role);
    person
}

async fn members(api: &Api) -> Vec<Value> {
    api.get("/platform/members").await.expect(200).data().to_vec()
}

fn id_of(members: &[Value], email: &str) -> String {
    let found = members.iter().find(|member| member["email"] == email).expect("a member");
    found["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn members_work_but_do_not_own() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let owner = server.sign_in(&key, OWNER).await;
    let ana = join(&server, &key, &owner, ANA, "member").await;
    ana.post("/v1/inboxes", json!({})).await.expect(201);
    ana.post("/platform/api-keys", json!({ "name": "mine" })).await.expect(201);
    ana.post("/v1/emergency-stop", json!({})).await.expect(200);
    ana.post("/platform/api-keys", json!({ "name": "org", "scope": "org" })).await.error("forbidden");
    ana.patch("/platform/org", json!({ "name": "Mine" })).await.error("forbidden");
    ana.post_empty("/platform/org/resume").await.error("forbidden");
    ana.post("/platform/members", json!({ "email": "bob@example.org" })).await.error("forbidden");
    let all = members(&ana).await;
    let (own, other) = (id_of(&all, ANA), id_of(&all, OWNER));
    ana.patch(&format!("/platform/members/{own}"), json!({ "role": "owner" })).await.error("forbidden");
    ana.delete(&format!("/platform/members/{other}")).await.error("forbidden");
    ana.delete(&format!("/platform/members/{own}?keys=revoke")).await.expect(204);
    ana.get("/platform/me").await.error("unauthorized");
    server.finish().await;
}

#[tokio::test]
async fn only_owners_remove_other_members() {
    const BOB: &str = "bob@example.org";
    const CAT: &str = "cat@example.org";
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let owner = server.sign_in(&key, OWNER).await;
    let ana = join(&server, &key, &owner, ANA, "member").await;
    let bob = join(&server, &key, &owner, BOB, "member").await;
    let cat = join(&server, &key, &owner, CAT, "owner").await;
    let all = members(&owner).await;
    let path = |email: &str| format!("/platform/members/{}", id_of(&all, email));
    for other in [BOB, CAT, OWNER] {
        ana.delete(&path(other)).await.error("forbidden");
    }
    for present in [&bob, &cat, &owner] {
        present.get("/platform/me").await.expect(200);
    }
    cat.delete(&path(BOB)).await.expect(204);
    bob.get("/platform/me").await.error("unauthorized");
    cat.delete(&path(OWNER)).await.error("member_has_keys");
    cat.delete(&format!("{}?keys=revoke", path(OWNER))).await.expect(204);
    server.finish().await;
}

#[tokio::test]
async fn an_address_of_this_service_is_not_invited() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let owner = server.sign_in(&key, OWNER).await;
    let inbox = server.inbox(&key).await;
    let domain = inbox.address.split_once('@').unwrap().1;
    for email in [inbox.address.clone(), format!("nobody@{domain}"), inbox.address.replace('@', "+x@")] {
        owner.post("/platform/members", json!({ "email": email })).await.invalid_fields(&["email"]);
    }
    server.finish().await;
}

/// The refusal of the member after the last one was an internal error: it had a detail that the code doesn't declare.
#[tokio::test]
async fn a_full_workspace_says_that_it_is_full() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let owner = server.sign_in(&key, OWNER).await;
    let mut invited = 1;
    let full = loop {
        let email = format!("member@example{invited}.org");
        let response = owner.post("/platform/members", json!({ "email": email })).await;
        match response.status {
            202 => invited += 1,
            // Invitations have a limit for each day, too.
            429 => server.clock.advance(86_400_000),
            _ => break response,
        }
    };
    let response = full.error("forbidden");
    assert_eq!((invited, &response["error"]["details"]["limit"]), (100, &json!("members")), "{response}");
    server.finish().await;
}

#[tokio::test]
async fn the_last_owner_stays() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let owner = server.sign_in(&key, OWNER).await;
    let me = format!("/platform/members/{}", id_of(&members(&owner).await, OWNER));
    owner.delete(&me).await.error("forbidden");
    owner.patch(&me, json!({ "role": "member" })).await.error("forbidden");
    // An invited owner doesn't count before the first sign-in.
    owner.post("/platform/members", json!({ "email": ANA, "role": "owner" })).await.expect(202);
    owner.patch(&me, json!({ "role": "member" })).await.error("forbidden");
    let ana = join(&server, &key, &owner, ANA, "owner").await;
    owner.patch(&me, json!({ "role": "member" })).await.error("member_has_keys");
    owner.patch(&format!("{me}?keys=revoke"), json!({ "role": "member" })).await.expect(200);
    let ana_path = format!("/platform/members/{}", id_of(&members(&ana).await, ANA));
    ana.delete(&ana_path).await.error("forbidden");
    ana.delete(&me).await.expect(204);
    owner.get("/platform/me").await.error("unauthorized");
    // A removed person can't come back by a link.
    server.request_link(OWNER).await;
    server.finish().await;
}

#[tokio::test]
async fn an_invitation_works_for_a_week_and_can_be_repeated() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let owner = server.sign_in(&key, OWNER).await;
    owner.post("/platform/members", json!({ "email": ANA })).await.expect(202);
    server.settle().await;
    let first = server.sign_in_mail(&key, ANA).await;
    server.advance(7 * 24 * 3_600_000).await;
    let verify = json!({ "token": first.token });
    server.anonymous().post("/platform/auth/verify", verify).await.error("invalid_token");
    let ana = join(&server, &key, &owner, ANA, "owner").await;
    ana.get("/platform/me").await.expect(200);
    owner.post("/platform/members", json!({ "email": ANA })).await.invalid_fields(&["email"]);
    server.finish().await;
}

#[tokio::test]
async fn invitations_are_limited() {
    let server = capturing().await;
    let key = server.workspace(Plan::Team).await;
    let owner = server.sign_in(&key, OWNER).await;
    for _ in 0..3 {
        owner.post("/platform/members", json!({ "email": ANA })).await.expect(202);
    }
    let refused = owner.post("/platform/members", json!({ "email": ANA })).await.error("rate_limited");
    assert!(refused.header("retry-after").is_some());
    server.finish().await;
}

#[tokio::test]
async fn a_person_changes_to_another_workspace() {
    let server = capturing().await;
    let (one, two) = (server.workspace(Plan::Team).await, server.workspace(Plan::Team).await);
    let foreign = server.workspace(Plan::Team).await;
    let owner = server.owner_session(&one).await;
    let theirs = server.owner_session(&foreign).await;
    join(&server, &foreign, &theirs, ANA, "member").await;
    let ana = join(&server, &two, &server.owner_session(&two).await, ANA, "owner").await;
    let list = async |api: &Api| -> Vec<(String, String, bool)> {
        let reply = api.get("/platform/workspaces").await.expect(200);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        reply.data().iter().map(|one| (text(&one["id"]), text(&one["role"]), one["current"] == true)).collect()
    };
    let found = list(&ana).await;
    assert_eq!(found.len(), 2);
    assert!(found.contains(&(two.workspace.to_string(), "owner".to_owned(), true)), "{found:?}");
    assert!(found.contains(&(foreign.workspace.to_string(), "member".to_owned(), false)), "{found:?}");
    let path = format!("/platform/workspaces/{}/switch", foreign.workspace);
    let reply = ana.post_empty(&path).await.expect(200);
    assert_eq!(reply["org"]["id"], foreign.workspace.to_string());
    assert_eq!((&reply["user"]["email"], &reply["user"]["role"]), (&json!(ANA), &json!("member")));
    ana.get("/platform/me").await.error("unauthorized");
    let switched = server.browser(&reply);
    assert_eq!(switched.get("/platform/me").await.expect(200)["org"]["id"], foreign.workspace.to_string());
    switched.patch("/platform/org", json!({ "name": "Mine" })).await.error("forbidden");
    switched.post_empty(&format!("/platform/workspaces/{}/switch", one.workspace)).await.error("not_found");
    owner.post_empty(&path).await.expect(200);
    server.finish().await;
}

#[tokio::test]
async fn a_person_of_two_workspaces_sees_each_alone() {
    let server = capturing().await;
    let one = server.workspace(Plan::Team).await;
    server.clock.advance(1);
    let two = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&one).await;
    let owner = server.sign_in(&one, OWNER).await;
    let org = owner.get("/platform/me").await.expect(200)["org"]["id"].clone();
    assert_eq!(org, one.workspace.to_string(), "the older workspace, since none was used");
    owner.get(&format!("/v1/inboxes/{}", inbox.id)).await.expect(200);
    assert!(server.find_sign_in_mail(&two, OWNER).await.is_none(), "another workspace's outbox shows no mail");
    // What belongs to people of the other workspace is not found.
    let other = server.owner_session(&two).await;
    join(&server, &two, &other, ANA, "member").await;
    let ana = id_of(&members(&other).await, ANA);
    owner.patch(&format!("/platform/members/{ana}"), json!({ "role": "owner" })).await.error("not_found");
    owner.delete(&format!("/platform/members/{ana}")).await.error("not_found");
    let session = other.get("/platform/sessions").await.expect(200).data()[0]["id"].clone();
    owner.delete(&format!("/platform/sessions/{}", session.as_str().unwrap())).await.error("not_found");
    other.get("/platform/me").await.expect(200);
    server.finish().await;
}
