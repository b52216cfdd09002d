//! The `from` filter of waits and verification matched any part of the From header. So a forged message, or one with
//! the right words in its display name or at the end of its domain, was returned.

use posthouse_domain::plan::Plan;
use posthouse_tests::TestServer;

/// Returns a message with a code and this `From` value.
fn code(from: &str, code: u32) -> String {
    format!(
        "From: {from}\r\nTo: bot@agents.localhost\r\nSubject: Your verification code\r\nMIME-Version: 1.0\r\n\
         Content-Type: text/plain; charset=utf-8\r\n\r\nYour verification code is {code}. It expires in 10 minutes.\r\n"
    )
}

#[tokio::test]
async fn the_from_filter_matches_an_address_a_domain_or_a_part() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    for (number, from) in [
        "Bank <no-reply@bank.example>",
        "news@mail.Bank.example",
        "bank.example <x@evilbank.example>",
        "x@bank.example.evil.example",
    ]
    .into_iter()
    .enumerate()
    {
        server.receive_message(&inbox, code(from, 482_910 + u32::try_from(number).unwrap())).await;
    }
    let since = "since=2020-01-01&timeout=1";
    // The wait returns the oldest, the verification the newest.
    for (from, oldest, newest) in [
        ("bank.example", Some(0), Some(1)),
        ("BANK.example", Some(0), Some(1)),
        (".bank.example.", Some(0), Some(1)),
        ("mail.bank.example", Some(1), Some(1)),
        ("%40bank.example", Some(0), Some(0)),
        ("no-reply%40bank.example", Some(0), Some(0)),
        ("Bank%20%3CNo-Reply%40BANK.example%3E", Some(0), Some(0)),
        ("reply%40bank.example", None, None),
        ("ank.example", None, None),
        ("evil.example", Some(3), Some(3)),
        ("bank", Some(0), Some(3)),
        ("NO-REPLY", Some(0), Some(0)),
    ] {
        for (path, expected) in [("messages/wait", oldest), ("verification", newest)] {
            let wait_task = {
                let (api, path) = (api.clone(), format!("/v1/inboxes/{}/{path}?{since}&from={from}", inbox.id));
                tokio::spawn(async move { api.get(&path).await.expect(200) })
            };
            if expected.is_none() {
                server.clock.wait_for_sleepers(1).await;
                server.clock.advance(1_000);
            }
            let found = wait_task.await.unwrap();
            let text = found["data"].to_string();
            let expected = expected.map(|number| (482_910 + number).to_string());
            assert_eq!(found["data"].is_null(), expected.is_none(), "{path} {from}: {text}");
            assert!(expected.is_none_or(|code| text.contains(&code)), "{path} {from}: {text}");
        }
    }
    for bad in ["%40", "bank%40", "bank..example", "a%40b%40bank.example", "no-reply+x@bank.example"] {
        for path in ["messages/wait", "verification"] {
            api.get(&format!("/v1/inboxes/{}/{path}?from={bad}", inbox.id)).await.invalid_fields(&["from"]);
        }
    }
    server.finish().await;
}

#[tokio::test]
async fn the_from_filter_never_matches_unauthenticated_messages() {
    let server = TestServer::plain().await;
    let key = server.workspace(Plan::Team).await;
    let (api, inbox) = (server.api(&key), server.inbox(&key).await);
    server.dns.txt("_dmarc.bank.example", "v=DMARC1; p=reject");
    let forged = server.receive_message(&inbox, code("Bank <no-reply@bank.example>", 482_913)).await;
    let shown = api.get(&format!("/v1/messages/{forged}")).await.expect(200);
    assert!(shown["labels"].to_string().contains("dmarc-fail"), "{shown}");
    let since = "since=2020-01-01&timeout=1";
    for query in ["from=bank.example", "from=%40bank.example", "from=no-reply%40bank.example", "from=bank"] {
        for path in ["messages/wait", "verification"] {
            let wait_task = {
                let (api, path) = (api.clone(), format!("/v1/inboxes/{}/{path}?{since}&{query}", inbox.id));
                tokio::spawn(async move { api.get(&path).await.expect(200) })
            };
            server.clock.wait_for_sleepers(1).await;
            server.clock.advance(1_000);
            assert!(wait_task.await.unwrap()["data"].is_null(), "{path} {query}");
        }
        let path = format!("/v1/inboxes/{}/verification?{since}&{query}&include_unauthenticated=true", inbox.id);
        let found = api.get(&path).await.expect(200);
        assert_eq!((found["data"]["code"].as_str(), &found["data"]["auth_failed"]), (Some("482913"), &true.into()));
    }
    let found = api.get(&format!("/v1/inboxes/{}/messages/wait?{since}", inbox.id)).await.expect(200);
    assert_eq!(found["data"]["id"], forged.to_string(), "without the filter it is an ordinary message");
    server.finish().await;
}
