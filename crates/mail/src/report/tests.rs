//! Reports in the formats of common servers.

mod corpus;
mod generated;
mod kinds;
mod notices;
mod systems;

use super::*;
use crate::parse::parse;

fn mail(kind: &str, part: &str) -> String {
    format!(
        "From: MAILER-DAEMON@mx.example\r\nContent-Type: multipart/report; report-type={kind}; boundary=b\r\n\r\n\
         --b\r\n\r\nSorry.\r\n--b\r\n{part}\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\n\
         Message-ID: <one@agents.example>\r\nSubject: Hi\r\n\r\n--b--\r\n"
    )
}

#[test]
fn a_bounce_names_its_recipients_and_the_original_message() {
    let part = "Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n\
                Final-Recipient: rfc822; Bob@x.example\r\nAction: failed\r\nStatus: 5.1.1 (no such user)\r\n\
                Remote-MTA: dns; in.x.example\r\nDiagnostic-Code: smtp; 550 5.1.1 unknown\r\n user\r\n\r\n\
                Original-Recipient: rfc822;eve@x.example\r\nFinal-Recipient: rfc822;eve2@y.example\r\n\
                Action: delivered\r\nStatus: 2.0.0\r\n";
    let raw = mail("delivery-status", part);
    let report = read(&parse(raw.as_bytes()), true).expect("a report");
    assert!(report.is_failure());
    assert_eq!(report.original_ids, ["<one@agents.example>"]);
    let ReportContent::Delivery(entries) = &report.content else { panic!("{report:?}") };
    assert_eq!(entries.len(), 2, "{entries:?}");
    assert_eq!(entries[0].addresses[0].canonical(), "bob@x.example");
    assert_eq!(entries[0].status.as_deref(), Some("5.1.1"));
    assert_eq!(entries[0].diagnostic.as_deref(), Some("550 5.1.1 unknown user"));
    assert_eq!(entries[0].remote.as_deref(), Some("in.x.example"));
    assert_eq!(entries[1].action, ReportAction::Delivered);
    assert_eq!(entries[1].addresses.len(), 2);
}

/// A report about internationalized mail, and one for programs without UTF-8 support (RFC 6533).
#[test]
fn non_ascii_addresses_are_parsed() {
    for (kind, recipient) in [
        ("message/global-delivery-status", "utf-8; 用户@例子.example"),
        ("message/global-delivery-status", "utf-8; <用户@xn--fsqu00a.example>"),
        ("message/delivery-status", "utf-8; \\x{7528}\\x{6237}@xn--fsqu00a.example"),
    ] {
        let part = format!(
            "Content-Type: {kind}\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: {recipient}\r\n\
             Action: failed\r\nStatus: 5.1.1\r\nDiagnostic-Code: smtp; 550 5.1.1 用户 unknown user\r\n"
        );
        let raw = mail("delivery-status", &part);
        let report = read(&parse(raw.as_bytes()), true).expect("a report");
        let ReportContent::Delivery(entries) = &report.content else { panic!("{report:?}") };
        assert_eq!(entries[0].addresses[0].canonical(), "用户@xn--fsqu00a.example", "{recipient}");
        assert_eq!((entries[0].class, entries[0].is_hard()), (BounceClass::UnknownUser, true));
    }
    assert_eq!(unescaped("\\x{zz}a@b \\x{"), "\\x{zz}a@b \\x{");
}

#[test]
fn a_delay_is_not_a_failure() {
    let part = "Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n\
                Final-Recipient: rfc822; bob@x.example\r\nAction: delayed\r\nStatus: 4.4.1\r\n";
    let report = read(&parse(mail("delivery-status", part).as_bytes()), true).expect("a report");
    assert!(!report.is_failure());
}

#[test]
fn a_complaint_has_its_kind_and_recipient() {
    let part = "Content-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\nVersion: 1\r\n\
                Original-Rcpt-To: <bob@x.example>\r\n";
    let report = read(&parse(mail("feedback-report", part).as_bytes()), true).expect("a report");
    let ReportContent::Complaint { kind, recipients } = &report.content else { panic!("{report:?}") };
    assert_eq!((kind.as_str(), recipients[0].canonical().as_str()), ("abuse", "bob@x.example"));
}

#[test]
fn other_mail_is_not_a_report() {
    let person = "From: Dana <dana@x.example>\r\nSubject: Out of office\r\n\r\nI am away. Write to bob@x.example.\r\n";
    assert_eq!(read(&parse(person.as_bytes()), true), None, "a vacation notice has an empty return path too");
    let personal =
        "From: Dana <dana@x.example>\r\nSubject: Undelivered mail\r\n\r\n<bob@x.example>:\r\nuser unknown\r\n";
    assert_eq!(read(&parse(personal.as_bytes()), false), None, "a person writes about a failure");
    assert!(!is_status("9.1.1") && !is_status("5.1") && is_status("5.7.26"));
}

