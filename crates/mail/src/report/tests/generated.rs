//! Generated notices: failures in twelve languages and many layouts, rejections by scripts, notices in HTML, local
//! parts without a domain, notifications as JSON, and ordinary mail of mail servers.

use super::*;
use crate::parse::parse;

const TO: &str = "dana@x.example";

/// Statements that mail was not delivered, in the languages of the phrases, and reasons with their classes.
const STATEMENTS: [(&str, &str, &str, &str); 13] = [
    ("Your message could not be delivered.", "User unknown", "Mailbox full", "Domain not found"),
    (
        "Ihre Nachricht konnte nicht zugestellt werden.",
        "Benutzer unbekannt",
        "Das Postfach ist voll",
        "Domain existiert nicht",
    ),
    (
        "Votre message n'a pas pu être remis.",
        "Utilisateur inconnu",
        "La boîte aux lettres est pleine",
        "Le domaine n'existe pas",
    ),
    ("Su mensaje no se pudo entregar.", "El usuario no existe", "El buzón está lleno", "Dominio desconocido"),
    (
        "Sua mensagem não pôde ser entregue.",
        "Usuário desconhecido",
        "A caixa postal está cheia",
        "Domínio não encontrado",
    ),
    ("Il messaggio non è stato recapitato.", "Utente sconosciuto", "La casella è piena", "Dominio inesistente"),
    ("Uw bericht kon niet worden bezorgd.", "Gebruiker onbekend", "De mailbox is vol", "Het domein bestaat niet"),
    ("Nie można dostarczyć wiadomości.", "Nieznany użytkownik", "Skrzynka jest pełna", "Domena nie istnieje"),
    ("Ваше сообщение не было доставлено.", "Пользователь не найден", "Ящик переполнен", "Домен не найден"),
    ("İletiniz teslim edilemedi.", "Kullanıcı bulunamadı", "Posta kutusu dolu", "Alan adı bulunamadı"),
    (
        "メールを配信できませんでした。",
        "宛先のユーザーが存在しません",
        "メールボックスの容量を超えています",
        "ドメインが存在しません",
    ),
    ("您的邮件无法投递。", "收件人不存在", "邮箱已满", "域名不存在"),
    (
        "메시지를 전달하지 못했습니다.",
        "존재하지 않는 사용자입니다",
        "메일함이 가득 찼습니다",
        "도메인을 찾을 수 없습니다",
    ),
];

/// Layouts of notices: `S` is the statement, `A` the address, `R` the reason.
const LAYOUTS: [&str; 10] = [
    "S\n\n<A>:\nR\n",
    "S\n\n  A\n    R\n",
    "S\n\nA: R\n",
    "S\n\nA (R)\n",
    "S\n\nRecipient: A\nReason: R\n",
    "S\n\nRecipient: [SMTP:A]\nReason: R\n",
    "S\n\n------- Failure Reasons  --------\n\nR\nA\n",
    "S\n\n  A\n\nR\n",
    "R: A\n\nS\n",
    "S\n\n* A\nR\n",
];

fn notice(text: &str) -> String {
    format!(
        "From: Mail Delivery System <MAILER-DAEMON@mx.example>\r\nTo: bot@agents.example\r\nSubject: failure\r\n\
         Content-Type: text/plain; charset=utf-8\r\n\r\n{}\r\n\r\n--- Below this line is a copy of the message.\r\n\r\n\
         Message-ID: <one@agents.example>\r\nTo: {TO}\r\nSubject: Hi\r\n\r\nwrite to zoe@x.example\r\n",
        text.replace('\n', "\r\n")
    )
}

fn recipient_reports(raw: &str) -> Vec<RecipientReport> {
    let report = read(&parse(raw.as_bytes()), true).unwrap_or_else(|| panic!("a report: {raw}"));
    let ReportContent::Delivery(recipient_reports) = report.content else { panic!("{report:?}") };
    recipient_reports
}

fn only(raw: &str) -> RecipientReport {
    let recipient_reports = recipient_reports(raw);
    assert_eq!(recipient_reports.len(), 1, "{raw}\n{recipient_reports:?}");
    assert_eq!(recipient_reports[0].addresses.first().map(Address::canonical).as_deref(), Some(TO), "{raw}");
    recipient_reports[0].clone()
}

