//! `GET /v1/search`.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_store::{Sql, Tx, p};
use posthouse_tests::{TestMessage, http::Api};
use serde_json::{Value, json};

use crate::inbox_fixture::InboxFixture;

impl InboxFixture {
    /// Stores a message. Moves the clock, so that messages have an order.
    async fn mail(&self, subject: &str, text: &str) -> String {
        self.mail_from("Dana Fox <dana@sender.example>", subject, text).await
    }

    async fn mail_from(&self, from: &str, subject: &str, text: &str) -> String {
        self.server.clock.advance(1);
        let now = posthouse_app::ports::Clock::now(&self.server.clock);
        let raw = TestMessage::new(subject, text)
            .with("From", from)
            .with("Content-Type", "text/plain; charset=utf-8")
            .raw(&self.inbox.address, now);
        self.server.receive_message(&self.inbox, raw).await.to_string()
    }

    /// Returns the hits of a query.
    async fn hits(&self, query: &str) -> Vec<Value> {
        hits(&self.api, query, "").await
    }

    async fn subjects(&self, query: &str) -> Vec<String> {
        subjects(&self.hits(query).await)
    }
}

async fn hits(api: &Api, query: &str, more: &str) -> Vec<Value> {
    let reply = api.get(&format!("/v1/search?q={}{more}", escaped(query))).await.expect(200);
    reply.data().to_vec()
}

fn escaped(query: &str) -> String {
    query.bytes().map(|b| format!("%{b:02X}")).collect()
}