#[test]
fn notices_without_a_delivery_status_are_parsed() {
    let qmail = "From: MAILER-DAEMON@x.example\r\nTo: bot@agents.example\r\nSubject: failure notice\r\n\r\n\
        Hi. This is the qmail-send program at x.example.\r\nI'm afraid I wasn't able to deliver your message.\r\n\r\n\
        <bob@x.example>:\r\n192.0.2.1 does not like recipient.\r\nRemote host said: 550 5.1.1 No such user\r\n\r\n\
        <eve@x.example>:\r\nRemote host said: 452 4.2.2 Mailbox full\r\n\r\n\
        --- Below this line is a copy of the message.\r\n\r\nMessage-ID: <one@agents.example>\r\n\r\nwrite to zoe@x.example\r\n";
    let exim = "From: Mail Delivery System <Mailer-Daemon@x.example>\r\nSubject: Mail delivery failed\r\n\
        X-Failed-Recipients: bob@x.example, eve@x.example\r\n\r\nThe following addresses failed:\r\n\r\n\
        \x20 bob@x.example\r\n    Unrouteable address\r\n\x20 eve@x.example\r\n    mailbox is full: retry timeout exceeded\r\n\r\n\
        ------ This is a copy of the message, including all the headers. ------\r\n\r\nMessage-ID: <one@agents.example>\r\n";
    for raw in [qmail, exim] {
        let report = read(&parse(raw.as_bytes()), true).expect("a report");
        assert_eq!(report.original_ids, ["<one@agents.example>"], "{raw}");
        let ReportContent::Delivery(entries) = &report.content else { panic!("{report:?}") };
        let statuses: Vec<_> =
            entries.iter().map(|entry| (entry.addresses[0].canonical(), entry.action, entry.class)).collect();
        let bob = ("bob@x.example".to_owned(), ReportAction::Failed, BounceClass::UnknownUser);
        assert_eq!(
            statuses,
            [bob, ("eve@x.example".to_owned(), ReportAction::Failed, BounceClass::MailboxFull)],
            "{raw}"
        );
    }
}

/// Cases that the parser once got wrong: a copied header without a space after the colon, codes after a colon, a daemon
/// without a domain, an encoded word in an address, a network failure after the last retry.
#[test]
fn malformed_notices_and_reports_are_parsed() {
    let zoho = "From: mailer-daemon@mail.example\r\nSubject: Undelivered Mail\r\n\r\nThis is a notice.\r\nA message could not be \
        delivered. This is a permanent error.\r\n\r\nbob@x.example Invalid Address, ERROR_CODE :550 <bob@x.example>... User \
        Unknown\r\neve@x.example Invalid Address, ERROR_CODE :550, ERROR_CODE :5.2.2 <eve@x.example>... Mailbox Full\r\n\r\n\
        Received:from a by b\r\nTo:<bob@x.example>, <eve@x.example>\r\n";
    let asked_to_wait = "From: mailer-daemon@mail.example\r\nSubject: Undelivered Mail\r\n\r\nThis is a permanent error.\r\n\r\n\
        bob@x.example Error, ERROR_CODE :421, ERROR_CODE :, Host not reachable.\r\n";
    let nameless = "From: mailer-daemon\r\nSubject: There was an error\r\n\r\nSMTP Server <mx.x.example> rejected recipient \
        <bob@x.example>. It responded as follows: [550 5.1.1 User unknown]\r\n";
    let encoded = mail(
        "delivery-status",
        "Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: RFC822; \
         =?utf-8?B?YQ=3D?=@x.example\r\nAction: failed\r\nStatus: 5.1.1\r\n",
    );
    let given_up = mail(
        "delivery-status",
        "Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; \
         bob@x.example\r\nAction: failed\r\nStatus: 5.4.316\r\nDiagnostic-Code: smtp;550 5.4.316 Message expired, \
         connection refused\r\n",
    )
    .replace("Sorry.", "No server application is running: the user does not exist, or so.");
    let table: [(&str, &[(&str, bool)]); 5] = [
        (zoho, &[("bob@x.example", true), ("eve@x.example", false)]),
        (asked_to_wait, &[("bob@x.example", false)]),
        (nameless, &[("bob@x.example", true)]),
        (&encoded, &[("=?utf-8?b?yq=3d?=@x.example", true)]),
        (&given_up, &[("bob@x.example", false)]),
    ];
    for (raw, expected) in table {
        let report = read(&parse(raw.as_bytes()), true).expect("a report");
        let ReportContent::Delivery(entries) = &report.content else { panic!("{report:?}") };
        let summary = |entry: &RecipientReport| (entry.addresses[0].canonical().to_ascii_lowercase(), entry.is_hard());
        let summaries: Vec<(String, bool)> = entries.iter().map(summary).collect();
        let expected: Vec<(String, bool)> = expected.iter().map(|(who, hard)| ((*who).to_owned(), *hard)).collect();
        assert_eq!(summaries, expected, "{raw}");
    }
}
