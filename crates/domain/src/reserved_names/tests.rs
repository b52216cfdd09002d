//! Tests of reserved names and what reads like them.

use super::*;

/// Spellings that people read as the same name.
fn confusables(name: &str) -> Vec<String> {
    let replaced = |from: char, to: &str| name.contains(from).then(|| name.replacen(from, to, 1));
    let fullwidth = |c: char| char::from_u32(u32::from(c) + 0xfee0).filter(|_| c.is_ascii_graphic()).unwrap_or(c);
    let mut all = vec![
        name.to_uppercase(),
        name.chars().map(fullwidth).collect(),
        name.chars().flat_map(|c| [c, '\u{200b}']).collect(),
        name.chars().map(String::from).collect::<Vec<_>>().join("."),
    ];
    let letters = [
        ('o', "0"),
        ('o', "о"),
        ('e', "е"),
        ('a', "а"),
        ('l', "1"),
        ('i', "і"),
        ('s', "ѕ"),
        ('p', "р"),
        ('u', "ü"),
        ('o', "o\u{308}"),
        ('r', "ⓡ"),
        ('s', "ſ"),
        ('n', "ⁿ"),
        ('m', "rn"),
    ];
    all.extend(letters.iter().filter_map(|(from, to)| replaced(*from, to)));
    all
}

fn operator() -> ReservedNames {
    ReservedNames::new(["agents.brandco.example", "mx1.brandco.example", "127.0.0.1"], &["Acme Mail".to_owned()])
}

#[test]
fn every_listed_name_reads_like_itself_only_once() {
    let mut seen = Vec::new();
    for name in NAMES.iter().flat_map(|(_, names)| *names) {
        let joined = Reading::of(name).joined().to_owned();
        assert!(!seen.contains(&joined), "{name}");
        seen.push(joined);
    }
    for name in report::DAEMON_LOCAL_PARTS {
        assert_ne!(ReservedNames::default().local_part(name), LocalPartHolder::Anyone, "{name}");
    }
}

#[test]
fn each_name_and_its_look_alikes_are_reserved_in_every_place() {
    let names = operator();
    for (kind, listed) in NAMES {
        for name in *listed {
            for written in confusables(name).into_iter().chain([(*name).to_owned()]) {
                let is_ascii =
                    written.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-.".contains(&b));
                if is_ascii && *kind != NameKind::Generic {
                    assert_ne!(names.local_part(&written), LocalPartHolder::Anyone, "{written}");
                }
                if is_ascii && !written.contains('.') {
                    assert!(names.is_handle(&written), "{written}");
                }
                let is_notice = *kind == NameKind::Notice && name.contains('-');
                let is_card = !matches!(kind, NameKind::Generic | NameKind::SharedRole | NameKind::Notice);
                assert_eq!(names.is_card_name(&written), is_card || is_notice, "{written}");
                assert_eq!(names.is_display_name(&written), *kind == NameKind::MailSystem || is_notice, "{written}");
            }
        }
    }
}

#[test]
fn names_of_the_service_and_its_operator_are_reserved_in_every_place() {
    let names = operator();
    for own in ["posthouse", "brandco", "acme mail"] {
        for written in confusables(own).into_iter().chain([own.to_owned()]) {
            assert!(names.is_display_name(&written) && names.is_card_name(&written), "{written}");
        }
        for around in [format!("{own} support"), format!("Your {own} team"), format!("help @ {own}")] {
            assert!(names.is_display_name(&around), "{around}");
        }
        let joined = own.replace(' ', "-");
        for written in [joined.clone(), format!("{joined}-help"), format!("the-{joined}"), own.replace(' ', "")] {
            assert!(names.is_handle(&written), "{written}");
            assert_ne!(names.local_part(&written), LocalPartHolder::Anyone, "{written}");
        }
    }
    for free in ["Acme", "Mail from Acme", "Support", "Posthouses", "Post House Inn", "Brand & Co. KG", "Agents of X"] {
        assert!(!names.is_display_name(free), "{free}");
    }
}

