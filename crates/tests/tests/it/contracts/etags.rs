//! Which responses have an `ETag`: those that say so in the OpenAPI document, by a 304, and no other
//! (`docs/reference/conventions.md`).

use posthouse::all_routes;
use posthouse_domain::plan::Plan;
use posthouse_http::route::Route;
use posthouse_tests::TestServer;
use reqwest::Method;

/// Where documents with an `ETag` are: of the public directory, the issuer, connectors, and the keys of the service.
const DOCUMENTS: [&str; 6] = ["/directory", "/v1/public/", "/sitemap.xml", "/robots.txt", "/oidc/", "/.well-known/"];

/// Returns whether a test can ask for it: a `GET` without ids that isn't upgraded.
fn is_plain(route: &Route) -> bool {
    route.method() == Method::GET && !route.operation.path.contains('{') && route.operation.name != "openStream"
}

#[tokio::test]
async fn documents_that_need_no_key_have_an_etag_and_nothing_else_has_one() {
    let server = TestServer::plain().await;
    let api = server.api(&server.workspace(Plan::Team).await);
    let (mut wrong, mut tagged, mut plain) = (Vec::new(), 0, 0);
    for route in all_routes().into_iter().filter(is_plain) {
        let (path, declares) = (route.operation.path, route.operation.answers.iter().any(|one| one.status == 304));
        let response = api.get(path).await;
        let tag = response.header("etag").map(str::to_owned);
        if tag.is_some() != declares && response.status < 400 {
            wrong.push(format!("{path}: declared {declares}, {tag:?}"));
        }
        let Some(tag) = tag else {
            plain += u32::from(response.status < 400);
            continue;
        };
        tagged += 1;
        if !DOCUMENTS.iter().any(|start| path.starts_with(start)) {
            wrong.push(format!("{path} has an ETag; docs/reference/conventions.md doesn't name it"));
        }
        for known in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}"), "*".to_owned()] {
            let again = server.anonymous().with_header("If-None-Match", &known).get(path).await;
            if (again.status, again.header("etag")) != (304, Some(tag.as_str())) {
                wrong.push(format!("{path} with If-None-Match: {known} is {}", again.status));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tagged >= 9 && plain >= 20, "{tagged} with an ETag, {plain} without");
    server.finish().await;
}