#[test]
fn notices_in_all_languages_and_layouts_have_their_recipient_and_reason() {
    for (statement, user, full, domain) in STATEMENTS {
        for layout in LAYOUTS {
            for (reason, class) in [
                (user, BounceClass::UnknownUser),
                (full, BounceClass::MailboxFull),
                (domain, BounceClass::UnknownDomain),
            ] {
                let text = layout.replace('S', "\u{1}").replace('A', TO).replace('R', reason);
                let text = text.replace('\u{1}', statement).replace(&format!("{reason}ecipient"), "Recipient");
                let text = text.replace(&format!("{reason}eason"), "Reason").replace("\u{1}", statement);
                let raw = notice(&text.replace(&format!("[{statement}MTP:"), "[SMTP:"));
                let found = only(&raw);
                assert_eq!((found.class, found.action), (class, ReportAction::Failed), "{raw}");
                assert_eq!(found.is_dead_address(), class.is_dead_address(), "{raw}");
            }
        }
    }
}

#[test]
fn each_recipient_has_the_reason_of_its_own_lines() {
    let reasons = [
        ("550 5.1.1 User unknown", BounceClass::UnknownUser),
        ("552 5.2.2 Mailbox full", BounceClass::MailboxFull),
        ("554 5.7.1 blocked using zen.spamhaus.org", BounceClass::Reputation),
        ("421 4.4.1 Connection timed out", BounceClass::Expired),
        ("554 5.7.1 Message rejected as spam", BounceClass::Spam),
    ];
    for (at, first) in reasons.iter().enumerate() {
        for second in reasons.iter().skip(at + 1) {
            for layout in ["<A>:\nR\n\n", "  A\n    R\n", "A: R\n", "A\n  host mx.example said: R\n"] {
                let line = |address: &str, reason: &str| layout.replace('A', address).replace('R', reason);
                let text = line(TO, first.0) + &line("eve@y.example", second.0);
                let found = recipient_reports(&notice(&format!("Your message could not be delivered.\n\n{text}")));
                let classes: Vec<BounceClass> = found.iter().map(|fate| fate.class).collect();
                assert_eq!(classes, [first.1, second.1], "{text}\n{found:?}");
            }
        }
    }
}

#[test]
fn delays_are_not_failures() {
    for statement in [
        "has not yet been delivered to the following recipients:",
        "could not be delivered for 4 hours. It will be retried until it is 5 days old.",
        "THIS IS A WARNING MESSAGE ONLY. YOU DO NOT NEED TO RESEND YOUR MESSAGE.",
        "Delivery is delayed. The server will keep trying.",
        "konnte noch nicht zugestellt werden.",
        "n'a pas encore été remis.",
        "aún no se ha podido entregar.",
        "ainda não foi entregue.",
        "non è ancora stato recapitato.",
        "is nog niet bezorgd.",
        "jeszcze nie dostarczono.",
        "ещё не доставлено.",
        "henüz teslim edilemedi.",
        "まだ配信できません。再送を試みます。",
        "尚未送达，邮件无法投递。",
        "아직 전달되지 않았습니다.",
    ] {
        for reason in ["", "450 4.2.0 try again later", "451 4.4.1 connection timed out", "450 4.1.1 User unknown"] {
            let raw = notice(&format!("A message that you sent {statement}\n\n  {TO}\n    {reason}\n"));
            if let Some(report) = read(&parse(raw.as_bytes()), true) {
                assert!(!report.is_failure(), "{raw}\n{report:?}");
            }
        }
    }
}

