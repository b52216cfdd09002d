//! Pages of every origin may read public documents, but a preflight request, which a page with an API key sends first, got
//! 405, and errors lacked the field that lets pages read them.

use reqwest::Method;

use crate::routes::directory::{Agent, open};

#[tokio::test]
async fn pages_of_every_origin_read_documents_and_errors() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.list(&server, "Sales bot").await;
    let anybody = server.anonymous();
    let one = format!("/v1/public/agents/{}", agent.address);
    let a2a = format!("{one}/agent-card.json");
    for path in ["/v1/public/agents", &one, &a2a, "/v1/public/handles/acme/sales", "/.well-known/agent-keys.json"] {
        let preflight = anybody.send(Method::OPTIONS, path, None).await.expect(204);
        assert_eq!(preflight.header("access-control-allow-origin"), Some("*"), "{path}");
        assert_eq!(preflight.header("access-control-allow-credentials"), None, "{path}");
        assert!(preflight.header("access-control-allow-headers").unwrap().contains("authorization"), "{path}");
        assert!(preflight.header("access-control-allow-methods").unwrap().contains("GET"), "{path}");
        assert_eq!(anybody.get(path).await.header("access-control-allow-origin"), Some("*"), "{path}");
    }
    for (path, status) in
        [("/v1/public/agents?x=1", 400), ("/v1/public/agents/x", 404), ("/v1/public/agents/a/b/c", 404)]
    {
        let refused = anybody.get(path).await.expect(status);
        assert_eq!(refused.header("access-control-allow-origin"), Some("*"), "{path}");
    }
    assert_eq!(agent.api.get("/v1/account").await.expect(200).header("access-control-allow-origin"), None);
    let (first, again) = (anybody.get(&a2a).await.expect(200), anybody.get(&a2a).await.expect(200));
    assert!(first.header("etag").unwrap().starts_with("W/\""), "each signature differs");
    assert_eq!(first.header("etag"), again.header("etag"));
    assert!(anybody.get(&one).await.expect(200).header("etag").unwrap().starts_with('"'));
    server.finish().await;
}
