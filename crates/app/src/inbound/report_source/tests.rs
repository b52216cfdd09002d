//! Tables for the rules of [`super`].

use posthouse_domain::{Channel, DeliveryStatus, Time};

use super::*;
use crate::mailbox::parse::parse_message;

const SOURCES: [&str; 2] = ["fbl.example", "staff@mail.example"];

/// A mail with a proven author: by DKIM if it has signers, otherwise by SPF.
fn mail(author: &str, signers: &[&str], null_sender: bool) -> ParsedMail {
    let proven_author = ProvenAuthor {
        address: Address::parse(author).unwrap(),
        signers: signers.iter().map(|&signer| signer.to_owned()).collect(),
        spf_aligned: signers.is_empty(),
    };
    ParsedMail { proven_author: Some(proven_author), null_sender, ..parse_message(b"\r\n", None) }
}

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|&text| text.to_owned()).collect()
}

fn domains(all: &[&str]) -> Option<ReportCoverage> {
    (!all.is_empty()).then(|| ReportCoverage::Domains(texts(all)))
}

#[test]
fn mail_systems_of_the_recipients_side_may_report_deliveries() {
    let exchangers = [
        MailExchangers { domain: "x.example".into(), hosts: texts(&["mx1.in.provider.example", "mx.x.example"]) },
        MailExchangers { domain: "y.example".into(), hosts: texts(&["mx.y.example", "example"]) },
    ];
    let table: [(&str, bool, &[&str]); 14] = [
        ("postmaster@x.example", false, &["x.example"]),
        ("MAILER-DAEMON@x.example", false, &["x.example"]),
        ("anybody@x.example", true, &["x.example"]),
        ("anybody@x.example", false, &[]),
        ("postmaster@provider.example", true, &["x.example"]),
        ("postmaster@in.provider.example", false, &["x.example"]),
        ("postmaster@mx1.in.provider.example", false, &["x.example"]),
        ("postmaster@mx2.in.provider.example", false, &[]),
        ("anybody@provider.example", false, &[]),
        ("postmaster@ider.example", true, &[]),
        ("postmaster@mx.x.example", true, &["x.example"]),
        ("postmaster@other.x.example", true, &[]),
        ("postmaster@y.example", true, &["y.example"]),
        ("postmaster@z.example", true, &[]),
    ];
    let recipients = texts(&["x.example", "y.example"]);
    for (author, null_sender, expected) in table {
        let found = of_delivery_report(&mail(author, &[], null_sender), &recipients, &exchangers);
        assert_eq!(found, domains(expected), "{author} {null_sender}");
    }
    let replayed = mail("anybody@x.example", &["x.example"], true);
    assert_eq!(of_delivery_report(&replayed, &recipients, &exchangers), None, "a signed mail, replayed by a stranger");
    let unproven = ParsedMail { proven_author: None, ..mail("postmaster@x.example", &[], true) };
    assert_eq!(of_delivery_report(&unproven, &recipients, &exchangers), None);
}

#[test]
fn a_name_without_a_dot_is_no_domain() {
    for (name, domain, expected) in [
        ("x.example", "x.example", true),
        ("mx.x.example", "x.example", true),
        ("evilx.example", "x.example", false),
        ("x.example", "mx.x.example", false),
        ("x.example", "example", false),
        ("localhost", "localhost", false),
        ("x.example", "", false),
    ] {
        assert_eq!(is_within(name, domain), expected, "{name} {domain}");
    }
}

