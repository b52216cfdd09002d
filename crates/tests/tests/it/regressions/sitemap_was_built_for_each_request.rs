//! Each request for `/sitemap.xml` read up to 50,000 cards and made a text of its own, which no budget counted.

use serde_json::json;

use crate::routes::directory::{Agent, open};

#[tokio::test]
async fn the_sitemap_is_built_once_a_minute_and_counted_once() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.card(json!({ "indexable": true })).await;
    agent.list(&server, "Sales bot").await;
    let used = async || {
        let metrics = server.anonymous().get("/metrics").await.to_string();
        let row = "posthouse_limit_used{limit=\"response_bytes\"} ";
        metrics.lines().find_map(|line| line.strip_prefix(row)).unwrap_or(&metrics).parse::<usize>().unwrap()
    };
    let before = server.units();
    let first = server.anonymous().get("/sitemap.xml").await.expect(200);
    let (bytes, tag) = (first.bytes.len(), first.header("etag").unwrap().to_owned());
    let second = Agent::of(agent.api.clone(), "second").await;
    second.card(json!({ "indexable": true })).await;
    second.list(&server, "Second bot").await;
    for _ in 0..20 {
        let again = server.anonymous().get("/sitemap.xml").await.expect(200);
        assert_eq!((again.bytes.len(), again.header("etag")), (bytes, Some(tag.as_str())));
        server.anonymous().with_header("if-none-match", &tag).get("/sitemap.xml").await.expect(304);
    }
    // Responses of the API are released once their connections are done with them.
    let mut held = used().await;
    for _ in 0..1_000 {
        if held == bytes {
            break;
        }
        held = used().await;
    }
    assert_eq!(held, bytes, "in memory once");
    assert!(server.units() > before);
    server.clock.advance(60_000);
    let next = server.anonymous().with_header("if-none-match", &tag).get("/sitemap.xml").await.expect(200);
    assert!(next.body_text().contains(&second.address));
    server.finish().await;
}
