//! `/v1/knowledge`: documents, versions, uploads, search and scopes.

use posthouse_domain::{auth::Scope, plan::Plan};
use posthouse_tests::{ServerOptions, TestServer};
use reqwest::Method;
use serde_json::{Value, json};

/// Returns the titles that a search finds, best first.
async fn titles(api: &posthouse_tests::http::Api, query: &str) -> Vec<String> {
    let found = api.get(&format!("/v1/knowledge/search?{query}")).await.expect(200);
    found.data().iter().map(|hit| hit["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_document_is_created_changed_found_and_deleted() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let body = "# Returns\n\nYou can return an order within 30 days.\n\nA refund takes five days.";
    let made = api.post("/v1/knowledge", json!({ "title": "Returns", "body": body })).await.expect(201);
    assert!(made["inbox_id"].is_null() && made["source_id"].is_null(), "{made}");
    assert_eq!((made.text("title"), made.text("body"), &made["version"]), ("Returns", body, &json!(1)));
    let path = format!("/v1/knowledge/{}", made.text("id"));
    assert_eq!(api.get(&path).await.expect(200).json, made.json);
    let listed = api.get("/v1/knowledge").await.expect(200);
    assert_eq!(listed.data()[0]["excerpt"], body);
    assert!(listed.data()[0].get("body").is_none(), "{listed}");

    let found = api.get("/v1/knowledge/search?q=how+long+until+a+refund").await.expect(200);
    let hit = &found.data()[0];
    assert_eq!((&hit["id"], &hit["title"], &hit["inbox_id"]), (&made["id"], &made["title"], &Value::Null));
    assert!(hit["snippet"].as_str().unwrap().contains("**refund** takes five"), "{found}");
    assert!(hit["rank"].as_f64().unwrap() > 0.0);
    assert!(found.json.get("next_cursor").is_none(), "{found}");
    assert_eq!(titles(&api, "q=zeppelin").await, Vec::<String>::new());

    server.clock.advance(1_000);
    let changed = api.patch(&path, json!({ "body": "Returns are free. Credit notes take a week." })).await.expect(200);
    assert_eq!((changed.text("title"), &changed["version"]), ("Returns", &json!(2)));
    assert_ne!(changed["updated_at"], made["updated_at"]);
    assert_eq!(titles(&api, "q=refund").await, Vec::<String>::new(), "the old passages are gone");
    assert_eq!(titles(&api, "q=credit").await, ["Returns"]);
    let same = api.patch(&path, json!({ "title": "Returns" })).await.expect(200);
    assert_eq!(same.json, changed.json, "nothing changed");

    let versions = api.get(&format!("{path}/versions")).await.expect(200);
    let numbers: Vec<&Value> = versions.data().iter().map(|version| &version["version"]).collect();
    assert_eq!(numbers, [&json!(2), &json!(1)]);
    assert_eq!(api.get(&format!("{path}/versions/1")).await.expect(200).text("body"), body);
    api.get(&format!("{path}/versions/3")).await.error("not_found");

    api.delete(&path).await.expect(204);
    api.get(&path).await.error("not_found");
    api.delete(&path).await.error("not_found");
    assert_eq!(titles(&api, "q=credit").await, Vec::<String>::new());
    let events = api.get("/v1/events?types=knowledge.created,knowledge.updated,knowledge.deleted").await.expect(200);
    let kinds: Vec<&str> = events.data().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["knowledge.created", "knowledge.updated", "knowledge.deleted"]);
    assert!(events.data().iter().all(|event| event["data"]["knowledge"].get("body").is_none()), "{events}");
    server.finish().await;
}

#[tokio::test]
async fn a_source_has_one_document_in_its_scope() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    let put = |text: &str, inbox: Value| {
        let body = json!({ "title": "Hours", "body": text, "source_id": "help/hours.md", "inbox_id": inbox });
        let api = &api;
        async move { api.post("/v1/knowledge", body).await }
    };
    let first = put("Open from nine.", Value::Null).await.expect(201);
    let second = put("Open from ten.", Value::Null).await.expect(200);
    assert_eq!((&second["id"], &second["version"]), (&first["id"], &json!(2)));
    let again = put("Open from ten.", Value::Null).await.expect(200);
    assert_eq!(again.json, second.json, "a folder that is uploaded again changes nothing");
    assert_eq!(titles(&api, "q=nine").await, Vec::<String>::new());
    assert_eq!(titles(&api, "q=ten").await, ["Hours"]);
    let of_inbox = put("Open at noon.", json!(inbox.id.to_string())).await.expect(201);
    assert_ne!(of_inbox["id"], first["id"]);
    let path = format!("/v1/knowledge/{}", of_inbox.text("id"));
    api.patch(&path, json!({ "inbox_id": null })).await.error("knowledge_source_exists");
    api.delete(&format!("/v1/knowledge/{}", first.text("id"))).await.expect(204);
    assert!(api.patch(&path, json!({ "inbox_id": null })).await.expect(200)["inbox_id"].is_null());
    for n in 0..25 {
        put(&format!("Version {n}."), Value::Null).await.expect(200);
    }
    let versions = api.get(&format!("{path}/versions")).await.expect(200);
    assert_eq!(versions.data().len(), 20, "older versions go");
    server.finish().await;
}

