//! Generated combinations of enhanced code, reply code and text: an address is dead only if all of them agree, and
//! evidence that contradicts never makes a verdict harder.

use super::*;

/// Texts that say that the address doesn't work.
const DEAD: [&str; 24] = [
    "user unknown",
    "No such user here",
    "mailbox not found",
    "The email account that you tried to reach does not exist",
    "invalid recipient",
    "Recipient address rejected: User unknown in virtual mailbox table",
    "Unrouteable address",
    "account is disabled",
    "mailbox is inactive, no longer available",
    "Host unknown",
    "Domain example.org not found",
    "no such domain",
    "Benutzer unbekannt",
    "Utilisateur inconnu",
    "El usuario no existe",
    "Usuário não encontrado",
    "Utente sconosciuto",
    "Gebruiker onbekend",
    "Nieznany użytkownik",
    "Пользователь не найден",
    "Kullanıcı bulunamadı",
    "宛先のユーザーが存在しません",
    "收件人不存在",
    "수신자를 찾을 수 없습니다",
];

/// Texts that give another reason, or say that it passes.
const CONTRADICTIONS: [&str; 36] = [
    "must issue a STARTTLS command first",
    "TLS required by recipient domain",
    "the remote TLS certificate has expired",
    "MTA-STS policy of the domain was not met",
    "DANE validation failed",
    "relay access denied by policy",
    "administrative prohibition",
    "sender is not authorized",
    "blocked using zen.spamhaus.org",
    "client host [192.0.2.1] is on our blocklist",
    "your IP has a poor reputation",
    "listed by the RBL",
    "message rejected as spam",
    "SPF check failed",
    "DMARC policy of the sender",
    "reverse DNS lookup failed",
    "message contains a virus",
    "malformed header",
    "message too large",
    "mailbox full",
    "user is over quota",
    "too many connections from your host",
    "rate limit exceeded",
    "greylisted",
    "please try again later",
    "service temporarily unavailable, retry later",
    "temporarily deferred",
    "connection timed out",
    "connection refused",
    "no route to host",
    "Postfach voll",
    "boîte pleine",
    "bitte später erneut versuchen",
    "しばらくしてから再度お試しください",
    "邮箱已满",
    "временно недоступен",
];

/// Enhanced codes that don't contradict that the address is dead, and those that do.
const AGREEING: [Option<&str>; 6] = [None, Some("5.0.0"), Some("5.1.1"), Some("5.1.3"), Some("5.1.0"), Some("5.2.1")];
const OTHER_CODES: [&str; 18] = [
    "5.7.1", "5.7.0", "5.7.26", "5.7.509", "5.7.606", "5.2.2", "5.2.3", "5.3.4", "5.4.6", "5.4.7", "5.6.0", "5.6.7",
    "4.1.1", "4.2.1", "4.2.2", "4.4.1", "4.7.0", "4.7.5",
];
/// Reply codes that a refusal of a recipient has, and others.
const REFUSALS: [Option<u16>; 5] = [None, Some(550), Some(551), Some(553), Some(554)];
const OTHER_REPLIES: [u16; 7] = [421, 450, 451, 452, 530, 535, 454];

fn verdict(code: Option<u16>, enhanced: Option<&str>, words: &str) -> BounceVerdict {
    judge(&BounceReply { code, enhanced, words, stage: None })
}

fn is_dead(code: Option<u16>, enhanced: Option<&str>, words: &str) -> bool {
    verdict(code, enhanced, words).severity == BounceSeverity::DeadAddress
}

#[test]
fn an_address_is_dead_if_codes_and_text_agree() {
    for words in DEAD {
        for enhanced in AGREEING {
            for code in REFUSALS {
                let found = verdict(code, enhanced, words);
                assert_eq!(found.severity, BounceSeverity::DeadAddress, "{code:?} {enhanced:?} {words}: {found:?}");
                assert!(found.class.is_dead_address());
            }
        }
    }
}

#[test]
fn text_with_another_reason_never_makes_an_address_dead() {
    for words in DEAD {
        for other in CONTRADICTIONS {
            for enhanced in AGREEING {
                for text in [format!("{words}; {other}"), format!("{other}; {words}"), other.to_owned()] {
                    let before = verdict(Some(550), enhanced, words).severity;
                    let after = verdict(Some(550), enhanced, &text);
                    assert!(after.severity < before, "{enhanced:?} {text}: {after:?}");
                }
            }
        }
    }
}

#[test]
fn codes_with_another_reason_never_make_an_address_dead() {
    for words in DEAD {
        for code in REFUSALS {
            for enhanced in OTHER_CODES {
                assert!(!is_dead(code, Some(enhanced), words), "{code:?} {enhanced} {words}");
                assert!(!is_dead(code, Some("5.1.1"), &format!("{enhanced} {words}")), "{code:?} {enhanced} {words}");
                assert!(!is_dead(code, Some(enhanced), &format!("5.1.1 {words}")), "{code:?} {enhanced} {words}");
            }
        }
        for code in OTHER_REPLIES {
            for enhanced in AGREEING {
                assert!(!is_dead(Some(code), enhanced, words), "{code} {enhanced:?} {words}");
            }
        }
        let closing = verdict(Some(421), Some("4.2.1"), words);
        assert_eq!(closing.severity, BounceSeverity::Soft, "421 is about the connection: {words}");
        assert!(!closing.class.is_dead_address(), "{words}: {closing:?}");
    }
}

