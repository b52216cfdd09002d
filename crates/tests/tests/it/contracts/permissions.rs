//! Access to routes: every route of the table with no key, with every single permission and with every scope.

use axum::http::Method;
use posthouse::all_routes;
use posthouse_app::access::actor;
use posthouse_call::{Access, RequiredScope};
use posthouse_domain::{
    actor::{Actor, ActorKind},
    auth::{Caller, ConnectorPrincipal, KeyPrincipal, Permission, Permissions, Principal, Scope, UserPrincipal},
    id::{ConnectorId, InboxId, SessionId, UserId},
    plan::Plan,
    user::Role,
};
use posthouse_http::route::Route;
use posthouse_store::{Error, Tx, keys};
use posthouse_tests::{
    ServerOptions, TestServer,
    fixtures::TestKey,
    http::{Api, ApiResponse},
};
use uuid::Uuid;

/// An id of nothing.
const UNKNOWN: Uuid = Uuid::from_u128(0x0199_0000_0000_7000_8000_0000_0000_00ff);

/// Routes that every key may use, but that reject an inbox key unless the request names its inbox.
const NAMES_ITS_INBOX: [&str; 1] = ["listListEntries"];

/// Returns the routes that need a key.
fn guarded() -> impl Iterator<Item = (Route, Permission, RequiredScope)> {
    all_routes().into_iter().filter_map(|route| match route.operation.access {
        Access::Key(permission, reach) => Some((route, permission, reach)),
        Access::Public | Access::Session(_) | Access::Person => None,
    })
}

/// Returns the path with an unknown id for every parameter.
pub(crate) fn path(route: &Route) -> String {
    let segment = |segment: &str| if segment.starts_with('{') { UNKNOWN.to_string() } else { segment.to_owned() };
    route.operation.path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

async fn request(api: &Api, route: &Route) -> ApiResponse {
    api.send(route.method(), &path(route), None).await
}

fn is_denied(reply: &ApiResponse) -> bool {
    let code = reply["error"]["code"].as_str().unwrap_or_default();
    matches!(code, "unauthorized" | "insufficient_permissions" | "forbidden")
}

#[tokio::test]
async fn guarded_routes_return_401_without_a_valid_key() {
    // Each route gets several unknown keys.
    let options = ServerOptions::default().configure(|config| config.limits.unknown_keys_per_minute = None);
    let server = TestServer::start(options).await;
    let owner = server.workspace(Plan::Team).await;
    let revoked = server.key(&owner, "full", Scope::Org).await;
    let (id, now) = (revoked.id, server.service().clock.now());
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
            let reply = request(api, &route).await.error("unauthorized");
            assert!(reply.header("www-authenticate").is_some_and(|value| value.starts_with("Bearer")), "{reply}");
        }
    }
    server.finish().await;
}

#[tokio::test]
async fn every_route_requires_exactly_its_permissions() {
    let mut server = TestServer::plain().await;
    let owner = server.workspace(Plan::Team).await;
    let mut keys: Vec<(Permission, TestKey)> = Vec::new();
    for permission in Permission::ALL {
        keys.push((*permission, server.key(&owner, permission.text(), Scope::Org).await));
    }
    for (route, wanted, _) in guarded() {
        for (permission, key) in &keys {
            let reply = request(&server.api(key), &route).await;
            let missing =
                std::iter::once(wanted).chain(route.operation.also.iter().copied()).find(|one| one != permission);
            if let Some(missing) = missing {
                let reply = reply.error("insufficient_permissions");
                assert_eq!(reply["error"]["details"]["permission"], missing.text(), "{reply}");
            } else {
                assert!(!is_denied(&reply), "{} with {}: {reply}", route.operation.name, permission.text());
            }
        }
        if !route.operation.also.is_empty() {
            let all: Vec<&str> = std::iter::once(&wanted).chain(route.operation.also).map(|one| one.text()).collect();
            let key = server.key(&owner, &all.join(","), Scope::Org).await;
            let reply = request(&server.api(&key), &route).await;
            assert!(!is_denied(&reply), "{} with {all:?}: {reply}", route.operation.name);
        }
    }
    server.allow().queued();
    server.finish().await;
}

#[tokio::test]
async fn an_inbox_key_gets_403_on_workspace_routes_and_404_for_other_inboxes() {
    let server = TestServer::plain().await;
    let owner = server.workspace(Plan::Team).await;
    let inbox = server.inbox(&owner).await;
    let key = server.key(&owner, "full", Scope::Inbox(inbox.id)).await;
    let api = server.api(&key);
    for (route, _, reach) in guarded() {
        let reply = request(&api, &route).await;
        match reach {
            RequiredScope::Workspace | RequiredScope::Org => drop(reply.error("forbidden")),
            RequiredScope::Any if NAMES_ITS_INBOX.contains(&route.operation.name) => drop(reply.error("forbidden")),
            RequiredScope::Any => assert!(!is_denied(&reply), "{}: {reply}", route.operation.name),
        }
    }
    server.finish().await;
}

