//! Who may use which route: every route of the table against no key, every single permission and every scope
//! (contract §1.5 and §28, decisions 3 and 8).

use axum::http::Method;
use posthouse_domain::{
    auth::{Permission, Scope},
    id::InboxId,
    plan::Plan,
};
use posthouse_server::http::{
    route::{Access, Reach, Route},
    routes,
};
use posthouse_store::keys;
use posthouse_tests::{
    TestServer,
    fixtures::TestKey,
    http::{Api, Reply},
};
use uuid::Uuid;

/// An id that nothing has.
const UNKNOWN: Uuid = Uuid::from_u128(0x0199_0000_0000_7000_8000_0000_0000_00ff);

/// Routes that every key may use, and that refuse a key of one inbox that does not name its inbox.
const NAMES_ITS_INBOX: [&str; 1] = ["listListEntries"];

/// The routes that need a key.
fn guarded() -> impl Iterator<Item = (Route, Permission, Reach)> {
    routes::all().into_iter().filter_map(|route| match route.access {
        Access::Key(permission, reach) => Some((route, permission, reach)),
        Access::Public => None,
    })
}

/// The path with an unknown id for every parameter.
fn path(route: &Route) -> String {
    let segment = |segment: &str| if segment.starts_with('{') { UNKNOWN.to_string() } else { segment.to_owned() };
    route.path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

async fn ask(api: &Api, route: &Route) -> Reply {
    api.send(route.method.clone(), &path(route), None).await
}

fn is_denied(reply: &Reply) -> bool {
    let code = reply["error"]["code"].as_str().unwrap_or_default();
    matches!(code, "unauthorized" | "insufficient_permissions" | "forbidden")
}

#[tokio::test]
async fn without_a_good_key_every_guarded_route_is_401() {
    let server = TestServer::plain().await;
    let owner = server.workspace(Plan::Team).await;
    let revoked = server.key(&owner, "full", Scope::Org).await;
    let (id, now) = (revoked.id, server.app().clock.now());
    server.store().write(move |tx| keys::revoke(tx, id, now)).await.unwrap();
    let misspelt = format!("{}x", &owner.secret[..owner.secret.len() - 1]);
    let callers = [
        server.anonymous(),
        server.api(&revoked),
        server.anonymous().with_key(&misspelt),
        server.anonymous().with_header("Authorization", "Basic YTpi"),
    ];
    for (route, ..) in guarded() {
        for api in &callers {
            let reply = ask(api, &route).await.error("unauthorized");
            assert!(reply.header("www-authenticate").is_some_and(|value| value.starts_with("Bearer")), "{reply}");
        }
    }
    server.finish().await;
}

#[tokio::test]
async fn every_route_wants_its_permission_and_no_other() {
    let mut server = TestServer::plain().await;
    let owner = server.workspace(Plan::Team).await;
    let mut keys: Vec<(Permission, TestKey)> = Vec::new();
    for permission in Permission::ALL {
        keys.push((*permission, server.key(&owner, permission.text(), Scope::Org).await));
    }
    for (route, wanted, _) in guarded() {
        for (permission, key) in &keys {
            let reply = ask(&server.api(key), &route).await;
            let missing = std::iter::once(wanted).chain(route.also.iter().copied()).find(|one| one != permission);
            if let Some(missing) = missing {
                let reply = reply.error("insufficient_permissions");
                assert_eq!(reply["error"]["details"]["permission"], missing.text(), "{reply}");
            } else {
                assert!(!is_denied(&reply), "{} with {}: {reply}", route.name, permission.text());
            }
        }
        if !route.also.is_empty() {
            let all: Vec<&str> = std::iter::once(&wanted).chain(route.also).map(|one| one.text()).collect();
            let key = server.key(&owner, &all.join(","), Scope::Org).await;
            let reply = ask(&server.api(&key), &route).await;
            assert!(!is_denied(&reply), "{} with {all:?}: {reply}", route.name);
        }
    }
    server.allow().queued();
    server.finish().await;
}

#[tokio::test]
async fn a_key_of_one_inbox_is_403_on_routes_of_the_workspace_and_404_for_what_it_cannot_see() {
    let server = TestServer::plain().await;
    let owner = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&owner).await;
    let key = server.key(&owner, "full", Scope::Inbox(inbox.id)).await;
    let api = server.api(&key);
    for (route, _, reach) in guarded() {
        let reply = ask(&api, &route).await;
        match reach {
            Reach::Workspace | Reach::Org => drop(reply.error("forbidden")),
            Reach::Any if NAMES_ITS_INBOX.contains(&route.name) => drop(reply.error("forbidden")),
            Reach::Any => assert!(!is_denied(&reply), "{}: {reply}", route.name),
        }
    }
    server.finish().await;
}

#[tokio::test]
async fn a_key_of_the_workspace_is_403_on_routes_of_the_organisation() {
    let server = TestServer::plain().await;
    let owner = server.workspace(Plan::Team).await;
    let api = server.api(&server.key(&owner, "full", Scope::Workspace).await);
    for (route, ..) in guarded().filter(|(_, _, reach)| *reach == Reach::Org) {
        ask(&api, &route).await.error("forbidden");
    }
    server.finish().await;
}

#[tokio::test]
async fn public_routes_need_no_key() {
    let server = TestServer::plain().await;
    for route in routes::all().into_iter().filter(|route| route.access == Access::Public) {
        let reply = ask(&server.anonymous(), &route).await;
        assert!(!is_denied(&reply), "{}: {reply}", route.name);
    }
    server.finish().await;
}

#[tokio::test]
async fn other_paths_are_404_and_other_methods_405_with_allow() {
    let server = TestServer::plain().await;
    let api = server.anonymous();
    api.get("/v1/no-such-route").await.error("not_found");
    api.get("/").await;
    for route in routes::all() {
        let others = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
        let taken: Vec<Method> =
            routes::all().into_iter().filter(|other| other.path == route.path).map(|other| other.method).collect();
        let unused = others.into_iter().find(|method| !taken.contains(method)).expect("no path takes every method");
        let reply = api.send(unused, &path(&route), None).await.error("method_not_allowed");
        let allow = reply.header("allow").unwrap_or_default();
        for method in &taken {
            assert!(allow.split(',').any(|name| name.trim() == method.as_str()), "Allow: {allow} of {reply}");
        }
    }
    server.finish().await;
}

/// The unknown id is an id.
#[test]
fn the_unknown_id_has_the_form_of_one() {
    assert!(UNKNOWN.to_string().parse::<InboxId>().is_ok());
}
