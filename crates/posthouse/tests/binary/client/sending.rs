//! Commands that send: messages, replies, drafts, inboxes.

use super::ClientFixture;

#[test]
fn messages_are_sent_from_text_file_and_standard_input() {
    let client = ClientFixture::logged_in("client-send");
    let (from, to) = (client.inbox("from"), client.inbox("to"));
    std::fs::write(client.sandbox.path("note.txt"), "from a file").unwrap();
    let base = ["send", from.as_str(), "--to", to.as_str(), "--subject", "Hello"];
    let sent = |more: &[&str]| client.object(&[&base[..], more].concat());
    assert_eq!(sent(&["--text", "hi"])["text"], "hi");
    assert_eq!(sent(&["--text-file", "note.txt"])["text"], "from a file");
    let piped = client.run_with_input(&base, "from a pipe").json();
    assert_eq!(piped["text"], "from a pipe");
    let attached = sent(&["--text", "see", "--attach", "note.txt", "--label", "files"]);
    assert_eq!(attached["attachments"][0]["filename"], "note.txt");
    assert_eq!(attached["labels"][0], "files");
    let missing = client.run(&[&base[..], &["--text", "x", "--attach", "none.pdf"]].concat());
    assert!(missing.code == 1 && missing.stderr.contains("none.pdf"), "{}", missing.stderr);
    let first = sent(&["--text", "once", "--idempotency-key", "k1"]);
    assert_eq!(sent(&["--text", "once", "--idempotency-key", "k1"])["id"], first["id"]);
    let table = client.text(&[&base[..], &["--text", "hi", "--table"]].concat());
    assert!(table.contains("Status   queued"), "{table}");
}

#[test]
fn a_dry_run_decides_and_sends_nothing() {
    let client = ClientFixture::logged_in("client-dry-run");
    let from = client.inbox("dry");
    let base = ["send", from.as_str(), "--to", "ada@example.com", "--subject", "s", "--text", "t", "--dry-run"];
    assert_eq!(client.object(&base)["allowed"], true);
    assert_eq!(client.text(&[&base[..], &["--table"]].concat()), "The message may be sent.");
    client.text(&["inboxes", "pause", &from, "--reason", "test"]);
    let refused = client.run(&base);
    assert!(refused.code == 1 && refused.stderr.contains("(inbox_paused)"), "{}", refused.stderr);
    client.text(&["inboxes", "resume", &from]);
    assert!(client.lines(&["messages", "list", &from]).is_empty());

    let message = client.receive(&from, &[]);
    let reply = ["reply", message.as_str(), "--text", "t", "--dry-run"];
    assert_eq!(client.object(&reply)["recipients"][0]["address"], "sender@example.com");
    let draft = client.draft(&from);
    let send = ["drafts", "send", draft.as_str(), "--dry-run"];
    assert_eq!(client.text(&[&send[..], &["--table"]].concat()), "The message may be sent.");
    client.text(&["inboxes", "pause", &from]);
    for refused in [&reply[..], &send] {
        let output = client.run(refused);
        assert!(output.code == 1 && output.stderr.contains("(inbox_paused)"), "{refused:?}: {}", output.stderr);
    }
    client.text(&["inboxes", "resume", &from]);
    assert_eq!(client.object(&["drafts", "get", &draft])["status"], "draft");
    assert_eq!(client.lines(&["messages", "list", &from, "--direction", "outbound"]).len(), 0);
}

#[test]
fn replies_stay_in_their_thread() {
    let client = ClientFixture::logged_in("client-reply");
    let address = client.inbox("reply");
    let message = client.receive(&address, &["--subject", "Question"]);
    let original = client.object(&["messages", "get", &message]);
    for arguments in [&["reply", &message][..], &["reply", &address, &message, "--all"]] {
        let reply = client.run_with_input(arguments, "Answer.").json();
        assert_eq!(reply["thread_id"], original["thread_id"], "{arguments:?}");
        assert_eq!(reply["subject"], "Re: Question");
    }
}

#[test]
fn drafts_are_listed_approved_and_sent_back() {
    let client = ClientFixture::logged_in("client-drafts");
    let address = client.inbox("drafts");
    let draft = || client.object(&["trigger", "draft.created", "--inbox", &address])["id"].as_str().unwrap().to_owned();
    let cancelled = draft();
    assert_eq!(client.object(&["drafts", "list", "--status", "cancelled"])["id"], cancelled.as_str());
    assert_eq!(client.object(&["drafts", "get", &address, &cancelled])["status"], "cancelled");
    assert!(client.text(&["drafts", "get", &cancelled, "--table"]).contains("UNTRUSTED"));
    for command in ["approve", "send"] {
        let refused = client.run(&["drafts", command, &cancelled]);
        assert!(refused.code == 1 && refused.stderr.contains("(draft_not_editable)"), "{}", refused.stderr);
    }
    let refused = client.run(&["drafts", "send-back", &cancelled, "--note", "Shorter."]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    let unknown = client.run(&["drafts", "get", "01890a5d-ac96-774b-bcce-b302099a8057"]);
    assert!(unknown.code == 1 && unknown.stderr.contains("posthouse drafts list"), "{}", unknown.stderr);
}

#[test]
fn temporary_inboxes_are_created_and_listed_on_request() {
    let client = ClientFixture::logged_in("client-temporary");
    let made = client.run(&["inboxes", "create", "--temporary", "--ttl", "60"]);
    assert_eq!((made.code, made.stderr.trim().len(), made.stderr.lines().count()), (0, 36, 1), "{}", made.stderr);
    let address = made.stdout.trim().to_owned();
    let has = |more: &[&str]| {
        let lines = client.lines(&[&["inboxes", "list"], more].concat());
        lines.iter().any(|inbox| inbox["address"] == address.as_str())
    };
    assert!(has(&["--temporary"]) && !has(&[]));
    let again = ["inboxes", "create", "--client-id", "one"];
    assert_eq!(client.text(&again), client.text(&again));
}
