//! `GET /v1/search` (contract §7).

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_store::{Engine, Sql, Tx, p};
use posthouse_tests::{Letter, http::Api};
use serde_json::{Value, json};

use crate::desk::Desk;

impl Desk {
    /// Stores a mail; the clock moves on, so that mail has an order.
    async fn mail(&self, subject: &str, text: &str) -> String {
        self.mail_from("Dana Fox <dana@sender.example>", subject, text).await
    }

    async fn mail_from(&self, from: &str, subject: &str, text: &str) -> String {
        self.server.clock.advance(1);
        let now = posthouse_server::ports::Clock::now(&self.server.clock);
        let raw = Letter::new(subject, text)
            .with("From", from)
            .with("Content-Type", "text/plain; charset=utf-8")
            .raw(&self.inbox.address, now);
        self.server.arrive(&self.inbox, raw).await.to_string()
    }

    /// What a query finds.
    async fn found(&self, query: &str) -> Vec<Value> {
        found(&self.api, query, "").await
    }

    async fn subjects(&self, query: &str) -> Vec<String> {
        subjects(&self.found(query).await)
    }
}

async fn found(api: &Api, query: &str, more: &str) -> Vec<Value> {
    let reply = api.get(&format!("/v1/search?q={}{more}", escaped(query))).await.expect(200);
    reply.data().to_vec()
}

fn escaped(query: &str) -> String {
    query.bytes().map(|b| format!("%{b:02X}")).collect()
}

