//! The search form of the directory, sent with an empty field, showed a person an error as JSON. So did every unknown,
//! wrong or refused request below `/directory`.

use posthouse_tests::http::ApiResponse;

use crate::routes::directory::{Agent, open, open_with};

/// Asserts that a response is a page with this text.
fn assert_page(page: &ApiResponse, text: &str) {
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"), "{page}");
    let html = page.body_text();
    assert!(html.starts_with("<!doctype html>") && html.contains(text), "{html}");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
}

#[tokio::test]
async fn a_browser_gets_pages() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.list(&server, "Sales bot").await;
    let anybody = server.anonymous();
    let browser = anybody.with_header("accept", "text/html,*/*;q=0.8");
    for path in ["/directory?q=", "/directory?q=+", "/directory?q=&cursor="] {
        assert_page(&browser.get(path).await.expect(200), "Sales bot");
    }
    let (long, short) = (format!("/directory/{}/", agent.address), format!("/directory/{}", agent.address));
    for (path, target) in [("/directory/", "/directory"), ("/directory/?q=a", "/directory?q=a"), (&*long, &*short)] {
        assert_eq!(anybody.get(path).await.expect(308).header("location"), Some(target));
        assert_page(&browser.get(target).await.expect(200), "directory");
    }
    for (path, status, text) in [
        ("/directory/nobody@agents.localhost", 404, "Not found"),
        ("/directory/a/b", 404, "Not found"),
        ("/directory?cursor=x", 400, "This search is not possible"),
        ("/directory?q=a&x=%3Cscript%3E", 400, "This search is not possible"),
    ] {
        let page = browser.get(path).await.expect(status);
        assert_page(&page, text);
        assert!(!page.body_text().contains("<script>"));
        assert_eq!(
            (page.header("cache-control"), page.header("x-robots-tag")),
            (Some("no-store"), Some("noindex,nofollow"))
        );
        assert!(anybody.get(path).await.expect(status)["error"]["code"].is_string(), "programs get the error");
    }
    for _ in 0..300 {
        browser.get("/directory").await;
    }
    let refused = browser.get("/directory").await.expect(429);
    assert_page(&refused, "Too many requests");
    assert!(refused.header("retry-after").is_some());
    server.finish().await;
    let server = open_with(|config| config.app.agents.public_directory = false).await;
    let browser = server.anonymous().with_header("accept", "text/html");
    assert_page(&browser.get("/directory").await.expect(503), "switched off");
    server.finish().await;
}