#[tokio::test]
async fn files_are_uploaded_as_a_form_or_as_base64() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let form = |filename: &str, content: &str| {
        format!(
            "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{filename}\"\r\n\r\n{content}\r\n\
             --b\r\nContent-Disposition: form-data; name=\"source_id\"\r\n\r\n{filename}\r\n--b--\r\n"
        )
    };
    let kind = "multipart/form-data; boundary=b";
    let post = |body: String| api.raw(Method::POST, "/v1/knowledge", kind, body);
    let html = post(form("Shipping & fees.html", "<h1>Fees</h1><script>x()</script><p>Parcels cost 5&nbsp;EUR.</p>"));
    let made = html.await.expect(201);
    assert_eq!((made.text("title"), made.text("source_id")), ("Shipping & fees", "Shipping & fees.html"));
    assert!(made.text("body").contains("Parcels cost 5") && !made.text("body").contains("x()"), "{made}");
    let again = post(form("Shipping & fees.html", "<p>Parcels are free.</p>")).await.expect(200);
    assert_eq!((&again["id"], &again["version"]), (&made["id"], &json!(2)));
    post(form("logo.png", "x")).await.invalid_fields(&["file"]);
    post(form("empty.txt", " \n")).await.invalid_fields(&["file"]);
    post(form("long.txt", &"x".repeat(200_001))).await.invalid_fields(&["file"]);
    post("--b\r\n".to_owned()).await.error("invalid_request");
    api.raw(Method::POST, "/v1/knowledge", "text/plain", "x").await.error("unsupported_media_type");
    let inboxes = api.raw(Method::POST, "/v1/inboxes", kind, form("a.txt", "x")).await;
    inboxes.error("unsupported_media_type");

    let file = json!({ "filename": "notes.md", "content_base64": "SGVsbG8=" });
    let made = api.post("/v1/knowledge", json!({ "file": file, "title": "Greeting" })).await.expect(201);
    assert_eq!((made.text("title"), made.text("body")), ("Greeting", "Hello"));
    for (body, field) in [
        (json!({}), "body"),
        (json!({ "title": "t" }), "body"),
        (json!({ "body": "b" }), "title"),
        (json!({ "title": "t", "body": "b", "file": file }), "file"),
        (json!({ "title": "t", "body": "x".repeat(200_001) }), "body"),
        (json!({ "title": "t", "body": "" }), "body"),
    ] {
        api.post("/v1/knowledge", body).await.invalid_fields(&[field]);
    }
    server.finish().await;
}