fn subjects(found: &[Value]) -> Vec<String> {
    found.iter().map(|message| message["subject"].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn words_are_found_in_subject_sender_and_body_the_best_first() {
    let desk = Desk::open().await;
    desk.mail("Body", "One zebra here.").await;
    desk.mail("The zebra", "Nothing.").await;
    desk.mail("Often", "zebra, zebras and a Zebra").await;
    desk.mail_from("Zebra Zoo <zoo@animals.example>", "Sender", "Nothing.").await;
    desk.mail("Newer body", "Another zebra.").await;
    desk.mail("Other", "A horse.").await;
    let hits = desk.found("zebra").await;
    assert_eq!(subjects(&hits), ["The zebra", "Sender", "Often", "Newer body", "Body"]);
    let ranks: Vec<f64> = hits.iter().map(|hit| hit["rank"].as_f64().unwrap()).collect();
    assert_eq!(ranks, [1.0, 0.75, 0.75, 0.5, 0.5]);
    let snippets: Vec<&str> = hits.iter().map(|hit| hit["snippet"].as_str().unwrap()).collect();
    assert_eq!(snippets[0], "The <b>zebra</b>");
    assert_eq!(snippets[1], "<b>Zebra</b> Zoo &lt;zoo@animals.example&gt;");
    assert_eq!(snippets[2], "<b>zebra</b>, <b>zebras</b> and a <b>Zebra</b>");
    assert_eq!(snippets[3], "Another <b>zebra</b>.");
    assert_eq!(hits[3]["text"].as_str().map(str::trim), Some("Another zebra."), "it is a whole message");
    desk.server.finish().await;
}

#[tokio::test]
async fn the_syntax_of_search_boxes() {
    let desk = Desk::open().await;
    desk.mail("Alpha", "the quick brown fox").await;
    desk.mail("Beta", "the brown quick fox").await;
    desk.mail("Gamma", "Café Müller, 会議は明日, INV-2024-001").await;
    desk.mail_from("Bob <bob@other.example>", "Delta plan", "quick answer").await;
    for (query, wanted) in [
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
        assert_eq!(desk.subjects(query).await, wanted, "{query}");
    }
    let name = desk.inbox.address.split('@').next().unwrap();
    assert_eq!(desk.found(&format!("to:{name}")).await.len(), 4);
    assert_eq!(desk.found("to:bob").await.len(), 0);
    desk.server.finish().await;
}

#[tokio::test]
async fn labels_files_and_times_narrow_a_query() {
    let desk = Desk::open().await;
    let old = desk.mail("Old report", "words").await;
    desk.server.clock.advance(posthouse_domain::time::DAY_MS * 2);
    desk.mail("New report", "words").await;
    let file = "From: a@b.example\r\nSubject: File report\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
        --b\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n--b\r\nContent-Type: text/csv\r\n\
        Content-Disposition: attachment; filename=a.csv\r\n\r\na,b\r\n--b--\r\n";
    desk.server.arrive(&desk.inbox, file).await;
    desk.api.patch(&format!("/v1/messages/{old}"), json!({ "add_labels": ["vip"] })).await.expect(200);
    let time = desk.api.get(&format!("/v1/messages/{old}")).await.text("created_at").to_owned();
    let next_day =
        posthouse_server::ports::Clock::now(&desk.server.clock).plus_ms(-posthouse_domain::time::DAY_MS).to_string();
    let day = &next_day[..10];
    for (query, wanted) in [
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
        assert_eq!(desk.subjects(&query).await, wanted, "{query}");
    }
    desk.api.patch(&format!("/v1/messages/{old}"), json!({ "remove_labels": ["vip"] })).await.expect(200);
    assert!(desk.found("label:vip").await.is_empty());
    for bad in ["", "%20", "!!!", "has:wings", "before:yesterday", &"x".repeat(501)] {
        desk.api.get(&format!("/v1/search?q={bad}")).await.invalid_fields(&["q"]);
    }
    desk.api.get("/v1/search").await.invalid_fields(&["q"]);
    desk.server.finish().await;
}

#[tokio::test]
async fn a_search_sees_what_the_key_sees_and_what_is_there() {
    let desk = Desk::open().await;
    desk.mail("First needle", "x").await;
    let other = desk.server.inbox(&desk.key).await;
    let raw = |subject: &str| super::messages::read::mail(subject);
    desk.server.arrive(&other, raw("Second needle")).await;
    let send = json!({ "to": other.address, "subject": "Task needle", "text": "x", "type": "task" });
    desk.api.post(&format!("/v1/inboxes/{}/messages", desk.inbox.id), send).await.expect(202);
    assert_eq!(desk.found("needle").await.len(), 4);
    let narrowed = async |more: String| subjects(&found(&desk.api, "needle", &more).await);
    assert_eq!(narrowed(format!("&inbox_id={}", other.id)).await.len(), 2);
    assert_eq!(narrowed("&type=task".to_owned()).await, ["Task needle", "Task needle"]);
    assert_eq!(narrowed("&channel=email".to_owned()).await.len(), 2);
    let inbox_key = desk.server.key(&desk.key, "messages:read", Scope::Inbox(desk.inbox.id)).await;
    let api = desk.server.api(&inbox_key);
    let seen = subjects(&found(&api, "needle", "").await);
    assert_eq!(seen, ["Task needle", "First needle"]);
    api.get(&format!("/v1/search?q=needle&inbox_id={}", other.id)).await.error("not_found");
    let stranger = desk.server.workspace(Plan::Team).await;
    assert!(found(&desk.server.api(&stranger), "needle", "").await.is_empty());

    let thread = desk.found("first").await[0]["thread_id"].as_str().unwrap().to_owned();
    desk.api.delete(&format!("/v1/threads/{thread}")).await.expect(200);
    desk.api.delete(&format!("/v1/inboxes/{}", other.id)).await.expect(204);
    assert_eq!(desk.subjects("needle").await, ["Task needle"]);
    let brief = desk.server.inbox_with(&desk.key, json!({ "ttl_seconds": 60 })).await;
    desk.server.arrive(&brief, raw("Brief needle")).await;
    assert_eq!(desk.found("brief").await.len(), 1);
    desk.server.advance(60_000).await;
    assert!(desk.found("brief").await.is_empty());
    desk.server.settle().await;
    desk.server.finish().await;
}

#[tokio::test]
async fn mail_that_a_list_stopped_is_not_found() {
    let desk = Desk::open().await;
    let id: posthouse_domain::id::MessageId = desk.mail("Secret needle", "x").await.parse().unwrap();
    let workspace = desk.key.workspace;
    desk.server
        .store()
        .write(move |tx| {
            let before = posthouse_store::messages::get(tx, workspace, id)?.unwrap();
            let labels = vec!["blocked".to_owned()];
            let after = posthouse_domain::message::Message { labels, ..before.clone() };
            posthouse_store::messages::set_labels(tx, &before, &after)
        })
        .await
        .unwrap();
    assert!(desk.found("needle").await.is_empty());
    assert!(desk.found("label:blocked").await.is_empty());
    desk.server.finish().await;
}

#[tokio::test]
async fn what_comes_later_is_found_and_shifts_no_page() {
    let desk = Desk::open().await;
    for n in 0..5 {
        desk.mail(&format!("Mail {n}"), "needle").await;
    }
    let first = desk.api.get("/v1/search?q=needle&limit=2").await.expect(200);
    assert_eq!(subjects(first.data()), ["Mail 4", "Mail 3"]);
    desk.mail("Better needle", "needle").await;
    desk.mail("Mail 5", "needle").await;
    let mut cursor = first.text("next_cursor").to_owned();
    let mut rest = Vec::new();
    loop {
        let page = desk.api.get(&format!("/v1/search?q=needle&limit=2&cursor={cursor}")).await.expect(200);
        rest.extend(subjects(page.data()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(rest, ["Mail 2", "Mail 1", "Mail 0"]);
    assert_eq!(desk.subjects("needle").await[..2], ["Better needle", "Mail 5"]);
    desk.api.get(&format!("/v1/search?q=other&cursor={cursor}")).await.error("invalid_cursor");
    desk.server.finish().await;
}

#[tokio::test]
async fn a_phrase_of_frequent_words_is_found_in_every_part_of_a_large_index() {
    let desk = Desk::open().await;
    // Most of a large index is gaps here, as after many deletions; its oldest part is of a version that knew no pairs.
    for age in ["Old", "Middle"] {
        for n in 0..3 {
            desk.mail(&format!("{age} {n}"), "the red fox").await;
        }
        desk.mail(&format!("{age} red fox"), "the fox").await;
        desk.found("red").await;
        let jump = Sql::built("JUMP", "UPDATE search_heads SET seq = seq + 5000 WHERE workspace_id = $1".to_owned());
        let workspace = desk.key.workspace;
        let before = Sql::built("BEFORE", "UPDATE search_docs SET pairs = NULL WHERE workspace_id = $1".to_owned());
        let work = move |tx: &mut Tx| {
            if age == "Old" && tx.engine() == Engine::Postgres {
                tx.exec(&before, p![workspace])?;
            }
            tx.exec(&jump, p![workspace])
        };
        desk.server.app().store.write(work).await.unwrap();
    }
    for n in 0..70 {
        desk.mail(&format!("New {n}"), if n % 30 == 10 { "the red fox" } else { "the red and the blue fox" }).await;
    }
    let wanted = [
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
    assert_eq!(desk.subjects("\"red fox\"").await, wanted);
    assert_eq!(pages(&desk.api, "\"red fox\"", 3).await, wanted);
    assert_eq!(desk.subjects("\"red fox\" -blue subject:old").await, ["Old red fox", "Old 2", "Old 1", "Old 0"]);
    let paged = pages(&desk.api, "red", 7).await;
    assert_eq!(paged.len(), 78);
    assert_eq!(paged.iter().collect::<std::collections::HashSet<_>>().len(), 78);
    assert_eq!(desk.subjects("\"fox red\"").await, Vec::<String>::new());
    desk.server.finish().await;
}

/// The subjects of all pages.
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
    let desk = Desk::open().await;
    let first = desk.mail("First", "needle").await;
    super::queue::multiply(&desk.server, desk.key.workspace, &first, 450).await;
    posthouse_server::app::index_mail::work_off(desk.server.app(), false).await.unwrap();
    let mut count = 0;
    let mut path = "/v1/search?q=needle&limit=100".to_owned();
    loop {
        let page = desk.api.get(&path).await.expect(200);
        count += page.data().len();
        match page["next_cursor"].as_str() {
            Some(next) => path = format!("/v1/search?q=needle&limit=100&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(count, 451);
    posthouse_server::app::index_mail::work_off(desk.server.app(), true).await.unwrap();
    assert_eq!(posthouse_server::app::index_mail::lag(desk.server.app()).await.unwrap(), 0);
    desk.server.finish().await;
}