#[test]
fn rejections_by_scripts_are_failures_and_receipts_are_not() {
    let mdn = |disposition: &str, text: &str| {
        format!(
            "From: Mail Delivery Subsystem <postmaster@x.example>\r\nSubject: Rejected\r\nContent-Type: multipart/report; \
             report-type=disposition-notification; boundary=b\r\n\r\n--b\r\n\r\n{text}\r\n--b\r\n\
             Content-Type: message/disposition-notification\r\n\r\nReporting-UA: x.example; Mail Delivery Agent\r\n\
             Final-Recipient: rfc822; {TO}\r\nOriginal-Message-ID: <one@agents.example>\r\n\
             Disposition: {disposition}\r\n\r\n--b--\r\n"
        )
    };
    let rejections = [
        ("was automatically rejected: I don't want your mail.", BounceClass::Policy),
        ("was automatically rejected: Quota exceeded (mailbox for user is full)", BounceClass::MailboxFull),
        ("was rejected: message too large", BounceClass::TooLarge),
        ("was rejected by the recipient's filter as spam", BounceClass::Spam),
        ("could not be delivered, account is disabled", BounceClass::InactiveUser),
        ("wurde nicht zugestellt: Das Postfach ist voll", BounceClass::MailboxFull),
    ];
    for (words, class) in rejections {
        for disposition in [
            "automatic-action/MDN-sent-automatically; deleted",
            "automatic-action/MDN-sent-automatically;deleted/error",
            "automatic-action/MDN-sent-automatically; failed",
            "manual-action/MDN-sent-automatically; denied",
        ] {
            let raw = mdn(disposition, &format!("Your message to {TO} {words}"));
            let found = only(&raw);
            assert_eq!((found.class, found.action), (class, ReportAction::Failed), "{raw}");
            assert!(!found.is_dead_address(), "the mail system accepted the message first: {raw}");
            assert_eq!(read(&parse(raw.as_bytes()), true).unwrap().original_ids, ["<one@agents.example>"]);
        }
    }
    for mode in ["manual-action/MDN-sent-manually", "automatic-action/MDN-sent-automatically"] {
        for kind in ["displayed", "deleted", "dispatched", "processed"] {
            for words in ["was displayed.", "was deleted without being read.", "was read on Monday."] {
                let raw = mdn(&format!("{mode}; {kind}"), &format!("Your message to {TO} {words}"));
                assert_eq!(read(&parse(raw.as_bytes()), true), None, "{raw}");
            }
        }
    }
}

#[test]
fn recipients_that_only_the_html_names_are_found() {
    for (statement, user, full, _) in STATEMENTS {
        for (reason, class) in [(user, BounceClass::UnknownUser), (full, BounceClass::MailboxFull)] {
            for shown in [
                format!("<p>{TO}</p>"),
                format!("<ul><li><a href=\"mailto:{TO}\">{TO}</a></li></ul>"),
                format!("<p><a href='mailto:{TO}'>Dana Smith</a></p>"),
                format!("<table><tr><td>{TO}</td></tr></table>"),
            ] {
                let html = format!("<html><body><h1>{statement}</h1>{shown}<p>{reason}</p></body></html>");
                let head = "From: MAILER-DAEMON@mx.example\r\nSubject: failure\r\n";
                let alone = format!("{head}Content-Type: text/html; charset=utf-8\r\n\r\n{html}\r\n");
                let beside = format!(
                    "{head}Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\n\
                     Content-Type: text/plain; charset=utf-8\r\n\r\n{statement}\r\n--b\r\n\
                     Content-Type: text/html; charset=utf-8\r\n\r\n{html}\r\n--b--\r\n"
                );
                for raw in [alone, beside] {
                    assert_eq!(only(&raw).class, class, "{raw}");
                }
            }
        }
    }
}

#[test]
fn local_parts_without_a_domain_are_matched_to_the_original() {
    for line in ["dana (user not found)", "<dana>: User unknown", "Unknown user: dana", "dana\n  550 User unknown"] {
        for (statement, ..) in STATEMENTS {
            let found = only(&notice(&format!("{statement}\n\n\t{line}\n")));
            assert_eq!(found.class, BounceClass::UnknownUser, "{statement} {line}");
            let unknown = notice(&format!("{statement}\n\n\t{line}\n")).replace(&format!("To: {TO}"), "X-Note: none");
            let report = read(&parse(unknown.as_bytes()), true).expect("a report");
            let ReportContent::Delivery(recipient_reports) = &report.content else { panic!("{report:?}") };
            assert!(recipient_reports.iter().any(|fate| fate.local_part.as_deref() == Some("dana")), "{report:?}");
        }
    }
    let part = "Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\n\
                Final-Recipient: rfc822; Dana\r\nAction: failed\r\nStatus: 5.1.1\r\n";
    let report = read(&parse(mail("delivery-status", part).as_bytes()), true).expect("a report");
    let ReportContent::Delivery(recipient_reports) = &report.content else { panic!("{report:?}") };
    assert_eq!(recipient_reports[0].local_part.as_deref(), Some("dana"));
}

