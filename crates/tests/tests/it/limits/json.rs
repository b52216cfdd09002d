//! JSON documents: values and depth, on every route with a JSON body.

use posthouse::all_routes;
use posthouse_call::Access;
use posthouse_domain::{error::LimitName, plan::Plan};
use posthouse_tests::{ServerOptions, TestServer};

use super::metric;

/// Values and depth in this test.
const VALUES: usize = 2_000;
const DEPTH: usize = 40;

#[tokio::test]
async fn every_route_refuses_json_with_too_many_values_or_levels_by_the_name_of_the_limit() {
    let options = ServerOptions::default().configure(|config| {
        config.limits.json_values = VALUES;
        config.limits.json_depth = DEPTH;
        config.plans.team.requests_per_minute = None;
    });
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Team).await;
    let (with_key, with_session) = (server.api(&key), server.owner_session(&key).await);
    let bodies = [
        (LimitName::JsonValues, VALUES, format!("{{\"a\":[{}]}}", vec!["[0]"; VALUES / 2].join(","))),
        (LimitName::JsonDepth, DEPTH, format!("{{\"a\":{}{}}}", "[".repeat(DEPTH), "]".repeat(DEPTH))),
    ];
    let json = |route: &posthouse_http::route::Route| {
        route.operation.body.is_some_and(|rule| rule.content_type == "application/json")
            && route.operation.access.needs_caller()
    };
    let mut count = 0;
    for route in all_routes().into_iter().filter(json) {
        let path: String = route
            .operation
            .path
            .split('/')
            .map(|part| if part.starts_with('{') { "01990000-0000-7000-8000-000000000001" } else { part })
            .collect::<Vec<_>>()
            .join("/");
        for (limit, max, body) in &bodies {
            let api = if matches!(route.operation.access, Access::Session(_) | Access::Person) {
                &with_session
            } else {
                &with_key
            };
            let method = route.method().as_str().parse().expect("a method");
            let reply = api.raw(method, &path, "application/json", body.clone()).await;
            let reply = reply.invalid_fields(&["body"]);
            let details = &reply.json["error"]["details"];
            let named = (details["limit"].as_str(), details["max"].as_u64());
            assert_eq!(named, (Some(limit.text()), Some(*max as u64)), "{reply}");
            count += 1;
        }
    }
    assert!(count > 40, "too few routes: {count}");
    let refusals = metric(&server, "limit_refusals_total", LimitName::JsonValues).await
        + metric(&server, "limit_refusals_total", LimitName::JsonDepth).await;
    assert_eq!(refusals, count);
    server.finish().await;
}