fn subjects(hits: &[Value]) -> Vec<String> {
    hits.iter().map(|message| message["subject"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn words_are_found_in_subject_sender_and_body_best_hits_first() {
    let fixture = InboxFixture::open().await;
    fixture.mail("Body", "One zebra here.").await;
    fixture.mail("The zebra", "Nothing.").await;
    fixture.mail("Often", "zebra, zebras and a Zebra").await;
    fixture.mail_from("Zebra Zoo <zoo@animals.example>", "Sender", "Nothing.").await;
    fixture.mail("Newer body", "Another zebra.").await;
    fixture.mail("Other", "A horse.").await;
    let hits = fixture.hits("zebra").await;
    assert_eq!(subjects(&hits), ["The zebra", "Sender", "Often", "Newer body", "Body"]);
    let ranks: Vec<f64> = hits.iter().map(|hit| hit["rank"].as_f64().unwrap()).collect();
    assert_eq!(ranks, [1.0, 0.75, 0.75, 0.5, 0.5]);
    let snippets: Vec<&str> = hits.iter().map(|hit| hit["snippet"].as_str().unwrap()).collect();
    assert_eq!(snippets[0], "The <b>zebra</b>");
    assert_eq!(snippets[1], "<b>Zebra</b> Zoo &lt;zoo@animals.example&gt;");
    assert_eq!(snippets[2], "<b>zebra</b>, <b>zebras</b> and a <b>Zebra</b>");
    assert_eq!(snippets[3], "Another <b>zebra</b>.");
    assert_eq!(hits[3]["text"].as_str().map(str::trim), Some("Another zebra."), "a hit is a complete message");
    fixture.server.finish().await;
}

#[tokio::test]
async fn the_query_syntax_is_supported() {
    let fixture = InboxFixture::open().await;
    fixture.mail("Alpha", "the quick brown fox").await;
    fixture.mail("Beta", "the brown quick fox").await;
    fixture.mail("Gamma", "Café Müller, 会議は明日, INV-2024-001").await;
    fixture.mail_from("Bob <bob@other.example>", "Delta plan", "quick answer").await;
    for (query, expected) in [
        ("quick", vec!["Delta plan", "Beta", "Alpha"]),
        ("quick fox", vec!["Beta", "Alpha"]),
        ("\"quick brown\"", vec!["Alpha"]),
        ("quick -brown", vec!["Delta plan"]),
        ("quick -\"quick brown\"", vec!["Delta plan", "Beta"]),
        ("-quick", vec!["Gamma"]),
        ("muller OR answer", vec!["Delta plan", "Gamma"]),
        ("CAFE", vec!["Gamma"]),
        ("会議", vec!["Gamma"]),
        ("議会", vec![]),
        ("inv-2024-001", vec!["Gamma"]),
        ("inv-2024-002", vec![]),
        ("qui*", vec!["Delta plan", "Beta", "Alpha"]),
        ("qui", vec![]),
        ("from:bob", vec!["Delta plan"]),
        ("from:bob@other.example quick", vec!["Delta plan"]),
        ("quick -from:bob", vec!["Beta", "Alpha"]),
        ("subject:delta", vec!["Delta plan"]),
        ("subject:quick", vec![]),
        ("\"plan bob\"", vec![]),
        ("' OR 1=1 --", vec![]),
        ("quick AND* \"", vec![]),
    ] {
        assert_eq!(fixture.subjects(query).await, expected, "{query}");
    }
    let name = fixture.inbox.address.split('@').next().unwrap();
    assert_eq!(fixture.hits(&format!("to:{name}")).await.len(), 4);
    assert_eq!(fixture.hits("to:bob").await.len(), 0);
    fixture.server.finish().await;
}

#[tokio::test]
async fn labels_attachments_and_times_narrow_a_query() {
    let fixture = InboxFixture::open().await;
    let old = fixture.mail("Old report", "words").await;
    fixture.server.clock.advance(posthouse_domain::time::DAY_MS * 2);
    fixture.mail("New report", "words").await;
    let file = "From: a@b.example\r\nSubject: File report\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
        --b\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n--b\r\nContent-Type: text/csv\r\n\
        Content-Disposition: attachment; filename=a.csv\r\n\r\na,b\r\n--b--\r\n";
    fixture.server.receive_message(&fixture.inbox, file).await;
    fixture.api.patch(&format!("/v1/messages/{old}"), json!({ "add_labels": ["vip"] })).await.expect(200);
    let time = fixture.api.get(&format!("/v1/messages/{old}")).await.text("created_at").to_owned();
    let next_day =
        posthouse_app::ports::Clock::now(&fixture.server.clock).plus_ms(-posthouse_domain::time::DAY_MS).to_string();
    let day = &next_day[..10];
    for (query, expected) in [
        ("report label:vip".to_owned(), vec!["Old report"]),
        ("label:vip".to_owned(), vec!["Old report"]),
        ("report -label:vip".to_owned(), vec!["File report", "New report"]),
        ("has:attachment".to_owned(), vec!["File report"]),
        ("report -has:attachment label:vip".to_owned(), vec!["Old report"]),
        ("label:vip or has:attachment".to_owned(), vec!["File report", "Old report"]),
        ("label:none or label:vip".to_owned(), vec!["Old report"]),
        ("new or label:vip or report".to_owned(), vec!["File report", "New report", "Old report"]),
        (format!("report before:{day}"), vec!["Old report"]),
        (format!("report after:{day}"), vec!["File report", "New report"]),
        (format!("report before:{time}"), vec![]),
        (format!("report after:{time} before:{day}"), vec!["Old report"]),
    ] {
        assert_eq!(fixture.subjects(&query).await, expected, "{query}");
    }
    fixture.api.patch(&format!("/v1/messages/{old}"), json!({ "remove_labels": ["vip"] })).await.expect(200);
    assert!(fixture.hits("label:vip").await.is_empty());
    for bad in ["", "%20", "!!!", "has:wings", "before:yesterday", &"x".repeat(501)] {
        fixture.api.get(&format!("/v1/search?q={bad}")).await.invalid_fields(&["q"]);
    }
    fixture.api.get("/v1/search").await.invalid_fields(&["q"]);
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_search_finds_only_existing_messages_visible_to_the_key() {
    let fixture = InboxFixture::open().await;
    fixture.mail("First needle", "x").await;
    let other = fixture.server.inbox(&fixture.key).await;
    let raw = |subject: &str| super::messages::read::mail(subject);
    fixture.server.receive_message(&other, raw("Second needle")).await;
    let send = json!({ "to": other.address, "subject": "Task needle", "text": "x", "type": "task" });
    fixture.api.post(&format!("/v1/inboxes/{}/messages", fixture.inbox.id), send).await.expect(202);
    assert_eq!(fixture.hits("needle").await.len(), 4);
    let narrowed = async |more: String| subjects(&hits(&fixture.api, "needle", &more).await);
    assert_eq!(narrowed(format!("&inbox_id={}", other.id)).await.len(), 2);
    assert_eq!(narrowed("&type=task".to_owned()).await, ["Task needle", "Task needle"]);
    assert_eq!(narrowed("&channel=email".to_owned()).await.len(), 2);
    let inbox_key = fixture.server.key(&fixture.key, "messages:read", Scope::Inbox(fixture.inbox.id)).await;
    let api = fixture.server.api(&inbox_key);
    let seen = subjects(&hits(&api, "needle", "").await);
    assert_eq!(seen, ["Task needle", "First needle"]);
    api.get(&format!("/v1/search?q=needle&inbox_id={}", other.id)).await.error("not_found");
    let stranger = fixture.server.workspace(Plan::Team).await;
    assert!(hits(&fixture.server.api(&stranger), "needle", "").await.is_empty());

    let thread = fixture.hits("first").await[0]["thread_id"].as_str().unwrap().to_owned();
    fixture.api.delete(&format!("/v1/threads/{thread}")).await.expect(200);
    fixture.api.delete(&format!("/v1/inboxes/{}", other.id)).await.expect(204);
    assert_eq!(fixture.subjects("needle").await, ["Task needle"]);
    let brief = fixture.server.inbox_with(&fixture.key, json!({ "ttl_seconds": 60 })).await;
    fixture.server.receive_message(&brief, raw("Brief needle")).await;
    assert_eq!(fixture.hits("brief").await.len(), 1);
    fixture.server.advance(60_000).await;
    assert!(fixture.hits("brief").await.is_empty());
    fixture.server.settle().await;
    fixture.server.finish().await;
}

posthouse_store::statements! {
    HOLD = "UPDATE messages SET held = 'blocked' WHERE workspace_id = $1 AND id = $2";
}

#[tokio::test]
async fn blocked_messages_are_not_found() {
    let fixture = InboxFixture::open().await;
    let id: posthouse_domain::id::MessageId = fixture.mail("Secret needle", "x").await.parse().unwrap();
    let workspace = fixture.key.workspace;
    fixture
        .server
        .store()
        .write(move |tx| {
            let before = posthouse_store::messages::get(tx, workspace, id)?.unwrap();
            let labels = vec!["blocked".to_owned()];
            let after = posthouse_domain::message::Message { labels, ..before.clone() };
            tx.exec(&HOLD, posthouse_store::p![workspace, id])?;
            posthouse_store::messages::set_labels(tx, &before, &after)
        })
        .await
        .unwrap();
    assert!(fixture.hits("needle").await.is_empty());
    assert!(fixture.hits("label:blocked").await.is_empty());
    fixture.server.finish().await;
}

#[tokio::test]
async fn later_messages_are_found_and_do_not_shift_pages() {
    let fixture = InboxFixture::open().await;
    for n in 0..5 {
        fixture.mail(&format!("Mail {n}"), "needle").await;
    }
    let first = fixture.api.get("/v1/search?q=needle&limit=2").await.expect(200);
    assert_eq!(subjects(first.data()), ["Mail 4", "Mail 3"]);
    fixture.mail("Better needle", "needle").await;
    fixture.mail("Mail 5", "needle").await;
    let mut cursor = first.text("next_cursor").to_owned();
    let mut rest = Vec::new();
    loop {
        let page = fixture.api.get(&format!("/v1/search?q=needle&limit=2&cursor={cursor}")).await.expect(200);
        rest.extend(subjects(page.data()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(rest, ["Mail 2", "Mail 1", "Mail 0"]);
    assert_eq!(fixture.subjects("needle").await[..2], ["Better needle", "Mail 5"]);
    fixture.api.get(&format!("/v1/search?q=other&cursor={cursor}")).await.error("invalid_cursor");
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_phrase_of_frequent_words_is_found_in_all_parts_of_a_large_index() {
    let fixture = InboxFixture::open().await;
    // The index has large gaps, as after many deletions.
    for age in ["Old", "Middle"] {
        for n in 0..3 {
            fixture.mail(&format!("{age} {n}"), "the red fox").await;
        }
        fixture.mail(&format!("{age} red fox"), "the fox").await;
        fixture.hits("red").await;
        let jump =
            Sql::from_fragments("JUMP", "UPDATE search_heads SET seq = seq + 5000 WHERE workspace_id = $1".to_owned());
        let workspace = fixture.key.workspace;
        let work = move |tx: &mut Tx| tx.exec(&jump, p![workspace]);
        fixture.server.service().store.write(work).await.unwrap();
    }
    for n in 0..70 {
        fixture.mail(&format!("New {n}"), if n % 30 == 10 { "the red fox" } else { "the red and the blue fox" }).await;
    }
    let expected = [
        "Middle red fox",
        "Old red fox",
        "New 40",
        "New 10",
        "Middle 2",
        "Middle 1",
        "Middle 0",
        "Old 2",
        "Old 1",
        "Old 0",
    ];
    assert_eq!(fixture.subjects("\"red fox\"").await, expected);
    assert_eq!(pages(&fixture.api, "\"red fox\"", 3).await, expected);
    assert_eq!(fixture.subjects("\"red fox\" -blue subject:old").await, ["Old red fox", "Old 2", "Old 1", "Old 0"]);
    let paged = pages(&fixture.api, "red", 7).await;
    assert_eq!(paged.len(), 78);
    assert_eq!(paged.iter().collect::<std::collections::HashSet<_>>().len(), 78);
    assert_eq!(fixture.subjects("\"fox red\"").await, Vec::<String>::new());
    fixture.server.finish().await;
}

/// Returns the subjects of all pages.
async fn pages(api: &Api, query: &str, limit: u32) -> Vec<String> {
    let first = format!("/v1/search?q={}&limit={limit}", escaped(query));
    let (mut path, mut all) = (first.clone(), Vec::new());
    loop {
        let page = api.get(&path).await.expect(200);
        all.extend(subjects(page.data()));
        match page["next_cursor"].as_str() {
            Some(next) => path = format!("{first}&cursor={next}"),
            None => return all,
        }
    }
}

#[tokio::test]
async fn more_than_one_batch_is_indexed_before_the_search() {
    let fixture = InboxFixture::open().await;
    let first = fixture.mail("First", "needle").await;
    super::queue::multiply(&fixture.server, fixture.key.workspace, &first, 450).await;
    posthouse_app::messages::index::index_pending(fixture.server.service(), false).await.unwrap();
    let mut count = 0;
    let mut path = "/v1/search?q=needle&limit=100".to_owned();
    loop {
        let page = fixture.api.get(&path).await.expect(200);
        count += page.data().len();
        match page["next_cursor"].as_str() {
            Some(next) => path = format!("/v1/search?q=needle&limit=100&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(count, 451);
    posthouse_app::messages::index::index_pending(fixture.server.service(), true).await.unwrap();
    assert_eq!(posthouse_app::messages::index::pending(fixture.server.service()).await.unwrap(), 0);
    fixture.server.finish().await;
}