/// Templates of notifications: `K` is the kind, `W` what the server replied.
const NOTIFICATIONS: [(&str, &str, &str, &str); 8] = [
    (
        "ses",
        "Permanent",
        "Transient",
        r#"{"notificationType":"Bounce","bounce":{"bounceType":"K","bounceSubType":"General","bouncedRecipients":[{"emailAddress":"dana@x.example","action":"failed","diagnosticCode":"smtp; W"}]},"mail":{"source":"bot@agents.example","destination":["dana@x.example","eve@y.example"]}}"#,
    ),
    (
        "ses event",
        "Permanent",
        "Transient",
        r#"{"eventType":"Bounce","bounce":{"bounceType":"K","bouncedRecipients":[{"emailAddress":"dana@x.example","status":"5.0.0","diagnosticCode":"smtp; W"}]},"mail":{"messageId":"1"}}"#,
    ),
    (
        "sendgrid",
        "bounce",
        "blocked",
        r#"[{"email":"dana@x.example","timestamp":1,"event":"bounce","reason":"W","type":"K"}]"#,
    ),
    (
        "mailgun",
        "permanent",
        "temporary",
        r#"{"event-data":{"event":"failed","severity":"K","recipient":"dana@x.example","delivery-status":{"message":"W","description":""},"message":{"headers":{"to":"dana@x.example","message-id":"one@agents.example"}}}}"#,
    ),
    (
        "postmark",
        "HardBounce",
        "SoftBounce",
        r#"{"RecordType":"Bounce","Type":"K","Description":"The server replied.","Details":"W","Email":"dana@x.example","From":"bot@agents.example"}"#,
    ),
    (
        "sparkpost",
        "bounce",
        "soft_bounce",
        r#"[{"msys":{"message_event":{"type":"K","rcpt_to":"dana@x.example","raw_reason":"W","bounce_class":"10"}}}]"#,
    ),
    ("mandrill", "hard_bounce", "soft_bounce", r#"[{"event":"K","msg":{"email":"dana@x.example","diag":"smtp;W"}}]"#),
    ("brevo", "hard_bounce", "soft_bounce", r#"{"event":"K","email":"dana@x.example","reason":"W"}"#),
];

#[test]
fn notifications_of_providers_are_parsed() {
    let words = [
        ("550 5.1.1 User unknown", BounceClass::UnknownUser),
        ("550 5.2.1 The account is disabled", BounceClass::InactiveUser),
        ("552 5.2.2 Mailbox full", BounceClass::MailboxFull),
        ("554 5.7.1 blocked using zen.spamhaus.org", BounceClass::Reputation),
    ];
    for (name, permanent, temporary, template) in NOTIFICATIONS {
        for (reply, class) in words {
            for kind in [permanent, temporary] {
                let json = template.replace("\"K\"", &format!("\"{kind}\"")).replace('W', reply);
                let text = format!(
                    "From: no-reply@provider.example\r\nSubject: Notification\r\n\r\n{json}\r\n\r\n--\r\nA footer.\r\n"
                );
                let sns = serde_json::json!({ "Type": "Notification", "Message": json });
                let part = format!(
                    "From: no-reply@provider.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nSee below.\r\n\
                     --b\r\nContent-Type: application/json\r\n\r\n{sns}\r\n--b--\r\n"
                );
                for raw in [text, part] {
                    let found = only(&raw);
                    assert_eq!((found.class, found.action), (class, ReportAction::Failed), "{name}: {raw}");
                    let is_dead = kind == permanent && class.is_dead_address();
                    assert_eq!(found.is_dead_address(), is_dead, "{name}: {raw}");
                }
            }
        }
    }
    let complaint = r#"{"notificationType":"Complaint","complaint":{"complainedRecipients":[{"emailAddress":"dana@x.example"}]},"mail":{}}"#;
    let raw = format!("From: no-reply@provider.example\r\n\r\n{complaint}\r\n");
    let report = read(&parse(raw.as_bytes()), false).expect("a complaint");
    assert!(
        matches!(&report.content, ReportContent::Complaint { recipients, .. } if recipients.len() == 1),
        "{report:?}"
    );
    for json in
        [r#"{"event":"delivered","email":"dana@x.example"}"#, r#"{"type":"order","email":"dana@x.example"}"#, "{}"]
    {
        assert_eq!(read(&parse(format!("From: a@b.example\r\n\r\n{json}\r\n").as_bytes()), true), None, "{json}");
    }
}

#[test]
fn ordinary_mail_of_mail_servers_is_not_a_report() {
    let texts = [
        ("Welcome", "Hello,\n\nyour mailbox is ready. Write to support@x.example if you need help.\n"),
        ("Maintenance on Sunday", "Mail delivery will be slower between 2 and 4.\n\nYour postmaster\n"),
        ("Delivery of your parcel", "Your parcel will be delivered to 5 Main Street. Questions: help@parcel.example\n"),
        ("Delivery failed", "We could not deliver your parcel. Call us, or write to care@parcel.example.\n"),
        ("Mailbox almost full", "Your mailbox bot@agents.example is 95% full. Delete old mail.\n"),
        ("Quarantine summary", "3 messages are in your quarantine:\n\nalice@a.example  Offer\nbob@b.example  Hi\n"),
        ("Out of office", "I am away until Monday. Contact eve@x.example.\n"),
        ("Automatic reply: Hi", "Thank you for your message. We will answer soon.\n"),
        ("Ticket 4711", "Your message was received. Ticket: 4711. It is with bob@x.example now.\n"),
        ("Password expires", "Your password expires in 5 days. Contact admin@x.example.\n"),
        ("DMARC report", "This is a report for x.example: 550 messages, 4 sources. Contact dmarc@y.example.\n"),
        ("TLS report", "Policy failures: 0. Contact tls@y.example.\n"),
        (
            "Re: mail to dana@x.example",
            "Hi,\n\n<dana@x.example>:\n550 5.1.1 User unknown\n\nI'll fix it.\nPostmaster\n",
        ),
        ("AW: delivery", "Your message to dana@x.example could not be delivered, I see. Eve\n"),
        ("Delivery status of order 7", "Order 7 was delivered to dana@x.example on Monday.\n"),
        ("Your subscription", "You are now subscribed to news@list.example.\n"),
        ("Virus statistics", "We stopped 550 viruses this week.\n"),
        ("Invoice", "Your invoice is attached. billing@x.example\n"),
        ("New policy", "From May on, mail over 50 MB is rejected. Ask postmaster@x.example.\n"),
        ("Mail delivery report", "Delivered: 1200. Delayed: 3. Details on request.\n"),
        ("Backup finished", "All mailboxes were saved: dana@x.example, eve@x.example.\n"),
        ("Undelivered orders", "Orders 5 and 6 are waiting for payment.\n"),
    ];
    for from in ["postmaster@x.example", "MAILER-DAEMON@x.example", "dana@x.example", "no-reply@parcel.example"] {
        for (subject, text) in texts {
            for returned in [true, false] {
                let raw = format!("From: {from}\r\nTo: bot@agents.example\r\nSubject: {subject}\r\n\r\n{text}");
                let found = read(&parse(raw.as_bytes()), returned);
                assert!(found.is_none(), "{raw}\n{found:?}");
            }
        }
    }
}

#[test]
fn mail_that_resembles_a_report_is_recognized() {
    for (from, subject, returned, expected) in [
        ("MAILER-DAEMON@x.example", "Hello", true, true),
        ("postmaster@x.example", "Undeliverable: Hi", false, true),
        ("dana@x.example", "Mail delivery failed", true, true),
        ("dana@x.example", "Mail delivery failed", false, false),
        ("postmaster@x.example", "Maintenance", false, false),
        ("dana@x.example", "Out of office", true, false),
    ] {
        let raw = format!("From: {from}\r\nSubject: {subject}\r\n\r\nHello.\r\n");
        assert_eq!(resembles_report(&parse(raw.as_bytes()), returned), expected, "{from} {subject} {returned}");
    }
}
