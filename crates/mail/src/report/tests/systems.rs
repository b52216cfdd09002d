//! Notices in the layouts of mail systems that write no delivery status.

use super::*;
use crate::parse::parse;

/// The author, the notice, and the class of its recipient `dana@x.example`.
const NOTICES: [(&str, &str, BounceClass); 30] = [
    // Mobile carriers.
    (
        "Postmaster@au.example",
        "The user(s) account is temporarily over quota.\n\n    <dana@x.example>\n",
        BounceClass::MailboxFull,
    ),
    ("Postmaster@au.example", "The user(s) account is disabled.\n\n    <dana@x.example>\n", BounceClass::InactiveUser),
    (
        "Postmaster@au.example",
        "Each of the following recipients was rejected by a remote mail server.\nThe reasons given by the server are included to help you determine why\neach recipient was rejected.\n\n    Recipient: <dana@x.example>\n    Reason:    550 <dana@x.example>: User unknown\n",
        BounceClass::UnknownUser,
    ),
    (
        "no-reply@carrier.example",
        "Your mail sent on: Thu, 29 Apr 2010 11:04:47 +0900\n    Could not be delivered to: <dana@x.example>\n    As their mailbox is full.\n",
        BounceClass::MailboxFull,
    ),
    (
        "postmaster@mobile.example",
        "Message could not be delivered to mobile.\nError: No valid recipients for this MM\n\nRCPT TO: dana@x.example\n",
        BounceClass::UnknownUser,
    ),
    (
        "mailer-daemon@carrier.example",
        "次のあて先へのメッセージはエラーのため送信できませんでした。\n\n  dana@x.example\n\n宛先が見つかりません。\n",
        BounceClass::UnknownUser,
    ),
    // Groupware.
    (
        "postmaster@x.example",
        "Your message\n\n  Subject: Hi\n\nwas not delivered to:\n\n  dana@x.example\n\nbecause:\n\n  User dana (dana@x.example) not listed in Domino Directory\n",
        BounceClass::UnknownUser,
    ),
    (
        "mailer-daemon@x.example",
        "------- Failure Reasons  --------\n\nUser not listed in public Name & Address Book\ndana@x.example\n\n------- Returned Message --------\n",
        BounceClass::UnknownUser,
    ),
    (
        "postmaster@x.example",
        "Your message\n\n  To:      dana@x.example\n  Subject: Hi\n  Sent:    Thu, 29 Apr 2010 18:14:35 +0000\n\ndid not reach the following recipient(s):\n\ndana@x.example on Thu, 29 Apr 2010 18:15:11 +0000\n    The recipient name is not recognized\n\tThe MTS-ID of the original message is: c=us;a= ;p=X\n    MSEXCH:IMS:X:SITE:HOST 0 (000C05A6) Unknown Recipient\n",
        BounceClass::UnknownUser,
    ),
    (
        "postmaster@x.example",
        "Delivery has failed to these recipients or groups:\n\ndana@x.example<mailto:dana@x.example>\nThe email address you entered couldn't be found. Please check the recipient's email address and try to resend the message.\n\nDiagnostic information for administrators:\n\nGenerating server: mail.x.example\n\ndana@x.example\n#550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##rfc822;dana@x.example\n",
        BounceClass::UnknownUser,
    ),
    (
        "postmaster@x.example",
        "Échec de la remise aux destinataires ou groupes suivants :\n\ndana@x.example\nL'adresse de messagerie que vous avez entrée est introuvable.\n\nInformations de diagnostic pour les administrateurs :\n\ndana@x.example\n#550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##\n",
        BounceClass::UnknownUser,
    ),
    (
        "mailer-daemon@x.example",
        "The message that you sent was undeliverable to the following:\n\tdana (user not found)\n",
        BounceClass::UnknownUser,
    ),
    (
        "mailer-daemon@x.example",
        "The message that you sent was undeliverable to the following:\n\tdana (mailbox full)\n",
        BounceClass::MailboxFull,
    ),
    // Servers.
    (
        "MAILER-DAEMON@x.example",
        "    Hi!\n\n    This is the MAILER-DAEMON, please DO NOT REPLY to this email.\n\n    An error has occurred while attempting to deliver a message for\n    the following list of recipients:\n\ndana@x.example: 550 5.2.2 <dana@x.example>... Mailbox Full\n",
        BounceClass::MailboxFull,
    ),
    (
        "postmaster@x.example",
        "Hi. This is the James mail server at mars.x.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.  Below\nI include the list of recipients and the reason why I was unable to deliver\nyour message.\n\nFailed recipient(s):\ndana@x.example\n\nError message:\nDomain x.example not found\n",
        BounceClass::UnknownDomain,
    ),
    (
        "postmaster@x.example",
        "                           UNDELIVERABLE MAIL\n\nYour message to the following recipients cannot be delivered:\n\n<dana@x.example>:\n    mx.x.example [192.0.2.1]:\n>>> RCPT TO:<dana@x.example>\n<<< 550 5.1.1 <dana@x.example>... User Unknown\n",
        BounceClass::UnknownUser,
    ),
    (
        "postmaster@x.example",
        "MailEnable: Message could not be delivered to some recipients.\nThe following recipient(s) could not be reached:\n\n\tRecipient: [SMTP:dana@x.example]\n\tReason: Remote SMTP Server Returned: 550 Requested action not taken: mailbox unavailable\n",
        BounceClass::UnknownUser,
    ),
    (
        "mailer-daemon@x.example",
        "Your message did not reach some or all of the intended recipients.\n\n   Sent: Thu\n   Subject: Hi\n\nThe following recipient(s) could not be reached:\n\ndana@x.example\n   Error Type: SMTP\n   Remote server (192.0.2.1) issued an error.\n   sent: RCPT TO:<dana@x.example>\n   Remote server replied: 554 5.7.1 blocked using zen.spamhaus.org\n",
        BounceClass::Reputation,
    ),
    (
        "System.Administrator@x.example",
        "Could not deliver message to the following recipient(s):\n\nFailed Recipient: dana@x.example\nReason: Remote host said: 550 No such user here\n\n   -- The header and top 20 lines of the message follows --\n",
        BounceClass::UnknownUser,
    ),
    (
        "mailer-daemon@x.example",
        "Failed to deliver to 'dana@x.example'\nSMTP module(domain x.example) reports:\n host mx.x.example says:\n 550 5.1.1 unknown or illegal alias: dana@x.example\n",
        BounceClass::UnknownUser,
    ),
    (
        "mailer-daemon@x.example",
        "The attached message had PERMANENT fatal delivery errors!\n\nAfter one or more unsuccessful delivery attempts the attached message has\nbeen removed from the mail queue on this server.\n\nFailed address: dana@x.example\n\n--- Session Transcript ---\n--> RCPT To:<dana@x.example>\n<-- 550 <dana@x.example>, Recipient unknown\n",
        BounceClass::UnknownUser,
    ),
    ("postmaster@x.example", "Unknown user: dana@x.example\n\nRETURNED MAIL FOLLOWS\n", BounceClass::UnknownUser),
    (
        "postmaster@x.example",
        "User mailbox exceeds allowed size: dana@x.example\n\nOriginal message follows.\n",
        BounceClass::MailboxFull,
    ),
    (
        "postmaster@x.example",
        "Delivery failed 20 attempts: dana@x.example\n\nOriginal message follows.\n",
        BounceClass::Expired,
    ),
    (
        "postmaster@x.example",
        "Your message could not be sent.\nA transcript of the attempts to send the message follows.\nThe number of attempts made: 1\nAddressed To: dana@x.example\n\nThu 29 Apr 2010 23:34:45 +0900\nFailed to send to identified host,\ndana@x.example: [192.0.2.5], 550 dana@x.example... No such user\n",
        BounceClass::UnknownUser,
    ),
    (
        "mailmarshal@x.example",
        "Your message:\n   From:    bot@agents.example\n   Subject: Hi\nCould not be delivered because of\n\n550 5.1.1 User unknown\n\nThe following recipients were affected:\n    dana@x.example\n",
        BounceClass::UnknownUser,
    ),
    (
        "postmaster@x.example",
        "Your message cannot be delivered to the following recipients:\n\n  Recipient address: dana@x.example\n  Reason: Remote SMTP server has rejected address\n  Diagnostic code: smtp;550 5.1.1 User unknown\n",
        BounceClass::UnknownUser,
    ),
    (
        "mailer-daemon@x.example",
        "-------server message\n550 5.1.1 unknown user <dana@x.example>\n\n-------SMTP command\nDATA\n\n-------original message\n",
        BounceClass::UnknownUser,
    ),
    (
        "mailer-daemon@x.example",
        "   ----- The following addresses had delivery problems -----\ndana@x.example\n\n   ----- Non-delivered information -----\nThe number of messages in recipient's mailbox exceeded the local limit.\n",
        BounceClass::MailboxFull,
    ),
    (
        "mailer-daemon@x.example",
        "We had trouble delivering your message. Full details follow:\n\nSubject: 'Hi'\n\n1 error(s):\n\nSMTP Server <mx.x.example> rejected recipient <dana@x.example>\n  (Error following RCPT command). It responded as follows: [550 5.1.1 User unknown]\n",
        BounceClass::UnknownUser,
    ),
];

#[test]
fn notices_of_systems_without_a_delivery_status_are_parsed() {
    let mut wrong = Vec::new();
    for (author, text, class) in NOTICES {
        let raw = format!(
            "From: Mail System <{author}>\nTo: bot@agents.example\nSubject: Mail System Error - Returned Mail\n\
             Content-Type: text/plain; charset=utf-8\n\n{text}\n\
             Message-ID: <one@agents.example>\nTo: dana@x.example\nSubject: Hi\n"
        );
        let Some(report) = read(&parse(raw.as_bytes()), true) else {
            wrong.push(format!("no report: {text}"));
            continue;
        };
        let ReportContent::Delivery(recipient_reports) = &report.content else { panic!("{report:?}") };
        let found: Vec<_> =
            recipient_reports.iter().map(|fate| (fate.addresses.clone(), fate.class, fate.action)).collect();
        let dana = vec![Address::parse("dana@x.example").unwrap()];
        if found != [(dana, class, ReportAction::Failed)] {
            wrong.push(format!("{found:?} instead of {class:?}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), NOTICES.len(), wrong.join("\n"));
}
