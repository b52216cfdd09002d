//! Lists, filters, single contacts, domains.

use posthouse_domain::auth::Scope;
use serde_json::json;

use super::InboxFixture;

#[tokio::test]
async fn filters_narrow_the_list_and_the_last_seen_contact_comes_first() {
    let fixture = InboxFixture::open().await;
    fixture.receive_with_subject("Ann <ann@one.example>", "a").await;
    fixture.receive_with_subject("Ben 100% <ben@one.example>", "b").await;
    fixture.receive_with_subject("no-reply@two.example", "c").await;
    fixture.write_to(json!("cleo@two.example")).await;
    let patch = json!({ "add_labels": ["vip"], "metadata": { "tier": 1, "on": true, "city": "Bonn" } });
    fixture.api.patch(&format!("/v1/contacts/{}", fixture.id("ann@one.example").await), patch).await.expect(200);
    let patch = json!({ "add_labels": ["vip", "new"], "metadata": { "tier": 2 } });
    fixture.api.patch(&format!("/v1/contacts/{}", fixture.id("ben@one.example").await), patch).await.expect(200);

    let (ann, ben, none, cleo) = ("ann@one.example", "ben@one.example", "no-reply@two.example", "cleo@two.example");
    let table: &[(&str, &[&str])] = &[
        ("", &[cleo, none, ben, ann]),
        ("q=ONE.ex", &[ben, ann]),
        ("q=100%25", &[ben]),
        ("q=_", &[]),
        ("q=ann", &[ann]),
        ("label=vip", &[ben, ann]),
        ("label=new", &[ben]),
        ("label=nobody", &[]),
        ("kind=person", &[cleo]),
        ("kind=unknown,automated", &[none, ben, ann]),
        ("kind=", &[cleo, none, ben, ann]),
        ("domain=two.example", &[cleo, none]),
        ("domain=@One.Example", &[ben, ann]),
        ("domain=example", &[]),
        ("metadata.tier=1", &[ann]),
        ("metadata.on=true&metadata.city=Bonn", &[ann]),
        ("metadata.on=false", &[]),
        ("label=vip&metadata.tier=2&kind=unknown&domain=one.example&q=ben", &[ben]),
        ("label=vip&metadata.tier=2&kind=person", &[]),
    ];
    for (query, expected) in table {
        assert_eq!(fixture.listed(query).await, *expected, "{query}");
    }
    let page = fixture.api.get("/v1/contacts?label=vip&limit=1").await.expect(200);
    let next = page.text("next_cursor");
    assert_eq!(fixture.listed(&format!("label=vip&limit=1&cursor={next}")).await, [ann]);
    assert!(page.data()[0].get("recent_threads").is_none(), "only on single reads");
    // A contact that is seen again comes first.
    fixture.receive_with_subject("ann@one.example", "again").await;
    assert_eq!(fixture.listed("").await[0], ann);

    for (query, path) in [
        ("kind=robot", "kind"),
        ("kind=person,,x", "kind"),
        ("label=a%20b", "label"),
        ("label=", "label"),
        ("q=", "q"),
        ("domain=", "domain"),
        ("sort=name", "sort"),
    ] {
        fixture.api.get(&format!("/v1/contacts?{query}")).await.invalid_fields(&[path]);
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn a_contact_shows_its_newest_threads_visible_to_the_key() {
    let fixture = InboxFixture::open().await;
    let other = fixture.server.inbox(&fixture.key).await;
    for n in 0..12 {
        fixture.receive_with_subject("ann@one.example", &format!("Topic {n}")).await;
    }
    fixture
        .server
        .deliver(&posthouse_tests::TestMessage::new("Elsewhere", "t").with("From", "ann@one.example"), &other.address)
        .await;
    // A reply makes the oldest thread the newest.
    fixture.receive_with_subject("ann@one.example", "Re: Topic 0").await;
    let ann = fixture.contact("ann@one.example").await.unwrap();
    let subjects = |contact: &serde_json::Value| -> Vec<String> {
        let threads = contact["recent_threads"].as_array().unwrap();
        threads.iter().map(|thread| thread["subject"].as_str().unwrap().to_owned()).collect()
    };
    let mut expected = vec!["Topic 0".to_owned(), "Elsewhere".to_owned()];
    expected.extend((4..12).rev().map(|n| format!("Topic {n}")));
    assert_eq!(subjects(&ann), expected);
    let path = format!("/v1/contacts/{}", ann["id"].as_str().unwrap());
    assert_eq!(fixture.api.get(&path).await.expect(200).json, ann);
    let narrow = fixture.server.key(&fixture.key, "full", Scope::Inbox(other.id)).await;
    let seen = fixture.server.api(&narrow).get(&path).await.expect(200);
    assert_eq!(subjects(&seen.json), ["Elsewhere"]);
    // A deleted thread is no longer listed.
    let thread = ann["recent_threads"][1]["id"].as_str().unwrap();
    fixture.api.delete(&format!("/v1/threads/{thread}")).await.expect(200);
    assert!(!subjects(&fixture.contact("ann@one.example").await.unwrap()).contains(&"Elsewhere".to_owned()));
    fixture.api.get("/v1/contacts/no-id").await.error("not_found");
    fixture.api.get("/v1/contacts/01990000-0000-7000-8000-000000000000").await.error("not_found");
    for address in ["stranger@one.example", "no-address", "a"] {
        assert!(fixture.contact(address).await.is_none());
    }
    fixture.server.finish().await;
}

#[tokio::test]
async fn domains_are_counted_without_free_mail_providers() {
    let fixture = InboxFixture::open().await;
    for from in
        ["a@big.example", "b@big.example", "c@gmail.com", "d@gmail.com", "e@gmail.com", "no-reply@small.example"]
    {
        fixture.receive_with_subject(from, "s").await;
    }
    let newest = fixture.contact("no-reply@small.example").await.unwrap();
    let all = fixture.api.get("/v1/contacts/domains").await.expect(200);
    let rows: Vec<_> = all.data().iter().map(|row| (row["domain"].clone(), row["contacts"].clone())).collect();
    assert_eq!(rows, [(json!("big.example"), json!(2)), (json!("small.example"), json!(1))]);
    assert_eq!(all.data()[1]["last_seen_at"], newest["last_seen_at"]);
    assert!(all.json.get("next_cursor").is_none());
    let some = fixture.api.get("/v1/contacts/domains?kind=automated,sales&limit=1").await.expect(200);
    assert_eq!(some.data().len(), 1);
    assert_eq!(some.data()[0]["domain"], "small.example");
    for (query, path) in [("limit=0", "limit"), ("limit=201", "limit"), ("kind=x", "kind"), ("cursor=x", "cursor")] {
        fixture.api.get(&format!("/v1/contacts/domains?{query}")).await.invalid_fields(&[path]);
    }
    fixture.server.finish().await;
}