#[tokio::test]
async fn a_null_title_or_body_changed_nothing_without_a_word() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let made = api.post("/v1/knowledge", json!({ "title": "Hours", "body": "Nine to five." })).await.expect(201);
    let path = format!("/v1/knowledge/{}", made.text("id"));
    for (change, fields) in [
        (json!({ "title": null }), vec!["title"]),
        (json!({ "body": null }), vec!["body"]),
        (json!({ "title": null, "body": null, "inbox_id": null }), vec!["title", "body"]),
    ] {
        api.patch(&path, change).await.invalid_fields(&fields);
    }
    assert_eq!(api.patch(&path, json!({ "inbox_id": null })).await.expect(200).json, made.json);
    let document = server.anonymous().get("/v1/openapi.json").await.expect(200);
    let properties = &document["components"]["schemas"]["UpdateKnowledgeBody"]["properties"];
    assert_eq!((&properties["title"]["type"], &properties["body"]["type"]), (&json!("string"), &json!("string")));
    server.finish().await;
}

/// Texts have no label that states their character set, whatever program wrote them.
#[tokio::test]
async fn text_files_in_other_character_sets_are_read_as_mail_is() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>();
    let german = "Die Rückgabe ist gebührenfrei, außer für größere Möbel.";
    let latin: Vec<u8> = german.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let russian = "Возврат товара возможен в течение тридцати дней.";
    let cyrillic: Vec<u8> =
        russian.chars().map(|c| if c.is_ascii() { c as u8 } else { (u32::from(c) - 0x410 + 0xc0) as u8 }).collect();
    let marked = |text: &str| format!("\u{feff}{text}");
    let table = [
        (wide(&marked(german), u16::to_le_bytes), german),
        (wide(&marked(german), u16::to_be_bytes), german),
        (wide(german, u16::to_le_bytes), german),
        (marked(german).into_bytes(), german),
        (german.as_bytes().to_vec(), german),
        (latin, german),
        (cyrillic, russian),
        (b"zero\0 in a text".to_vec(), "zero in a text"),
    ];
    for ending in ["txt", "md", "csv", "html"] {
        for (bytes, expected) in &table {
            let content = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
            let file = json!({ "filename": format!("a.{ending}"), "content_base64": content });
            let made = api.post("/v1/knowledge", json!({ "file": file })).await.expect(201);
            assert_eq!(made.text("body").trim(), *expected, "{ending}");
        }
    }
    let page = "<html><meta charset=iso-8859-7><p>\u{ca}\u{e1}\u{eb}\u{e7}\u{ec}\u{dd}\u{f1}\u{e1}</p></html>";
    let bytes: Vec<u8> = page.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let content = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
    let made = api.post("/v1/knowledge", json!({ "file": { "filename": "a.html", "content_base64": content } })).await;
    assert_eq!(made.expect(201).text("body").trim(), "Καλημέρα");
    server.finish().await;
}

#[tokio::test]
async fn files_of_other_kinds_are_read_as_those_of_mail() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    let file = |name: &str, bytes: &[u8]| {
        let content = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
        json!({ "file": { "filename": name, "content_base64": content } })
    };
    let rtf = br"{\rtf1\ansi {\b Warranty}\par It lasts two years.\par}";
    let made = api.post("/v1/knowledge", file("warranty.rtf", rtf)).await.expect(201);
    assert_eq!((made.text("title"), made.text("body")), ("warranty", "Warranty\nIt lasts two years."));
    assert_eq!(titles(&api, "q=two+years").await, ["warranty"]);
    let form =
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"fees.tsv\"\r\n\r\nparcel\t5 EUR\r\n--b--\r\n";
    let made = api.raw(Method::POST, "/v1/knowledge", "multipart/form-data; boundary=b", form).await.expect(201);
    assert_eq!((made.text("title"), made.text("body")), ("fees", "parcel\t5 EUR"));
    api.post("/v1/knowledge", file("broken.pdf", b"%PDF-1.7 and nothing else")).await.invalid_fields(&["file"]);
    for name in
        ["broken.docx", "broken.xlsx", "broken.epub", "broken.msg", "broken.txt", "broken.md", "broken.html", "broken"]
    {
        for cut in [&b"PK\x03\x04"[..], b"PK\x03\x04\x14\x00 cut off", b"\x89PNG\r\n\x1a\n", b"{\\rtf", b"%PDF-"] {
            api.post("/v1/knowledge", file(name, cut)).await.invalid_fields(&["file"]);
        }
    }
    let image = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0";
    api.post("/v1/knowledge", file("logo.png", image)).await.error("unsupported_media_type");
    api.post("/v1/knowledge", file("unknown", b"\x00\x01\x02")).await.error("unsupported_media_type");
    server.finish().await;
}

