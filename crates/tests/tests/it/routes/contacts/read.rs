//! Lists, filters, single reads, domains.

use posthouse_domain::auth::Scope;
use serde_json::json;

use super::Desk;

#[tokio::test]
async fn filters_narrow_and_the_order_is_last_seen_first() {
    let desk = Desk::open().await;
    desk.hear("Ann <ann@one.example>", "a").await;
    desk.hear("Ben 100% <ben@one.example>", "b").await;
    desk.hear("no-reply@two.example", "c").await;
    desk.write_to(json!("cleo@two.example")).await;
    let patch = json!({ "add_labels": ["vip"], "metadata": { "tier": 1, "on": true, "city": "Bonn" } });
    desk.api.patch(&format!("/v1/contacts/{}", desk.id("ann@one.example").await), patch).await.expect(200);
    let patch = json!({ "add_labels": ["vip", "new"], "metadata": { "tier": 2 } });
    desk.api.patch(&format!("/v1/contacts/{}", desk.id("ben@one.example").await), patch).await.expect(200);

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
        assert_eq!(desk.listed(query).await, *expected, "{query}");
    }
    let page = desk.api.get("/v1/contacts?label=vip&limit=1").await.expect(200);
    let next = page.text("next_cursor");
    assert_eq!(desk.listed(&format!("label=vip&limit=1&cursor={next}")).await, [ann]);
    assert!(page.data()[0].get("recent_threads").is_none(), "only on single reads");
    // Who is seen again comes first.
    desk.hear("ann@one.example", "again").await;
    assert_eq!(desk.listed("").await[0], ann);

    for (query, path) in [
        ("kind=robot", "kind"),
        ("kind=person,,x", "kind"),
        ("label=a%20b", "label"),
        ("label=", "label"),
        ("q=", "q"),
        ("domain=", "domain"),
        ("sort=name", "sort"),
    ] {
        desk.api.get(&format!("/v1/contacts?{query}")).await.invalid_fields(&[path]);
    }
    desk.server.finish().await;
}

#[tokio::test]
async fn a_contact_shows_its_newest_threads_that_the_key_can_see() {
    let desk = Desk::open().await;
    let other = desk.server.inbox(&desk.key).await;
    for n in 0..12 {
        desk.hear("ann@one.example", &format!("Topic {n}")).await;
    }
    desk.server
        .deliver(&posthouse_tests::Letter::new("Elsewhere", "t").with("From", "ann@one.example"), &other.address)
        .await;
    // The oldest thread is answered: it is the newest again.
    desk.hear("ann@one.example", "Re: Topic 0").await;
    let ann = desk.contact("ann@one.example").await.unwrap();
    let subjects = |contact: &serde_json::Value| -> Vec<String> {
        let threads = contact["recent_threads"].as_array().unwrap();
        threads.iter().map(|thread| thread["subject"].as_str().unwrap().to_owned()).collect()
    };
    let mut expected = vec!["Topic 0".to_owned(), "Elsewhere".to_owned()];
    expected.extend((4..12).rev().map(|n| format!("Topic {n}")));
    assert_eq!(subjects(&ann), expected);
    let path = format!("/v1/contacts/{}", ann["id"].as_str().unwrap());
    assert_eq!(desk.api.get(&path).await.expect(200).json, ann);
    let narrow = desk.server.key(&desk.key, "full", Scope::Inbox(other.id)).await;
    let seen = desk.server.api(&narrow).get(&path).await.expect(200);
    assert_eq!(subjects(&seen.json), ["Elsewhere"]);
    // A deleted thread is gone from it.
    let thread = ann["recent_threads"][1]["id"].as_str().unwrap();
    desk.api.delete(&format!("/v1/threads/{thread}")).await.expect(200);
    assert!(!subjects(&desk.contact("ann@one.example").await.unwrap()).contains(&"Elsewhere".to_owned()));
    desk.api.get("/v1/contacts/no-id").await.error("not_found");
    desk.api.get("/v1/contacts/01990000-0000-7000-8000-000000000000").await.error("not_found");
    for address in ["stranger@one.example", "no-address", "a"] {
        assert!(desk.contact(address).await.is_none());
    }
    desk.server.finish().await;
}

#[tokio::test]
async fn domains_are_counted_without_those_of_free_mail() {
    let desk = Desk::open().await;
    for from in
        ["a@big.example", "b@big.example", "c@gmail.com", "d@gmail.com", "e@gmail.com", "no-reply@small.example"]
    {
        desk.hear(from, "s").await;
    }
    let newest = desk.contact("no-reply@small.example").await.unwrap();
    let all = desk.api.get("/v1/contacts/domains").await.expect(200);
    let rows: Vec<_> = all.data().iter().map(|row| (row["domain"].clone(), row["contacts"].clone())).collect();
    assert_eq!(rows, [(json!("big.example"), json!(2)), (json!("small.example"), json!(1))]);
    assert_eq!(all.data()[1]["last_seen_at"], newest["last_seen_at"]);
    assert!(all.json.get("next_cursor").is_none());
    let some = desk.api.get("/v1/contacts/domains?kind=automated,sales&limit=1").await.expect(200);
    assert_eq!(some.data().len(), 1);
    assert_eq!(some.data()[0]["domain"], "small.example");
    for (query, path) in [("limit=0", "limit"), ("limit=201", "limit"), ("kind=x", "kind"), ("cursor=x", "cursor")] {
        desk.api.get(&format!("/v1/contacts/domains?{query}")).await.invalid_fields(&[path]);
    }
    desk.server.finish().await;
}