#[test]
fn feedback_sources_and_the_recipients_domain_may_complain_with_dkim() {
    let all = || Some(ReportCoverage::All);
    let table: [(&str, &[&str], Option<ReportCoverage>); 14] = [
        ("feedback@fbl.example", &["fbl.example"], all()),
        ("feedback@eu.fbl.example", &["eu.fbl.example"], all()),
        ("feedback@fbl.example", &["x.example", "eu.fbl.example"], all()),
        ("feedback@fbl.example", &[], None),
        ("feedback@fbl.example", &["other.example"], None),
        ("feedback@notfbl.example", &["notfbl.example"], None),
        ("staff@mail.example", &["mail.example"], all()),
        ("Staff@mail.example", &["mail.example"], all()),
        ("eve@mail.example", &["mail.example"], None),
        ("staff@sub.mail.example", &["mail.example"], None),
        ("abuse@x.example", &["x.example"], domains(&["x.example"])),
        ("abuse@x.example", &[], None),
        ("abuse@mx.x.example", &["mx.x.example"], None),
        ("abuse@z.example", &["z.example"], None),
    ];
    for (author, signers, expected) in table {
        let found = of_complaint(&mail(author, signers, false), &texts(&["x.example", "y.example"]), &texts(&SOURCES));
        assert_eq!(found, expected, "{author} {signers:?}");
    }
}

/// A sent mail for one recipient.
fn entry(address: &str) -> RecipientDelivery {
    RecipientDelivery {
        position: 0,
        envelope: None,
        address: address.to_owned(),
        channel: Channel::Email,
        status: DeliveryStatus::Sent,
        smtp_code: None,
        enhanced_code: None,
        remote: None,
        detail: None,
        class: None,
        tls: None,
        origin: None,
        attempts: 1,
        updated_at: Time::default(),
    }
}

#[test]
fn one_mailbox_at_a_shared_domain_complains_for_itself_only() {
    const SHARED: [&str; 12] = [
        "gmail.com",
        "googlemail.com",
        "outlook.com",
        "hotmail.com",
        "yahoo.com",
        "gmx.de",
        "web.de",
        "icloud.com",
        "duck.com",
        "one.github.io",
        "x.duckdns.org",
        "mail.uk.com",
    ];
    const OWN: [&str; 4] = ["acme.com", "mail.acme.co.uk", "acme.example", "agents.acme.de"];
    let authors = ["evil", "Evil", "evil+1", "postmaster", "mailer-daemon"];
    let recipients = ["evil", "EVIL", "evil+shop", "victim", "evil2", "vevil"];
    for (domain, is_shared) in SHARED.map(|it| (it, true)).into_iter().chain(OWN.map(|it| (it, false))) {
        for (author, recipient) in authors.iter().flat_map(|author| recipients.map(|recipient| (*author, recipient))) {
            let (from, to) = (format!("{author}@{domain}"), entry(&format!("{recipient}@{domain}")));
            let covers = |mail: &ParsedMail| {
                of_complaint(mail, &texts(&[domain]), &texts(&SOURCES)).is_some_and(|it| it.includes(&to))
            };
            let is_own =
                author.to_lowercase().starts_with("evil") && ["evil", "EVIL", "evil+shop"].contains(&recipient);
            let is_mail_system = ["postmaster", "mailer-daemon"].contains(&author);
            let expected = is_own || is_mail_system || !is_shared;
            assert_eq!(covers(&mail(&from, &[domain], false)), expected, "{from} about {}", to.address);
            assert!(!covers(&mail(&from, &[], true)), "{from} about {} without a signature", to.address);
            assert!(!covers(&mail(&from, &["other.example"], false)), "{from} signed by another");
            let stranger = mail(&format!("{author}@elsewhere.{domain}"), &[domain], false);
            assert!(is_own || !covers(&stranger), "{author}@elsewhere.{domain} about {}", to.address);
        }
    }
}

#[test]
fn a_mailbox_complains_in_any_of_its_spellings() {
    for (author, signer, recipient) in [
        ("e.vil@gmail.com", "gmail.com", "evil+x@googlemail.com"),
        ("evil@me.com", "me.com", "evil@icloud.com"),
        ("evil-lists@yahoo.com", "yahoo.com", "evil@yahoo.com"),
        ("tag@evil.fastmail.com", "fastmail.com", "evil@fastmail.com"),
    ] {
        let found = of_complaint(&mail(author, &[signer], false), &texts(&["other.example"]), &[]);
        assert!(found.is_some_and(|found| found.includes(&entry(recipient))), "{author} {recipient}");
    }
}