#[tokio::test]
async fn the_description_has_the_form_of_an_upload() {
    let server = TestServer::plain().await;
    let document = server.anonymous().get("/v1/openapi.json").await.expect(200);
    let content = &document["paths"]["/v1/knowledge"]["post"]["requestBody"]["content"];
    let form = &content["multipart/form-data"]["schema"]["properties"];
    assert_eq!(form["file"]["contentMediaType"], "application/octet-stream", "{content}");
    assert!(form["source_id"].get("contentMediaType").is_none() && form["title"]["type"] == "string", "{form}");
    assert!(content["application/json"]["schema"].is_object(), "{content}");
    server.finish().await;
}

#[tokio::test]
async fn inboxes_have_their_own_documents_beside_those_of_the_workspace() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, one, two) = (server.api(&key), server.inbox(&key).await, server.inbox(&key).await);
    let mut ids = Vec::new();
    for (title, inbox) in [("All", Value::Null), ("One", json!(one.id.to_string())), ("Two", json!(two.id.to_string()))]
    {
        server.clock.advance(1);
        let body = json!({ "title": title, "body": "The warranty is two years.", "inbox_id": inbox });
        ids.push(api.post("/v1/knowledge", body).await.expect(201).text("id").to_owned());
    }
    let listed = |reply: posthouse_tests::http::ApiResponse| -> Vec<String> {
        reply.expect(200).data().iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect()
    };
    let sorted = |mut all: Vec<String>| {
        all.sort();
        all
    };
    assert_eq!(listed(api.get("/v1/knowledge").await), ["Two", "One", "All"]);
    assert_eq!(listed(api.get(&format!("/v1/knowledge?inbox_id={}", one.id)).await), ["One"]);
    assert_eq!(sorted(titles(&api, "q=warranty").await), ["All", "One", "Two"]);
    assert_eq!(sorted(titles(&api, &format!("q=warranty&inbox_id={}", one.id)).await), ["All", "One"]);
    assert_eq!(titles(&api, "q=warranty&limit=1").await.len(), 1);

    let own = server.api(&server.key(&key, "full", Scope::Inbox(one.id)).await);
    assert_eq!(listed(own.get("/v1/knowledge").await), ["One", "All"]);
    assert_eq!(sorted(titles(&own, "q=warranty").await), ["All", "One"]);
    own.get(&format!("/v1/knowledge/{}", ids[0])).await.expect(200);
    own.get(&format!("/v1/knowledge/{}", ids[2])).await.error("not_found");
    own.get(&format!("/v1/knowledge?inbox_id={}", two.id)).await.error("not_found");
    own.post("/v1/knowledge", json!({ "title": "t", "body": "b" })).await.error("forbidden");
    own.patch(&format!("/v1/knowledge/{}", ids[0]), json!({ "title": "t" })).await.error("forbidden");
    own.delete(&format!("/v1/knowledge/{}", ids[0])).await.error("forbidden");
    own.patch(&format!("/v1/knowledge/{}", ids[1]), json!({ "inbox_id": null })).await.error("forbidden");
    own.patch(&format!("/v1/knowledge/{}", ids[1]), json!({ "title": "Mine" })).await.expect(200);
    let reader = server.api(&server.key(&key, "read_only", Scope::Workspace).await);
    reader.delete(&format!("/v1/knowledge/{}", ids[1])).await.error("insufficient_permissions");

    api.delete(&format!("/v1/inboxes/{}", one.id)).await.expect(204);
    api.get(&format!("/v1/knowledge/{}", ids[1])).await.error("not_found");
    assert_eq!(sorted(titles(&api, "q=warranty").await), ["All", "Two"]);
    server.finish().await;
}