/// Ways to write a letter that people read as it, whatever the rest of the name is.
fn drawn(letter: char) -> Vec<String> {
    let nth = |first: u32| char::from_u32(first + u32::from(letter) - u32::from('a')).map(String::from);
    let mut all: Vec<String> = [0x1f130, 0x1f150, 0x1f170, 0x1f1e6, 0x24b6, 0x24d0, 0xff21, 0x1d400, 0x1d5a0, 0x1d670]
        .into_iter()
        .filter_map(nth)
        .collect();
    let more = match letter {
        'p' => "ᴘƤƥ₱ᵽṕπп",
        'o' => "ᴏøØɔöơσо",
        's' => "ꜱᵴşŝ$ȿ5",
        't' => "ᴛŧŦƭţτт7",
        'h' => "ʜħɦḧһн",
        'u' => "ᴜʉǔưυц",
        'e' => "ᴇɇëęεє3",
        'r' => "ʀɍřꞃг",
        'd' => "ᴅđɗďδ",
        'm' => "ᴍɱṁм",
        'a' => "ᴀⱥåąαа4",
        'n' => "ɴƞñңη",
        'i' => "ɪɨíιі1",
        'l' => "ʟłļɫ1",
        _ => "",
    };
    all.extend(more.chars().map(String::from));
    all
}

#[test]
fn names_of_the_service_with_other_letters_signs_and_digits_were_allowed() {
    let names = operator();
    for own in ["posthouse", "brandco", "mailer-daemon"] {
        let mut written: Vec<String> = Vec::new();
        for (at, letter) in own.char_indices().filter(|(_, letter)| letter.is_ascii_lowercase()) {
            let [start, end] = [&own[..at], &own[at + 1..]];
            written.extend(drawn(letter).iter().map(|other| format!("{start}{other}{end}")));
        }
        for first in [0x1f130, 0x1f150, 0x1f170, 0x1f1e6, 0x24b6, 0x1d5d4] {
            let letter = |c: char| char::from_u32(first + u32::from(c).wrapping_sub(u32::from('a'))).unwrap_or(c);
            written.push(own.chars().map(|c| if c == '-' { c } else { letter(c) }).collect());
        }
        for sign in ["™", "℠", "®", "©", "²", "⁴", "₂", "ᵀᴹ", "①", "24", " 24", " (2)", "٢4"] {
            written.push(format!("{own}{sign}"));
            written.push(format!("{} {sign}", own.to_uppercase()));
        }
        written.extend(["7", "24", "1-"].map(|digits| format!("{digits}{own}")));
        for name in written {
            assert!(names.is_display_name(&name) && names.is_card_name(&name), "{name}");
            assert!(names.is_display_name(&format!("The {name} team")) || own == "mailer-daemon", "{name}");
        }
    }
}

#[test]
fn names_of_the_service_inside_a_word_were_allowed() {
    let names = operator();
    for own in ["posthouse", "brandco"] {
        for word in [format!("my{own}"), format!("{own}securityteam"), format!("{own}e"), format!("team{own}ai")] {
            let is_inside = word.starts_with("team");
            assert_eq!(names.is_display_name(&word), !is_inside, "{word}");
            assert_eq!(names.local_part(&word) == LocalPartHolder::Operator, !is_inside, "{word}");
            assert_eq!(names.is_handle(&word), !is_inside, "{word}");
        }
    }
    for name in ["MyPosthouse", "PosthouseSecurityTeam", "Posthouse24", "Posтhouse", "Posτhouse", "PostHouse’s"] {
        assert!(names.is_display_name(name), "{name}");
    }
}

#[test]
fn addresses_of_the_service_were_display_names() {
    let local = ReservedNames::new(["agents.localhost", "localhost", "127.0.0.1"], &[]);
    for name in [
        "no-reply@agents.localhost",
        "agents.localhost",
        "Agents.Localhost",
        "<no-reply@agents.localhost>",
        "no-reply＠agents．localhost",
        "support at agents.localhost",
    ] {
        assert!(local.is_display_name(name), "{name}");
    }
    assert!(operator().is_display_name("no-reply@agents.brandco.example"));
    for free in ["ann@company.example", "localhost", "Agents", "Local Host Agents"] {
        assert!(!local.is_display_name(free), "{free}");
    }
}

#[test]
fn notices_of_mail_systems_with_more_words_were_display_names() {
    let names = operator();
    for name in [
        "Mail System",
        "MAIL-SYSTEM",
        "Mail Systеm",
        "Undelivered Mail Returned to Sender",
        "Delivery Status Notification",
        "Delivery Status Notification (Failure)",
        "System Administrator",
        "Returned mail",
        "Mail Delivery",
        "ՔՕՏΤHOUSE",
        "քosthouse",
        "POՏTHOUSE",
        "p()sthouse",
        "P[]sth{}use",
    ] {
        assert!(names.is_display_name(name), "{name}");
    }
    for name in ["Mail Delivery System 2", "Mailer-Daemon (agents)", "The Mail Delivery Subsystem", "maildaemon@x"] {
        assert!(names.is_display_name(name), "{name}");
    }
}