/// Every phrase of the word list with every other: two statements are at most as hard as the softer of them.
#[test]
fn more_statements_never_make_a_verdict_harder() {
    let tables: [&[&str]; 10] = [
        &words::TLS,
        &words::LATER,
        &words::OUTAGE,
        &words::LARGE,
        &words::FULL,
        &words::RATE,
        &words::LISTED,
        &words::SPAM,
        &words::USER,
        &words::INACTIVE,
    ];
    // Every third phrase keeps the number of pairs small; the offset differs per table.
    let all: Vec<&str> =
        tables.iter().enumerate().flat_map(|(at, table)| table.iter().skip(at % 3).step_by(3)).copied().collect();
    for (at, first) in all.iter().enumerate() {
        for second in all.iter().skip(at + 1).step_by(23) {
            for (code, enhanced) in [(Some(550), None), (Some(550), Some("5.1.1")), (Some(450), Some("4.2.0"))] {
                let alone = [first, second].map(|words| verdict(code, enhanced, words).severity);
                let both = verdict(code, enhanced, &format!("{first} / {second}"));
                assert!(both.severity <= alone[0].min(alone[1]), "{first} / {second}: {both:?}, alone {alone:?}");
            }
        }
    }
}

#[test]
fn a_code_of_a_policy_anywhere_in_the_text_keeps_an_address_alive() {
    let mut variants = 0;
    for text in DEAD {
        for code in ["5.7.1", "5.7.26", "5.2.2", "5.3.4"] {
            for words in [format!("5.1.0 - {text} 550-'{code} <a@x.example>... denied'"), format!("{text} (#{code})")] {
                let reply = BounceReply { code: Some(550), enhanced: Some("5.1.1"), words: &words, stage: None };
                assert_ne!(judge(&reply).severity, BounceSeverity::DeadAddress, "{words}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

/// Whole replies that providers send with the code of another reason, and texts around them that don't change that.
#[test]
fn a_whole_reply_of_the_table_decides_against_its_code() {
    let replies = [
        "No such user!",
        "No such user",
        "Recipient address rejected: User unknown",
        "Recipient address rejected: user does not exist",
        "Recipient address rejected: user bob@x.example does not exist",
        "Recipient address rejected: User email address is marked as invalid",
    ];
    let around = [
        "5.7.1 {}",
        "550 5.7.1 {}",
        "550 5.7.1 <bob@x.example>: {}",
        "550 5.7.1 {} 1631900360-h4Ajl35YEe",
        "host mx.x.example[192.0.2.7] said: 550 5.7.1 {} (in reply to RCPT TO command)",
        "{}",
    ];
    for words in replies {
        for pattern in around {
            let text = pattern.replace("{}", words);
            assert!(is_dead(Some(550), Some("5.7.1"), &text), "{text}: {:?}", verdict(Some(550), Some("5.7.1"), &text));
        }
    }
}

#[test]
fn more_words_or_another_code_keep_the_address_of_such_a_reply_alive() {
    let mut variants = 0;
    for words in ["No such user!", "Recipient address rejected: User unknown"] {
        for other in
            ["policy", "blocked by rule", "or access denied", "(policy)", "in this list of senders", "me@s.example"]
        {
            for text in [format!("5.7.1 {words} {other}"), format!("5.7.1 {other}: {words}")] {
                // The address of the recipient says nothing.
                assert_eq!(is_dead(Some(550), Some("5.7.1"), &text), other.contains('@'), "{text}");
                variants += 1;
            }
        }
        for code in ["5.7.26", "5.7.0", "5.2.2", "5.3.4", "4.7.1"] {
            assert!(!is_dead(Some(550), Some(code), words), "{code} {words}");
        }
        assert!(!is_dead(Some(450), Some("4.7.1"), &format!("5.7.1 {words}")), "{words}");
    }
    assert!(variants >= 20);
}

#[test]
fn a_refusal_of_the_network_of_the_sender_never_makes_an_address_dead() {
    let refusals = [
        "Mail refused - we do not accept mail from dynamic IP space",
        "We do not accept mail from residential IP ranges",
        "dynamic address, use your provider's server",
        "dynamically assigned addresses are not allowed to connect",
        "dial-up hosts must use a smarthost",
        "this system does not accept messages from your provider",
        "we do not accept email from hosts without a name",
    ];
    for words in refusals {
        for code in ["5.1.1", "5.1.0", "5.0.0"] {
            assert!(!is_dead(Some(550), Some(code), words), "{code} {words}");
        }
    }
}
