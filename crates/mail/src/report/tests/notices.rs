//! Generated notices of mail servers: passed on by mailing lists, about delays, and without a recipient.

use super::*;
use crate::parse::parse;

const TO: &str = "dana@x.example";

fn notice(fields: &str, text: &str) -> String {
    let text = text.replace('\n', "\r\n");
    format!(
        "{fields}To: bot@agents.example\r\nSubject: Delivery\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n"
    )
}

fn only(raw: &str) -> RecipientReport {
    let report = read(&parse(raw.as_bytes()), true).unwrap_or_else(|| panic!("a report: {raw}"));
    let ReportContent::Delivery(mut all) = report.content else { panic!("{raw}") };
    assert_eq!(all.len(), 1, "{raw}");
    assert_eq!(all[0].addresses.first().map(Address::canonical).as_deref(), Some(TO), "{raw}");
    all.remove(0)
}

#[test]
fn notices_that_a_list_passes_on_are_reports() {
    let mut variants = 0;
    for reason in ["User unknown", "550 5.1.1 no such user", "Mailbox full", "Host not found"] {
        for text in [
            format!("Your message could not be delivered.\n\n<{TO}>: {reason}"),
            format!("Undeliverable  to {TO}\nReason: {reason}"),
            format!("Delivery to the following recipients failed.\n\n    {TO}\n\n{reason}"),
        ] {
            for field in ["", "List-Unsubscribe: <mailto:l@x.example>\r\n"] {
                let raw = notice(&format!("From: MAILER-DAEMON@mx.example\r\n{field}"), &text);
                assert_eq!(only(&raw).action, ReportAction::Failed, "{raw}");
                variants += 1;
            }
            let fields = "From: postmaster@mx.example\r\nList-Unsubscribe: <mailto:l@x.example>\r\n";
            assert!(read(&parse(notice(fields, &text).as_bytes()), false).is_none(), "{text}");
        }
    }
    assert!(variants >= 20);
}

#[test]
fn notices_about_a_delay_are_pending_reports() {
    let mut variants = 0;
    for statement in [
        "A message is delayed for more than 10 minutes for the following list of recipients:",
        "Your message has not yet been delivered to:",
        "Delivery of email to this address has been postponed.",
        "Ihre Nachricht wurde noch nicht zugestellt an:",
        "Votre message n'a pas encore été remis à :",
        "Ваше сообщение ещё не доставлено:",
    ] {
        for reason in
            ["Network error on destination MXs", "Connection timed out", "The mailbox is full", "451 4.7.1 busy"]
        {
            for end in [
                "The message is kept in the queue for up to 4 days.",
                "Eventually the mail delivery software will give up, and the message will be returned to you.",
            ] {
                let text = format!("{statement}\n\n{TO}: {reason}\n\n{end}");
                let report = only(&notice("From: MAILER-DAEMON@mx.example\r\n", &text));
                assert_eq!(report.action, ReportAction::Pending, "{text}");
                assert!(!report.is_hard(), "{text}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn a_notice_without_a_recipient_is_about_the_only_one_of_its_message() {
    let mut variants = 0;
    for reason in [
        "421 x.example (smtp)... Deferred: Connection timed out",
        "550 5.1.1 User unknown",
        "554 5.7.1 spam",
        "Mailbox full",
    ] {
        for statement in ["Your message could not be delivered.", "Returned mail: Cannot send message for 4 days"] {
            for (to, is_report) in
                [(TO, true), ("Dana <dana@x.example>", true), ("dana@x.example, eve@x.example", false)]
            {
                let text = format!(
                    "{statement}\n\n   ----- Transcript of session follows -----\n{reason}\n\n   ----- Unsent message \
                     follows -----\nMessage-ID: <one@agents.example>\nFrom: bot@agents.example\nTo: {to}\nSubject: Hi\n"
                );
                let raw = notice("From: MAILER-DAEMON@mx.example\r\n", &text);
                let found = read(&parse(raw.as_bytes()), true);
                assert_eq!(found.is_some(), is_report, "{raw}");
                if let Some(found) = found {
                    assert!(!found.is_certain, "{raw}");
                    assert_eq!(only(&raw).addresses.len(), 1);
                }
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn notifications_with_broken_lines_are_read() {
    let json = format!(
        "{{\"notificationType\":\"Bounce\",\"bounce\":{{\"bounceType\":\"Permanent\",\"bouncedRecipients\":[{{\"emailAddress\":\
         \"{TO}\",\"status\":\"5.1.1\",\"diagnosticCode\":\"smtp; 550 5.1.1 user unknown\"}}]}}}}"
    );
    let mut variants = 0;
    for at in (1..json.len()).step_by(5) {
        let (before, after) = json.split_at(at);
        let raw = notice("From: no-reply@sns.example\r\n", &format!("{before}!\n {after}\n--\nA footer.\n"));
        assert!(only(&raw).is_dead_address(), "{raw}");
        variants += 1;
    }
    assert!(variants >= 20);
}

#[test]
fn a_status_code_with_a_reason_states_a_failure() {
    let mut variants = 0;
    for status in ["5.1.1", "5.2.2", "4.4.7", "5.7.1"] {
        for reason in
            ["Sorry, no mailbox here by that name.", "The mailbox is full.", "Host not found.", "Benutzer unbekannt."]
        {
            for layout in ["He is not a user of ours.\n\n<A>:\nR vpopmail (#S)", "A\nR (S)"] {
                let text = layout.replace('S', status).replace('A', TO).replace('R', reason);
                assert_eq!(only(&notice("From: MAILER-DAEMON@mx.example\r\n", &text)).action, ReportAction::Failed);
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn people_who_answer_with_delay_write_no_reports() {
    let mut variants = 0;
    for text in [
        "My answer is delayed for some days. Urgent messages to eve@x.example",
        "Meine Antwort verzögert sich. Dringende Nachrichten bitte an eve@x.example",
        "Mijn antwoord is vertraagd. Berichten met haast naar eve@x.example",
        "Mi respuesta está retrasada. Mensajes urgentes para eve@x.example",
        "Ma réponse est retardée. Messages urgents : <eve@x.example>",
        "La mia risposta è in ritardo. Messaggi urgenti a eve@x.example",
    ] {
        for field in ["", "Auto-Submitted: auto-replied\r\n", "Precedence: bulk\r\n", "X-Autoreply: yes\r\n"] {
            let raw = notice(&format!("From: Bob <bob@x.example>\r\n{field}"), text);
            assert!(read(&parse(raw.as_bytes()), true).is_none(), "{raw}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}
