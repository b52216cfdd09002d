//! Kinds of reports that are easily misread, each with generated variants.

use crate::bounce::{BounceClass, BounceReply, BounceSeverity, judge};
use crate::parse::parse;
use crate::report::{RecipientReport, ReportAction, ReportContent, read};

fn recipients(raw: &str) -> Vec<RecipientReport> {
    let raw = raw.replace('\n', "\r\n");
    match read(&parse(raw.as_bytes()), true).map(|report| report.content) {
        Some(ReportContent::Delivery(recipients)) => recipients,
        _ => Vec::new(),
    }
}

fn find<'r>(recipients: &'r [RecipientReport], address: &str) -> Option<&'r RecipientReport> {
    recipients.iter().find(|entry| entry.addresses.iter().any(|found| found.canonical_str() == address))
}

/// Returns a report with a text and delivery status parts.
fn report(text: &str, statuses: &[&str]) -> String {
    let parts: String = statuses
        .iter()
        .map(|status| {
            format!("--b\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; m.example\n\n{status}\n\n")
        })
        .collect();
    format!(
        "From: MAILER-DAEMON@m.example\nTo: me@s.example\nSubject: Undelivered Mail\nContent-Type: multipart/report; \
         report-type=delivery-status; boundary=b\n\n--b\n\n{text}\n\n{parts}--b--\n"
    )
}

/// Sentences of servers, and their classes.
const REASONS: [(&str, BounceClass); 8] = [
    ("User unknown", BounceClass::UnknownUser),
    ("No such user here", BounceClass::UnknownUser),
    ("Unknown recipient", BounceClass::UnknownUser),
    ("Account disabled", BounceClass::InactiveUser),
    ("Mailbox full", BounceClass::MailboxFull),
    ("Host unknown", BounceClass::UnknownDomain),
    ("Message too large", BounceClass::TooLarge),
    ("Connection reset by peer", BounceClass::Network),
];

