//! Commands that read: lists, pages, fields, and the records behind them.

use super::ClientFixture;

#[test]
fn lists_are_tables_or_lines_of_json_and_have_pages() {
    let client = ClientFixture::logged_in("client-lists");
    let address = client.inbox("lists");
    for number in 1..=5 {
        client.receive(&address, &["--subject", &format!("Mail {number}")]);
    }
    let list = ["messages", "list", &address];
    let all = client.lines(&list);
    assert_eq!(all.len(), 5);
    let page = client.run(&[&list[..], &["--limit", "2"]].concat());
    assert_eq!(page.stdout.lines().count(), 2);
    let cursor = page.stderr.trim().rsplit(' ').next().unwrap().to_owned();
    let rest = client.lines(&[&list[..], &["--cursor", &cursor]].concat());
    assert_eq!(rest, all[2..]);
    assert_eq!(client.lines(&[&list[..], &["--all", "--limit", "2"]].concat()), all);
    let picked = client.lines(&[&list[..], &["--fields", "subject, is_read"]].concat());
    assert_eq!(picked[0], serde_json::json!({ "subject": "Mail 5", "is_read": false }));
    let table = client.text(&[&list[..], &["--table", "--fields", "subject"]].concat());
    assert_eq!(
        table.lines().map(str::trim).collect::<Vec<_>>(),
        ["SUBJECT", "Mail 5", "Mail 4", "Mail 3", "Mail 2", "Mail 1"]
    );
    let unknown = client.run(&[&list[..], &["--fields", "betreff"]].concat());
    assert!(unknown.code == 2 && unknown.stderr.contains("subject"), "{}", unknown.stderr);
    assert_eq!(client.lines(&[&list[..], &["--unread", "--direction", "inbound"]].concat()).len(), 5);
    assert!(client.lines(&[&list[..], &["--direction", "outbound"]].concat()).is_empty());
}

#[test]
fn records_are_found_by_id_and_address() {
    let client = ClientFixture::logged_in("client-records");
    let address = client.inbox("records");
    let message = client.receive(&address, &["--subject", "Invoice 7", "--text", "Please pay."]);
    let found = client.object(&["search", "invoice", "--inbox", &address]);
    assert_eq!(found["id"], message);
    let thread = client.object(&["threads", "get", found["thread_id"].as_str().unwrap()]);
    assert_eq!(thread["messages"][0]["id"], message);
    assert_eq!(client.object(&["threads", "list", &address, "--subject", "invoice"])["id"], thread["id"]);
    assert!(client.text(&["messages", "get", &message, "--raw"]).contains("Subject: Invoice 7"));

    let set = ["contacts", "set", "sender@example.com", "--notes", "Pays late.", "--label", "vip"];
    assert_eq!(client.object(&set)["labels"][0], "vip");
    let contact = client.object(&["contacts", "get", "sender@example.com"]);
    assert_eq!(
        (contact["notes"].as_str(), contact["recent_threads"][0]["id"] == thread["id"]),
        (Some("Pays late."), true)
    );
    assert_eq!(client.object(&["contacts", "list", "--label", "vip"])["id"], contact["id"]);

    let base = client.base_url();
    let inbox = client.object(&["inboxes", "list", "--limit", "1"]);
    let page = format!("{base}/inbox/{}", inbox["id"].as_str().unwrap());
    assert_eq!(client.text(&["open", &address]), page);
    assert_eq!(client.text(&["open", &message]), format!("{page}/{}", thread["id"].as_str().unwrap()));
    let draft = client.draft(&address);
    let approval = format!("{base}/approvals/{}/{draft}", inbox["id"].as_str().unwrap());
    assert_eq!(client.text(&["open", &draft]), approval);
    assert_eq!(client.text(&["open"]), format!("{base}/"));
}