#[tokio::test]
async fn a_plan_limits_documents_and_many_are_listed_in_pages() {
    let mut options = ServerOptions::default();
    options = options.configure(|config| config.app.plans.free.knowledge_documents = Some(5));
    let server = TestServer::start(options).await;
    let key = server.workspace(Plan::Free).await;
    let api = server.api(&key);
    for n in 0..5 {
        server.clock.advance(1);
        let body = json!({ "title": format!("Document {n}"), "body": "Text.", "source_id": n.to_string() });
        api.post("/v1/knowledge", body).await.expect(201);
    }
    let refused = api.post("/v1/knowledge", json!({ "title": "One more", "body": "Text." })).await;
    assert_eq!(refused.error("plan_limit_knowledge")["error"]["details"]["max"], 5);
    let again = json!({ "title": "Changed", "body": "Text.", "source_id": "1" });
    api.post("/v1/knowledge", again).await.expect(200);
    let first = api.get("/v1/knowledge?limit=3").await.expect(200);
    assert_eq!(first.data().len(), 3);
    let cursor = first["next_cursor"].as_str().unwrap();
    let last = api.get(&format!("/v1/knowledge?limit=3&cursor={cursor}")).await.expect(200);
    assert_eq!((last.data().len(), &last["next_cursor"]), (2, &Value::Null));
    api.get("/v1/knowledge?cursor=made-up").await.error("invalid_cursor");
    server.finish().await;
}

#[tokio::test]
async fn documents_are_found_in_many_languages() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let api = server.api(&key);
    for (title, body) in [
        ("de", "Die Rücksendung ist innerhalb von 30 Tagen kostenlos."),
        ("fr", "Le remboursement arrive sous cinq jours ouvrés."),
        ("es", "La devolución del dinero tarda cinco días."),
        ("pt", "O reembolso é feito em cinco dias úteis, atenção."),
        ("it", "Il rimborso viene accreditato entro cinque giorni. Perché no?"),
        ("nl", "De terugbetaling duurt vijf werkdagen."),
        ("pl", "Zwrot pieniędzy trwa pięć dni roboczych, łącznie."),
        ("tr", "Para iadesi beş iş günü sürer, ığdır."),
        ("ja", "返品は三十日以内に受け付けます。"),
        ("zh", "我们在三十天内接受退货和退款。"),
        ("ar", "يستغرق رد الأموال خمسة أيام عمل."),
        ("en", "Refunds take five working days."),
    ] {
        api.post("/v1/knowledge", json!({ "title": title, "body": body })).await.expect(201);
    }
    for (query, expected) in [
        ("rucksendung", "de"),
        ("remboursement", "fr"),
        ("devolucion", "es"),
        ("atencao", "pt"),
        ("perche", "it"),
        ("terugbetaling", "nl"),
        ("pieniedzy lacznie", "pl"),
        ("iadesi", "tr"),
        ("返品", "ja"),
        ("退款", "zh"),
        ("الأموال", "ar"),
        ("refund", "en"),
    ] {
        assert_eq!(titles(&api, &format!("q={query}")).await.first().map(String::as_str), Some(expected), "{query}");
    }
    server.finish().await;
}