#[test]
fn ordinary_names_are_display_names() {
    let names = operator();
    for free in [
        "Müller",
        "Björk",
        "Søren Kierkegaard",
        "Łukasz",
        "O'Neil",
        "Đorđe Bošković",
        "İbrahim",
        "Nguyễn Văn A",
        "María José",
        "Zoë",
        "François",
        "Jürgen Groß",
        "Ægir",
        "Þór",
        "Иван Петров",
        "Почта России",
        "田中太郎",
        "محمد",
        "Δημήτρης",
        "Яндекс Bot",
        "Pat Postman",
        "Postma",
        "Posthumus",
        "Kim Posthoorn",
        "Hausmann",
        "Post",
        "House of Mail",
        "Posthouses",
        "Stagepost House",
        "Brandon Cole",
        "Brand Company",
        "Support",
        "Support 24/7",
        "Billing Team",
        "Security",
        "Agents",
        "Bot 2",
        "Ann 24",
        "Staf Janssens",
        "Mailer Inc.",
        "Daemon Hall",
        "Delivery Hero",
        "Mail Delivery by Ann",
        "System Sales",
        "Ann Lee, System Administrator",
        "Northwind Mail System",
        "Mail",
        "Bounce",
        "Invoices",
        "Payments",
        "Աննա",
        "Ann (Sales)",
        "Bounces Trampolines",
        "$ave Money",
        "No Reply Ltd",
        "€uro Shop™",
        "Shop²",
        "Example Corp.",
        "ann@company.example",
        "Acme™",
    ] {
        assert!(!names.is_display_name(free), "{free}");
    }
}

