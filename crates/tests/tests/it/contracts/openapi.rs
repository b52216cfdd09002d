//! The document that the server gives has exactly the routes that the server has.

use posthouse_server::http::routes;
use posthouse_tests::TestServer;
use std::collections::BTreeSet;

#[tokio::test]
async fn the_served_document_has_every_route_and_no_other() {
    let server = TestServer::plain().await;
    let document = server.anonymous().get("/v1/openapi.json").await.expect(200);
    assert_eq!(document["openapi"], "3.1.0");
    let mut told = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            told.insert((method.to_uppercase(), path.clone(), operation["operationId"].as_str().unwrap().to_owned()));
        }
    }
    let row = |route: posthouse_server::http::route::Route| {
        (route.method.to_string(), route.path.to_owned(), route.name.to_owned())
    };
    let table: BTreeSet<_> = routes::all().into_iter().map(row).collect();
    assert_eq!(told, table);
    server.finish().await;
}