#[tokio::test]
async fn a_workspace_key_gets_403_on_organization_routes() {
    let server = TestServer::plain().await;
    let owner = server.workspace(Plan::Team).await;
    let api = server.api(&server.key(&owner, "full", Scope::Workspace).await);
    for (route, ..) in guarded().filter(|(_, _, reach)| *reach == RequiredScope::Org) {
        request(&api, &route).await.error("forbidden");
    }
    server.finish().await;
}

/// Returns a caller for every kind of principal, the key and the connector with full access.
fn callers(key: &TestKey) -> [Caller; 6] {
    let full = KeyPrincipal { id: key.id, scope: Scope::Org, permissions: Permissions::full() };
    let workspace = key.workspace;
    let connector = ConnectorPrincipal {
        id: ConnectorId(UNKNOWN),
        user: UserId(UNKNOWN),
        scope: Scope::Org,
        permissions: Permissions::full(),
    };
    let user =
        |role| Caller::user(workspace, UserPrincipal { user: UserId(UNKNOWN), session: SessionId(UNKNOWN), role });
    [
        Caller::key(workspace, full),
        Caller::operator(workspace),
        Caller::service(workspace, InboxId(UNKNOWN)),
        user(Role::Owner),
        user(Role::Member),
        Caller::connector(workspace, connector),
    ]
}

#[tokio::test]
async fn every_route_states_which_principals_may_use_it() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    for route in all_routes() {
        for caller in callers(&key) {
            let may_use = match (route.operation.access, caller.principal) {
                (Access::Public, _)
                | (Access::Key(..), Principal::Key(_) | Principal::User(_) | Principal::Connector(_)) => true,
                (_, Principal::Operator | Principal::Service { .. })
                | (Access::Session(_) | Access::Person, Principal::Key(_) | Principal::Connector(_)) => false,
                (Access::Person, Principal::User(_)) => true,
                (Access::Session(required), Principal::User(user)) => {
                    required == Role::Member || user.role == Role::Owner
                }
            };
            let result = posthouse_call::authorize(&caller, &route.operation);
            assert_eq!(result.is_ok(), may_use, "{}: {:?}", route.operation.name, caller.principal);
        }
    }
    server.finish().await;
}

#[tokio::test]
async fn actors_of_records_name_the_principal_and_never_the_service() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let callers = callers(&key);
    let read = move |tx: &mut Tx| -> Result<Vec<Option<Actor>>, Error> {
        Ok(callers.iter().map(|caller| actor::of(tx, caller).ok()).collect())
    };
    let actors = server.store().read(read).await.unwrap();
    let [Some(of_key), Some(of_operator), None, Some(of_user), _, Some(of_connector)] = &actors[..] else {
        panic!("{actors:?}")
    };
    assert_eq!((of_user.kind, of_user.id.as_deref()), (ActorKind::User, Some(&*UNKNOWN.to_string())));
    assert_eq!((of_key.kind, of_key.id.as_deref()), (ActorKind::ApiKey, Some(&*key.id.to_string())));
    assert_eq!(of_connector.kind, ActorKind::Connector);
    assert!(!of_key.label.is_empty());
    assert_eq!((of_operator.kind, &of_operator.id), (ActorKind::Operator, &None));
    server.finish().await;
}

#[tokio::test]
async fn public_routes_need_no_key() {
    let server = TestServer::plain().await;
    for route in all_routes().into_iter().filter(|route| route.operation.access == Access::Public) {
        let reply = request(&server.anonymous(), &route).await;
        assert!(!is_denied(&reply), "{}: {reply}", route.operation.name);
    }
    server.finish().await;
}

#[tokio::test]
async fn unknown_paths_return_404_and_unknown_methods_405_with_allow() {
    let server = TestServer::plain().await;
    let api = server.anonymous();
    api.get("/v1/no-such-route").await.error("not_found");
    api.get("/").await;
    let routes = all_routes();
    for route in &routes {
        let others = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
        let used: Vec<Method> = routes
            .iter()
            .filter(|other| other.operation.path == route.operation.path)
            .map(|other| other.method())
            .collect();
        let unused = others.into_iter().find(|method| !used.contains(method)).expect("no path accepts every method");
        let reply = api.send(unused, &path(route), None).await;
        let reply = match route.protocol {
            Some(_) => reply.expect(405),
            None => reply.error("method_not_allowed"),
        };
        let allow = reply.header("allow").unwrap_or_default();
        for method in &used {
            assert!(allow.split(',').any(|name| name.trim() == method.as_str()), "Allow: {allow} of {reply}");
        }
    }
    server.finish().await;
}

#[test]
fn the_unknown_id_is_well_formed() {
    assert!(UNKNOWN.to_string().parse::<InboxId>().is_ok());
}
