//! The pages of the public directory: what they show, and that nothing an agent wrote becomes markup.

use posthouse_store::{Tx, p, statements};
use serde_json::json;

use super::{Agent, open};

statements! {
    DEFACE = "UPDATE agent_cards SET name = $2, description = $2, skills = $3, documentation_url = $4, languages = $5 WHERE inbox_id = $1";
}

#[tokio::test]
async fn a_listed_agent_has_a_page() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    let skill = json!({ "id": "quote", "name": "Quotes", "description": "Prices.", "tags": ["steel"] });
    let card = json!({
        "description": "Answers about prices.", "capabilities": { "skills": [skill] },
        "documentation_url": "https://acme.example/docs",
    });
    agent.card(card).await;
    agent.list(&server, "Sales & more").await;
    let anybody = server.anonymous();
    let page = anybody.get(&format!("/directory/{}", agent.address)).await.expect(200);
    let html = page.body_text();
    for text in [
        "<title>Sales &amp; more · ",
        "<meta property=\"og:title\" content=\"Sales &amp; more\">",
        "<script type=\"application/ld+json\">{",
        "href=\"https://acme.example/docs\" rel=\"nofollow noopener noreferrer ugc\"",
        "Quotes",
        "<meta name=\"robots\" content=\"noindex,nofollow\">",
    ] {
        assert!(html.contains(text), "{text} in {html}");
    }
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-robots-tag"), Some("noindex,nofollow"));
    assert!(!anybody.get("/sitemap.xml").await.expect(200).body_text().contains("bot"));
    agent.card(json!({ "indexable": true })).await;
    server.clock.advance(60_000);
    let page = anybody.get(&format!("/directory/{}", agent.address)).await.expect(200);
    assert_eq!(page.header("x-robots-tag"), Some("index,follow"));
    let sitemap = anybody.get("/sitemap.xml").await.expect(200);
    assert!(sitemap.body_text().contains(&format!("/directory/{}</loc>", agent.address)));
    anybody.get("/directory/nobody@agents.localhost").await.error("agent_not_found");
    server.finish().await;
}

#[tokio::test]
async fn the_index_searches_and_continues() {
    let server = open().await;
    let first = Agent::open(&server, "a0").await;
    first.list(&server, "Agent 0").await;
    for n in 1..22 {
        server.clock.advance(1);
        let agent = Agent::of(first.api.clone(), &format!("a{n}")).await;
        agent.card(json!({ "name": format!("Agent {n}"), "visibility": "public" })).await;
    }
    server.settle().await;
    let anybody = server.anonymous();
    let page = anybody.get("/directory?q=agent").await.expect(200).body_text();
    assert_eq!(page.matches("<li>").count(), 20);
    let next = page.split("<a href=\"/directory?").nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&");
    let rest = anybody.get(&format!("/directory?{next}")).await.expect(200).body_text();
    assert_eq!(rest.matches("<li>").count(), 2);
    let none = anybody.get("/directory?q=%3Cscript%3E%22").await.expect(200).body_text();
    assert!(none.contains("value=\"&lt;script&gt;&quot;\"") && none.contains("No agent matches"));
    server.finish().await;
}

#[tokio::test]
async fn nothing_that_a_hostile_card_contains_becomes_markup() {
    let server = open().await;
    let agent = Agent::open(&server, "bot").await;
    agent.card(json!({ "indexable": true })).await;
    agent.list(&server, "Sales bot").await;
    // As if every check of texts had failed.
    let evil = "</title></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'><a href='javascript:alert(1)'>\u{202e}\u{200b}\u{2028}&lt;";
    let skill =
        json!([{ "id": "a\"><b>", "name": evil, "description": evil, "tags": [evil], "oasf": evil }]).to_string();
    let (id, languages) = (agent.id.parse::<uuid::Uuid>().unwrap(), json!([evil]).to_string());
    for url in [
        "javascript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "https://x.example/\" onmouseover=\"alert(1)",
    ] {
        let (skill, languages) = (skill.clone(), languages.clone());
        let deface = move |tx: &mut Tx| tx.exec(&DEFACE, p![id, evil, skill, url, languages]);
        server.store().write(deface).await.unwrap();
        for path in [format!("/directory/{}", agent.address), "/directory".to_owned(), "/sitemap.xml".to_owned()] {
            let html = server.anonymous().get(&path).await.expect(200).body_text();
            for markup in [
                "<script>",
                "<img",
                "<a href='",
                "onerror=alert(1)>",
                "href=\"javascript:",
                "href=\"data:",
                "\" onmouseover",
                "\u{202e}",
                "\u{200b}",
                "\u{2028}",
                "<b>a",
            ] {
                assert!(!html.contains(markup), "{markup:?} in {path}: {html}");
            }
            assert_eq!(html.matches("</script>").count(), html.matches("<script ").count(), "{path}");
        }
        server.clock.advance(60_000);
    }
    server.finish().await;
}

#[tokio::test]
async fn robots_read_the_directory_only_while_it_is_on() {
    let server = open().await;
    let robots = server.anonymous().get("/robots.txt").await.expect(200).body_text();
    assert!(robots.contains("Allow: /directory\n") && robots.contains("/sitemap.xml\n"), "{robots}");
    server.finish().await;
    let server = super::open_with(|config| config.app.agents.public_directory = false).await;
    let robots = server.anonymous().get("/robots.txt").await.expect(200).body_text();
    assert_eq!(robots, "User-agent: *\nDisallow: /\n");
    for path in ["/directory", "/directory/a@b.example", "/sitemap.xml", "/v1/public/agents", "/v1/public/handles/a/bc"]
    {
        server.anonymous().get(path).await.error("public_directory_disabled");
    }
    server.finish().await;
}
