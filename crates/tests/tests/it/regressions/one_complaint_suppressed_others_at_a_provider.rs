//! A person with a mailbox at a large provider complained in the name of others at that provider: the signature was that
//! of the provider, so all its addresses among the recipients were suppressed, and the workspace was suspended.

use posthouse_app::ports::Clock as _;
use posthouse_mail::dkim::{DkimKey, DkimSignOptions};
use reqwest::Method;
use serde_json::{Value, json};

use super::bounce_at_another_address_was_ignored::{message, sent, start};

const SELECTOR: &str = "s";

fn complaint(from: &str, to: &str, about: &str, named: &[&str]) -> String {
    let named: String = named.iter().map(|address| format!("Original-Rcpt-To: <{address}>\r\n")).collect();
    format!(
        "From: {from}\r\nTo: {to}\r\nSubject: Complaint\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/report; report-type=feedback-report; boundary=\"b\"\r\n\r\n\
         --b\r\n\r\nA complaint.\r\n--b\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\n\
         Version: 1\r\n{named}\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: {about}\r\n\r\n--b--\r\n"
    )
}

#[tokio::test]
async fn a_person_at_a_provider_complains_for_one_mailbox() {
    let (server, api, inbox) = start().await;
    let key = DkimKey::generate_ed25519().unwrap();
    for domain in ["gmail.com", "yahoo.com", "gmx.de", "one.github.io", "own.example"] {
        server.dns.txt(&format!("{SELECTOR}._domainkey.{domain}"), &key.dns_record().unwrap());
        let people = ["evil", "v1", "v2", "v3"].map(|name| format!("{name}@{domain}"));
        let people = people.each_ref().map(String::as_str);
        let (mail, _) = sent(&server, &api, &inbox, json!(people)).await;
        let about = mail["rfc_message_id"].as_str().unwrap();
        let is_shared = domain != "own.example";
        for (author, complained) in [("stranger", 0), ("evil", 1)] {
            let from = format!("{author}@{domain}");
            let raw = complaint(&from, &inbox.address, about, &people);
            let now_s = server.clock.now().seconds();
            let options = DkimSignOptions { domain, selector: SELECTOR, now_s };
            let signed = key.sign(raw.as_bytes(), &options).unwrap() + &raw;
            let path = format!("/dev/inbound?to={}&from={from}", inbox.address);
            server.anonymous().raw(Method::POST, &path, "message/rfc822", signed).await.expect(201);
            let after = message(&api, &mail).await;
            let entries = after["delivery"].as_array().unwrap();
            let count = entries.iter().filter(|entry| entry["status"] == "complained").count();
            assert_eq!(count, if is_shared { complained } else { people.len() }, "{from}: {after}");
        }
        let suppressed = api.get("/v1/suppressions?limit=100").await.expect(200);
        let of_domain = |one: &&Value| one["address"].as_str().unwrap().ends_with(domain);
        let suppressed = suppressed.data().iter().filter(of_domain).count();
        assert_eq!(suppressed, if is_shared { 1 } else { people.len() }, "{domain}");
    }
    server.finish().await;
}
