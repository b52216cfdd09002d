//! Tables of states and labels of messages.

use super::*;

#[test]
fn message_has_the_status_of_its_most_severe_delivery() {
    use DeliveryStatus::*;
    let table: [(&[DeliveryStatus], MessageStatus); 6] = [
        (&[Delivered, Delivered], MessageStatus::Delivered),
        (&[Delivered, Sent], MessageStatus::Sent),
        (&[Delivered, Queued], MessageStatus::Queued),
        (&[Queued, Bounced], MessageStatus::Bounced),
        (&[Bounced, Complained], MessageStatus::Complained),
        (&[], MessageStatus::Queued),
    ];
    for (entries, status) in table {
        assert_eq!(overall_status(entries.iter().copied()), status, "{entries:?}");
    }
}

/// Returns the confidence in a link of a mail of `author` after a categoriser that is sure of it.
fn confidence(author: &str, link: &str, before: f64) -> f64 {
    let verdict = Verdict {
        category: [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        injection: 0.0,
        phishing: 0.0,
        needs_human: 0.0,
        urgency: [1.0, 0.0, 0.0, 0.0],
        auto_reply: 0.0,
        injection_at: None,
        is_complete: true,
        model: "test".to_owned(),
        at: Time::from_millis(0),
    };
    let found = MessageVerification {
        code: Some("482913".to_owned()),
        link: Some(link.to_owned()),
        confidence: before,
        reason: None,
        auth_failed: false,
    };
    found.confidence_with(author, Some(&verdict))
}

#[test]
fn categoriser_does_not_raise_a_link_of_another_party() {
    const AUTHORS: [&str; 3] = ["no-reply@acme.example", "Acme <no-reply@acme.example>", "no-reply@mail.acme.example"];
    const FOREIGN: [&str; 9] = [
        "https://evil.example/verify?t=a7",
        "https://192.0.2.5/verify?t=a7",
        "https://[2001:db8::1]/verify?t=a7",
        "https://acme.example@evil.example/verify?t=a7",
        "https://acme.example:443@evil.example/verify?t=a7",
        "https://evil.example\\@acme.example/verify?t=a7",
        "https://evil.example?@acme.example/verify?t=a7",
        "https://acme.example.evil.example/verify?t=a7",
        "https://notacme.example/verify?t=a7",
    ];
    const OWN: [&str; 3] =
        ["https://acme.example/verify?t=a7", "https://ACME.example/v", "https://id.acme.example:8443/verify?t=a7"];
    for author in AUTHORS {
        for before in [0.1, 0.3, 0.4, 0.7] {
            for link in FOREIGN {
                assert!(confidence(author, link, before) <= 0.4, "{author} {link}");
            }
            for link in OWN {
                assert!(confidence(author, link, before) > before + 0.29, "{author} {link}");
            }
        }
    }
}