#[test]
fn words_glued_to_an_address_are_read() {
    let mut variants = 0;
    for (words, class) in REASONS {
        for glued in [
            format!("550 bob@x.example...{words}"),
            format!("550 bob@x.example..{words}"),
            format!("550 <bob@x.example>...{words}"),
            format!("550 bob@x.example... {words}"),
            format!("550 5.0.0 bob@mail.x.example...{words}"),
        ] {
            let status = format!(
                "Final-Recipient: rfc822; bob@x.example\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; {glued}"
            );
            let found = recipients(&report("failed", &[&status]));
            assert_eq!(found.first().map(|entry| entry.class), Some(class), "{glued}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn the_text_of_a_delayed_report_gives_the_reason() {
    let mut variants = 0;
    for (words, classes) in [
        (
            "421 4.7.0 [TSS04] Messages from 192.0.2.25 temporarily deferred due to user complaints",
            &[BounceClass::Reputation, BounceClass::RateLimited][..],
        ),
        ("No MX found for domain", &[BounceClass::UnknownDomain, BounceClass::Policy]),
        ("connect to x.example[192.0.2.1]:25: Connection timed out", &[BounceClass::Network, BounceClass::Expired]),
        ("connect to x.example[192.0.2.1]:25: Connection refused", &[BounceClass::Network]),
        ("452 4.2.2 The mailbox is over its quota", &[BounceClass::MailboxFull]),
        ("450 4.2.0 Greylisted, try again in 300 seconds", &[BounceClass::Greylisted]),
        ("421 Too many connections from your host", &[BounceClass::RateLimited]),
    ] {
        for before in ["u@x.example: ", "<u@x.example>: ", "u@x.example\n    "] {
            for head in [
                "A message is delayed for more than 4 hours.",
                "Warning: message still undelivered after 4 hours.\nWill keep trying.",
            ] {
                let status = "Final-Recipient: rfc822; u@x.example\nAction: delayed\nStatus: 4.0.0";
                let found = recipients(&report(&format!("{head}\n\n{before}{words}"), &[status]));
                let entry = find(&found, "u@x.example").unwrap();
                assert!(classes.contains(&entry.class), "{words}: {entry:?}");
                assert_eq!((entry.action, entry.severity), (ReportAction::Pending, BounceSeverity::Soft), "{words}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn every_recipient_of_every_status_part_is_read() {
    let mut variants = 0;
    let group = |name: &str, action: &str| {
        format!(
            "Original-Recipient: rfc822; {name}@x.example\nFinal-Recipient: rfc822; {name}@x.example\nAction: {action}\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 User unknown"
        )
    };
    for action in ["failed", "Failed", "error", "failure", "failed (gave up)"] {
        for names in [&["ann"][..], &["ann", "bob"], &["ann", "bob", "cy", "dee"]] {
            let groups: Vec<String> = names.iter().map(|name| group(name, action)).collect();
            let separate: Vec<&str> = groups.iter().map(String::as_str).collect();
            let prose = "This message was undeliverable.";
            let after_prose: Vec<&str> = [prose].into_iter().chain(separate.iter().copied()).collect();
            for raw in [
                report(prose, &[&groups.join("\n\n")]),
                report(prose, &[&groups.join("\n")]),
                report(prose, &separate),
                report(prose, &after_prose),
            ] {
                let found = recipients(&raw);
                assert_eq!(found.len(), names.len(), "{raw}");
                for name in names {
                    let entry = find(&found, &format!("{name}@x.example")).unwrap();
                    assert!(entry.is_dead_address() && entry.class == BounceClass::UnknownUser, "{raw}");
                }
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn a_report_inside_an_attached_message_is_read() {
    let mut variants = 0;
    for (words, class) in REASONS {
        let status = format!(
            "Final-Recipient: rfc822; u@x.example\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 {words}"
        );
        for author in ["MAILER-DAEMON@gw.example", "postmaster@gw.example", "Mail Delivery <mailer-daemon@gw.example>"]
        {
            let inner = report("failed", &[&status]).replace("boundary=b", "boundary=c").replace("--b", "--c");
            let raw = format!(
                "From: {author}\nTo: me@s.example\nSubject: Returned mail\nContent-Type: multipart/mixed; boundary=b\n\n\
                 --b\n\nThe original message follows.\n--b\nContent-Type: message/rfc822\n\n{inner}\n--b--\n"
            );
            let found = recipients(&raw);
            assert_eq!(find(&found, "u@x.example").map(|entry| entry.class), Some(class), "{raw}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
    // A person who sends a report on reports nothing.
    let inner = report("failed", &["Final-Recipient: rfc822; u@x.example\nAction: failed\nStatus: 5.1.1"])
        .replace("boundary=b", "boundary=c")
        .replace("--b", "--c");
    let raw = format!(
        "From: ann@a.example\nTo: me@s.example\nSubject: Look\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nWhat is this?\n--b\nContent-Type: message/rfc822\n\n{inner}\n--b--\n"
    );
    assert!(read(&parse(raw.replace('\n', "\r\n").as_bytes()), false).is_none());
}

fn notice(subject: &str, text: &str) -> String {
    format!("From: MAILER-DAEMON@m.example\nTo: me@s.example\nSubject: {subject}\n\n{text}\n")
}

#[test]
fn a_short_notice_ends_where_the_original_message_follows() {
    let mut variants = 0;
    for (words, class) in [
        ("Unknown user", BounceClass::UnknownUser),
        ("User unknown", BounceClass::UnknownUser),
        ("No such user", BounceClass::UnknownUser),
        ("Mailbox full", BounceClass::MailboxFull),
    ] {
        for marker in ["Original message follows.", "original message follows:", "Original message follows"] {
            for gap in ["\n", "\n\n", "\n\n\n"] {
                let marker =
                    if marker.ends_with(['.', ':']) { marker.to_owned() } else { format!("----- {marker} -----") };
                let text = format!(
                    "{words}: dee@x.example\n{gap}{marker}\n\nReceived: from a.example by m.example\nFrom: <me@s.example>\nTo: <other@x.example>\nSubject: mailbox full\n\nhi <third@x.example>"
                );
                let found = recipients(&notice("Undeliverable Mail", &text));
                assert_eq!(found.len(), 1, "{text}: {found:?}");
                assert_eq!(find(&found, "dee@x.example").map(|entry| entry.class), Some(class), "{text}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn each_recipient_of_a_transcript_has_its_own_reason() {
    let mut variants = 0;
    for (first, first_class) in REASONS {
        for (second, second_class) in REASONS {
            let text = format!(
                "   ----- Transcript of session follows -----\n554 <ann@x.example>... {first}\n550 y.example (smtp)... 550 Host unknown\n\
                 554 <bob@y.example>... 550 {second}\n>>> RCPT To:<cy@z.example>\n<<< 550 No such user here.\n\
                 550 <cy@z.example>... User unknown\n\n   ----- Unsent message follows -----\nFrom: me@s.example\n"
            );
            let found = recipients(&notice("Returned mail", &text));
            assert_eq!(found.len(), 3, "{text}: {found:?}");
            assert_eq!(find(&found, "ann@x.example").map(|entry| entry.class), Some(first_class), "{text}");
            assert_eq!(find(&found, "bob@y.example").map(|entry| entry.class), Some(second_class), "{text}");
            assert_eq!(find(&found, "cy@z.example").map(|entry| entry.class), Some(BounceClass::UnknownUser), "{text}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn the_sender_of_the_message_is_never_the_recipient() {
    let mut variants = 0;
    for greeting in [
        "Sorry me@s.example.",
        "Dear me@s.example,",
        "Hi, this is the mail system. me@s.example wrote a message.",
        "To <me@s.example>:",
    ] {
        for sentence in [
            "Your mail to the following recipients could not be delivered because they are not accepting mail with attachments:",
            "Your message could not be delivered to the following recipients:",
            "The following recipients could not be reached, user unknown:",
        ] {
            for listed in ["dee", "dee\n\tbob"] {
                let text = format!("{greeting} {sentence}\n\n\t{listed}\n");
                let found = recipients(&notice("Mail Delivery Problem", &text));
                assert!(find(&found, "me@s.example").is_none(), "{text}: {found:?}");
                assert!(found.iter().any(|entry| entry.local_part.as_deref() == Some("dee")), "{text}: {found:?}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn a_recipient_in_the_commands_of_a_session_is_read() {
    let mut variants = 0;
    for author in ["post_master@m.example", "postmaster@m.example", "Mailer_Daemon@m.example"] {
        for subject in ["Re:Test", "Re: Hello", "Delivery failed"] {
            for reply in ["no such user here", "User unknown", "mailbox not found"] {
                let text = format!(
                    "Error: Invalid user address\n\nError message below:\n550 - Requested action not taken: {reply}\n\nMessage details:\n  MAIL FROM: me@s.example\n  RCPT TO: dee@x.example"
                );
                let raw = format!("From: {author}\nTo: me@s.example\nSubject: {subject}\n\n{text}\n");
                let found = recipients(&raw);
                assert_eq!(found.len(), 1, "{raw}: {found:?}");
                assert_eq!(
                    find(&found, "dee@x.example").map(|entry| entry.class),
                    Some(BounceClass::UnknownUser),
                    "{raw}"
                );
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
    let answer =
        "From: postmaster@m.example\r\nSubject: Re: Hello\r\n\r\nThe user dee@x.example is unknown here, sorry.\r\n";
    assert!(read(&parse(answer.as_bytes()), false).is_none());
}

#[test]
fn a_forwarded_recipient_is_not_dead() {
    let mut variants = 0;
    for words in ["User unknown", "No such user here", "mailbox not found", "Account disabled", "Host unknown"] {
        for (original, last, is_same) in [
            ("ann@x.example", "ann@x.example", true),
            ("Ann@X.example", "ann@x.example", true),
            ("ann@x.example", "ann@mbox1.x.example", true),
            ("ann@x.example", "other@y.example", false),
            ("ann@x.example", "ann@y.example", false),
            ("ann@x.example", "bob@x.example", false),
        ] {
            let status = format!(
                "Original-Recipient: rfc822; {original}\nFinal-Recipient: rfc822; {last}\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 {words}"
            );
            let found = recipients(&report("failed", &[&status]));
            let entry = find(&found, "ann@x.example").unwrap();
            assert!(entry.is_hard(), "{status}");
            assert_eq!(entry.is_dead_address(), is_same, "{status}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn complaints_name_their_recipient_in_many_fields() {
    let mut variants = 0;
    for kind in ["abuse", "fraud", "not-spam", "miscategorized"] {
        for (in_report, in_original) in [
            ("Original-Rcpt-To: bob@x.example\n", ""),
            ("Original-Rcpt-To: <bob@x.example>\n", "Delivered-To: other@x.example\n"),
            ("Removal-Recipient: bob@x.example\n", ""),
            ("", "X-HmXmrOriginalRecipient: bob@x.example\n"),
            ("", "Delivered-To: bob@x.example\n"),
            ("", "Delivered-To: bob@x.example\nDelivered-To: bob@inner.x.example\n"),
        ] {
            let raw = format!(
                "From: staff@fbl.example\nTo: me@s.example\nSubject: Complaint\nContent-Type: multipart/report; report-type=feedback-report; boundary=b\n\n\
                 --b\n\nA complaint.\n--b\nContent-Type: message/feedback-report\n\nFeedback-Type: {kind}\nUser-Agent: x\nVersion: 1\n{in_report}\n\
                 --b\nContent-Type: message/rfc822\n\n{in_original}From: me@s.example\nTo: undisclosed:;\nSubject: x\n\nhi\n--b--\n"
            );
            // Some senders begin the part with a blank line.
            for raw in [raw.clone(), raw.replace("\n\nFeedback-Type", "\n\n\nFeedback-Type")] {
                let found = read(&parse(raw.replace('\n', "\r\n").as_bytes()), false).map(|report| report.content);
                let Some(ReportContent::Complaint { kind: found_kind, recipients }) = found else { panic!("{raw}") };
                assert_eq!(found_kind, kind);
                let names: Vec<&str> = recipients.iter().map(|address| address.canonical_str()).collect();
                assert_eq!(names, ["bob@x.example"], "{raw}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn supplements_of_the_status_are_evidence() {
    let mut variants = 0;
    for (words, class) in REASONS {
        for supplement in
            [format!("<x.example #5.0.0 smtp; 550 {words}>"), words.to_owned(), format!("smtp; 550 {words}")]
        {
            let status = format!(
                "Final-Recipient: rfc822; u@x.example\nAction: failed\nStatus: 5.0.0\nX-Supplementary-Info: {supplement}"
            );
            let found = recipients(&report("failed", &[&status]));
            assert_eq!(find(&found, "u@x.example").map(|entry| entry.class), Some(class), "{status}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

/// Replies by code, enhanced code and text, and their classes.
const WORDINGS: &[(u16, Option<&str>, &[&str], BounceClass)] = &[
    (
        550,
        Some("5.1.1"),
        &[
            "max message size exceeded",
            "message size exceeds the limit",
            "the message exceeds the maximum size",
            "Message too big",
            "mail size exceeds the limit",
        ],
        BounceClass::TooLarge,
    ),
    (
        553,
        None,
        &[
            "sorry, badrcptto (#5.7.1)",
            "user mail-box not found",
            "No mail box available for this user",
            "BAD_RECIPIENT - see the page",
            "No such mailbox",
            "Unknown recipient",
            "there is no user by that name",
            "not a known user",
        ],
        BounceClass::UnknownUser,
    ),
    (
        550,
        None,
        &[
            "User has too many messages on the server.",
            "mailbox is over its quota",
            "disk quota exceeded",
            "not enough storage space",
            "mailbox has too many messages",
        ],
        BounceClass::MailboxFull,
    ),
    (
        554,
        Some("5.7.1"),
        &[
            "Your message failed several antispam checks (SCORING). Please check spf, HELO, PTR",
            "Blocked using spam pattern, your message may contain spam contents",
            "classified as spam, check your DKIM",
            "identified as spam; see your reverse DNS",
            "This message looks like spam (SPF, DMARC)",
        ],
        BounceClass::Spam,
    ),
    (
        550,
        None,
        &[
            "SC-004 Unfortunately, messages from 192.0.2.1 were not sent. Too many unwanted messages have been sent",
            "Too many unwanted messages from your address",
        ],
        BounceClass::Reputation,
    ),
    (
        554,
        Some("5.0.0"),
        &["Service currently unavailable", "The service currently unavailable, sorry"],
        BounceClass::System,
    ),
    (
        550,
        Some("5.0.0"),
        &[
            "5.1.0 - Unknown address error 550-'5.7.1 <x@y.example>... Access denied' (delivery attempts: 0)",
            "5.1.0 - Unknown address error 554-'5.7.1 relay access denied' (delivery attempts: 0)",
        ],
        BounceClass::Policy,
    ),
    (
        550,
        Some("5.4.1"),
        &[
            "[dee@x.example]: Recipient address rejected: Access denied [AM1.prod.protection.outlook.com]",
            "Recipient address rejected: Access denied. For more information see the page",
        ],
        BounceClass::UnknownUser,
    ),
];

#[test]
fn wordings_of_servers_have_their_class() {
    let mut variants = 0;
    for (code, enhanced, texts, class) in WORDINGS {
        for words in *texts {
            for text in [
                (*words).to_owned(),
                format!("<dee@x.example>: {words}"),
                words.to_uppercase().replace("MAIL-BOX", "mail-box"),
            ] {
                let verdict = judge(&BounceReply { code: Some(*code), enhanced: *enhanced, words: &text, stage: None });
                assert_eq!(verdict.class, *class, "{text}: {verdict:?}");
                let is_dead = verdict.severity == BounceSeverity::DeadAddress;
                assert!(class.is_dead_address() || !is_dead, "{text}: {verdict:?}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 60);
    let refusal = "550 5.4.1 [dee@x.example]: Recipient address rejected: Access denied";
    for (enhanced, is_dead) in [("5.4.1", true), ("5.7.1", false), ("5.7.0", false)] {
        let words = refusal.replace("5.4.1", enhanced);
        let verdict = judge(&BounceReply { code: Some(550), enhanced: Some(enhanced), words: &words, stage: None });
        assert_eq!(verdict.severity == BounceSeverity::DeadAddress, is_dead, "{words}: {verdict:?}");
    }
}
