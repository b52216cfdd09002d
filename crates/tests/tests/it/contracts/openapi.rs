//! The served OpenAPI description lists exactly the routes of the server.

use std::collections::BTreeSet;

use posthouse::all_routes;
use posthouse_call::Access;
use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;

use crate::contracts::permissions::path;

#[tokio::test]
async fn the_served_document_lists_exactly_the_routes() {
    let server = TestServer::plain().await;
    let document = server.anonymous().get("/v1/openapi.json").await.expect(200);
    assert_eq!(document["openapi"], "3.1.0");
    let mut listed = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            listed.insert((method.to_uppercase(), path.clone(), operation["operationId"].as_str().unwrap().to_owned()));
        }
    }
    let row = |route: posthouse_http::route::Route| {
        (route.method().to_string(), route.operation.path.to_owned(), route.operation.name.to_owned())
    };
    let table: BTreeSet<_> = all_routes().into_iter().map(row).collect();
    assert_eq!(listed, table);
    server.finish().await;
}

#[tokio::test]
async fn every_sending_route_documents_every_send_error() {
    let server = TestServer::plain().await;
    let document = server.anonymous().get("/v1/openapi.json").await.expect(200);
    let refusals = [
        (423, "workspace_stopped"),
        (423, "inbox_paused"),
        (403, "temporary_inbox_receive_only"),
        (403, "org_suspended"),
        (403, "domain_not_verified"),
        (422, "recipient_blocked"),
        (422, "recipient_suppressed"),
        (409, "loop_detected"),
        (402, "plan_limit_emails"),
        (429, "daily_send_limit_exceeded"),
        (429, "org_daily_limit_exceeded"),
        (429, "rate_limited"),
        (413, "message_too_large"),
    ];
    for path in ["messages", "messages/send", "messages/{message_id}/reply", "messages/{message_id}/forward"]
        .map(|way| format!("/v1/inboxes/{{id}}/{way}"))
        .into_iter()
        .chain(["/v1/inboxes/{id}/drafts/{draft_id}/send".to_owned()])
    {
        for (status, code) in refusals {
            let answer = &document["paths"][&path]["post"]["responses"][status.to_string()];
            let shared = answer["$ref"].as_str().expect("errors are shared");
            let answer = document.json.pointer(shared.trim_start_matches('#')).expect("the reference resolves");
            let codes =
                &answer["content"]["application/json"]["schema"]["patternProperties"]["^error$"]["properties"]["code"];
            let listed = codes["enum"].as_array().is_some_and(|codes| codes.iter().any(|listed| listed == code));
            assert!(listed, "{path} does not document {status} {code}: {codes}");
        }
    }
    server.finish().await;
}

/// Finds schemas that omit what a handler requires: nothing at all is sent to every route that reads a body.
#[tokio::test]
async fn a_body_that_the_document_calls_optional_can_be_left_out_and_no_other() {
    let mut server = TestServer::plain().await;
    let document = server.anonymous().get("/v1/openapi.json").await.expect(200);
    let mut tested = 0;
    for route in all_routes() {
        let operation = &document["paths"][route.operation.path][route.method().as_str().to_ascii_lowercase()];
        let Some(required) = operation["requestBody"]["required"].as_bool() else { continue };
        // A route may stop the workspace, so each gets its own.
        let key = server.workspace(Plan::Team).await;
        let api = match route.operation.access {
            Access::Public => server.anonymous(),
            Access::Key(..) => server.api(&key),
            Access::Session(_) | Access::Person => server.owner_session(&key).await,
        };
        let reply = api.send(route.method(), &path(&route), None).await;
        let refused_with = match route.operation.path {
            "/oidc/token" => 401,        // The secret of the app comes first (RFC 6749 section 5.2).
            "/mcp/files/{token}" => 404, // The link comes first: nobody else can send a body.
            "/dev/inbound" => 415,       // Only JSON can be sent without a content type.
            _ => 400,
        };
        assert_eq!(reply.status == refused_with, required, "{}: {reply}", route.operation.name);
        tested += 1;
    }
    assert!(tested >= 60, "{tested} routes have a body");
    server.allow().queued();
    server.finish().await;
}