#[test]
fn the_server_of_a_key_passes_every_check() {
    let client = ClientFixture::logged_in("client-doctor");
    let checks = client.lines(&["doctor"]);
    let names: Vec<&str> = checks.iter().map(|check| check["check"].as_str().unwrap()).collect();
    assert_eq!(names[..7], ["stored key", "server", "ready", "encryption", "key", "clock", "stream"], "{checks:?}");
    assert!(
        checks.iter().filter(|check| check["check"] != "base_url").all(|check| check["result"] == "ok"),
        "{checks:?}"
    );
    let path = client.sandbox.path("home/.config/posthouse/config.json");
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
    let output = client.run(&["doctor", "--table"]);
    assert!(output.code == 1 && output.stdout.contains("chmod 600"), "{}", output.stdout);
}

#[test]
fn domains_and_webhooks_are_managed() {
    let client = ClientFixture::logged_in("client-domains");
    let added = client.object(&["domains", "add", "mail.example"]);
    assert_eq!(added["status"], "pending");
    assert_eq!(client.object(&["domains", "list"])["id"], added["id"]);
    assert!(client.text(&["domains", "records", "mail.example", "--zone-file"]).contains("mail.example."));
    assert!(client.text(&["domains", "records", "mail.example", "--table"]).contains("v=DKIM1"));

    let secret = client.text(&["webhooks", "create", "https://example.com/hook", "--event", "message.received"]);
    assert!(secret.starts_with("whsec_"), "{secret}");
    let webhook = client.object(&["webhooks", "list"]);
    let id = webhook["id"].as_str().unwrap();
    let started = client.object(&["trigger", "webhook.test"]);
    let event = started["event_id"].as_str().unwrap();
    assert_eq!(client.object(&["webhooks", "replay", event])["event_id"], event);
    let unknown = client.run(&["webhooks", "replay", id]);
    assert!(unknown.code == 1 && unknown.stderr.contains("no webhook got the event"), "{}", unknown.stderr);
    assert_eq!(client.object(&["webhooks", "delete", id])["deleted"], true);
    assert!(client.lines(&["webhooks", "list"]).is_empty());
}

#[test]
fn lists_of_mail_have_the_banner_and_fit_a_terminal() {
    let client = ClientFixture::logged_in("client-narrow");
    let address = client.inbox("narrow");
    let message = client.receive(&address, &["--subject", "Invoice 7", "--text", "Please pay."]);
    for list in [&["messages", "list", &address][..], &["search", "invoice"], &["threads", "list"]] {
        let shown = client.on_terminal(list);
        let first = shown.lines().next().unwrap();
        assert!(first.contains("UNTRUSTED MESSAGE CONTENT"), "{list:?}: {shown}");
        // The id is whole, on a line of its own: together with the other columns it is wider than the terminal.
        let lines: Vec<String> =
            shown.lines().map(|line| line.replace("\u{1b}[1m", "").replace("\u{1b}[0m", "")).collect();
        assert!(lines[1..].iter().all(|line| line.trim_end().chars().count() <= 80), "{list:?}: {lines:#?}");
        assert!(lines.iter().any(|line| line.trim().len() == 36), "{list:?}: {lines:#?}");
    }
    assert!(client.text(&["messages", "list", &address]).starts_with('{'), "programs get no banner");
    let shown = client.on_terminal(&["messages", "get", &message]);
    let (head, framed) = shown.split_once("UNTRUSTED").unwrap();
    assert!(!head.contains("Invoice") && framed.contains("│ Subject: Invoice 7"), "{shown}");

    client.text(&["domains", "add", "a-long-name-of-a-domain.mail.example.com"]);
    let records = client.lines(&["domains", "records", "a-long-name-of-a-domain.mail.example.com", "--json"]);
    let shown = client.on_terminal(&["domains", "records", "a-long-name-of-a-domain.mail.example.com"]);
    for record in records[0]["records"].as_array().unwrap() {
        assert!(shown.contains(record["value"].as_str().unwrap()), "{record}: a value is whole: {shown}");
    }
}