/// Local parts, and who may have them at the shared domain.
const LOCAL_PARTS: [(&str, LocalPartHolder); 90] = [
    ("mailer-daemon", LocalPartHolder::Service),
    ("mail-daemon", LocalPartHolder::Service),
    ("mail.delivery.system", LocalPartHolder::Service),
    ("bounces", LocalPartHolder::Service),
    ("noreply", LocalPartHolder::Service),
    ("no-reply", LocalPartHolder::Service),
    ("no.reply", LocalPartHolder::Service),
    ("n0-reply", LocalPartHolder::Service),
    ("posthouse", LocalPartHolder::Service),
    ("post.house", LocalPartHolder::Service),
    ("postmaster", LocalPartHolder::FirstWorkspace),
    ("abuse", LocalPartHolder::FirstWorkspace),
    ("security", LocalPartHolder::FirstWorkspace),
    ("support", LocalPartHolder::Operator),
    ("billing", LocalPartHolder::Operator),
    ("bi11ing", LocalPartHolder::Operator),
    ("sup_port", LocalPartHolder::Operator),
    ("posthouse1", LocalPartHolder::Service),
    ("posthou5e", LocalPartHolder::Service),
    ("noreply1", LocalPartHolder::Service),
    ("no-replyy", LocalPartHolder::Service),
    ("no-reply-team", LocalPartHolder::Service),
    ("the-no-reply", LocalPartHolder::Service),
    ("x-noreply", LocalPartHolder::Service),
    ("agents.no_reply.eu", LocalPartHolder::Service),
    ("my-mailer-daemon", LocalPartHolder::Service),
    ("agents-maildaemon", LocalPartHolder::Service),
    ("x.do-n0t-reply", LocalPartHolder::Service),
    ("casino-reply", LocalPartHolder::Anyone),
    ("no-late-reply", LocalPartHolder::Anyone),
    ("mailer-daemon2", LocalPartHolder::Service),
    ("vvebmaster", LocalPartHolder::FirstWorkspace),
    ("admin1", LocalPartHolder::FirstWorkspace),
    ("support24", LocalPartHolder::Operator),
    ("5upport", LocalPartHolder::Operator),
    ("supportteam", LocalPartHolder::Operator),
    ("support-team", LocalPartHolder::Operator),
    ("my-support", LocalPartHolder::Operator),
    ("accounts", LocalPartHolder::Operator),
    ("account-security", LocalPartHolder::Operator),
    ("login", LocalPartHolder::Operator),
    ("sign.in", LocalPartHolder::Operator),
    ("passw0rd", LocalPartHolder::Operator),
    ("password-reset", LocalPartHolder::Operator),
    ("account-recovery", LocalPartHolder::Operator),
    ("verification", LocalPartHolder::Operator),
    ("trust-and-safety", LocalPartHolder::Operator),
    ("posthouse-billing", LocalPartHolder::Operator),
    ("brandco", LocalPartHolder::Operator),
    ("agents", LocalPartHolder::Operator),
    ("mx1", LocalPartHolder::Operator),
    ("acme.mail", LocalPartHolder::Operator),
    ("ann", LocalPartHolder::Anyone),
    ("recovery", LocalPartHolder::Anyone),
    ("mailer", LocalPartHolder::Service),
    ("mail-delivery", LocalPartHolder::Service),
    ("maildelivery", LocalPartHolder::Service),
    ("mail.delivery1", LocalPartHolder::Service),
    ("delivery-failure", LocalPartHolder::Service),
    ("undeliverable", LocalPartHolder::Service),
    ("returned-mail", LocalPartHolder::Service),
    ("daemon", LocalPartHolder::Service),
    ("b0unce", LocalPartHolder::Service),
    ("dont-reply", LocalPartHolder::Service),
    ("payment", LocalPartHolder::Anyone),
    ("payments", LocalPartHolder::Anyone),
    ("1nvoices", LocalPartHolder::Anyone),
    ("refunds", LocalPartHolder::Anyone),
    ("alerts", LocalPartHolder::Anyone),
    ("notifications", LocalPartHolder::Anyone),
    ("safety", LocalPartHolder::Operator),
    ("kundendienst", LocalPartHolder::Operator),
    ("soporte", LocalPartHolder::Operator),
    ("unterstützung", LocalPartHolder::Operator),
    ("acme-invoices", LocalPartHolder::Anyone),
    ("invoice-bot", LocalPartHolder::Anyone),
    ("mailer-ann", LocalPartHolder::Anyone),
    ("bouncer", LocalPartHolder::Anyone),
    ("hello", LocalPartHolder::Anyone),
    ("info", LocalPartHolder::Anyone),
    ("supporter", LocalPartHolder::Anyone),
    ("acme-support", LocalPartHolder::Anyone),
    ("support-bot", LocalPartHolder::Anyone),
    ("acmerobot", LocalPartHolder::Anyone),
    ("posthouses", LocalPartHolder::Anyone),
    ("team", LocalPartHolder::Anyone),
    ("the-team", LocalPartHolder::Anyone),
    ("bot2", LocalPartHolder::Anyone),
    ("ann24", LocalPartHolder::Anyone),
    ("staf", LocalPartHolder::Anyone),
];

#[test]
fn a_local_part_of_the_shared_domain_has_one_kind_of_holder() {
    let names = operator();
    for (text, holder) in LOCAL_PARTS {
        assert_eq!(names.local_part(text), holder, "{text}");
    }
    assert_eq!(ReservedNames::default().local_part("brandco"), LocalPartHolder::Anyone);
}

#[test]
fn joined_words_of_roles_are_reserved_and_words_beside_them_name_somebody() {
    let names = ReservedNames::default();
    for reserved in [
        "support-eu",
        "eu-support",
        "eu.customer_support",
        "customer-support",
        "customersupport",
        "customer-service",
        "customercare",
        "customer-alerts",
        "notifications-eu",
        "alerts.us",
        "security-alerts",
        "billing-notifications",
        "support24",
        "support-24",
        "24-support-7",
        "billlng",
        "admln",
        "securlty-team",
        "b1lling",
        "sysadmin",
        "it-security",
        "ssl-admin",
        "trust-safety",
        "tech.support",
    ] {
        assert_ne!(names.local_part(reserved), LocalPartHolder::Anyone, "{reserved}");
    }
    for free in [
        "ana-support-team",
        "support-ana",
        "acme-support-eu",
        "support-bot",
        "customer",
        "customers",
        "my-alerts",
        "eu",
        "us-team",
        "eu-sales",
        "customer-bot",
        "client-anna",
        "callie",
        "bill",
        "trusty",
        "helper",
        "itsme",
        "supporters",
        "deus",
        "naat",
    ] {
        assert_eq!(names.local_part(free), LocalPartHolder::Anyone, "{free}");
    }
}
