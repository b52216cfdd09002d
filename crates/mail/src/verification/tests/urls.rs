//! URLs as programs and people write them, labels in many languages, and links of advertising. Generated.

use crate::verification::{FOREIGN_CONFIDENCE_MAX, VerificationInput, detect};

const TOKEN: &str = "Q7m2xVb9kTz4LrW8nYc3HsD6";

fn link_of(subject: &str, text: Option<&str>, html: Option<&str>) -> Option<String> {
    detect(&VerificationInput { subject, text, html, from: "hello@n.example" }).and_then(|found| found.link)
}

fn link(html: &str) -> Option<String> {
    link_of("Your account", None, Some(html))
}

fn text_link(text: &str) -> Option<String> {
    link_of("Your account", Some(text), None)
}

#[test]
fn labels_that_set_change_or_confirm_are_known_in_many_languages() {
    let (mut total, mut wrong) = (0, Vec::new());
    let table = include_str!("passwords.txt").lines().filter(|line| !line.starts_with('#'));
    for line in table {
        let mut parts = line.split('|').map(str::trim);
        let (language, sentence, label) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
        let url = format!("https://app.n.example/p/{TOKEN}");
        let footer = "<p><a href='https://n.example/privacy'>Privacy</a></p>";
        for (html, text) in [
            (format!("<p>{sentence}</p><p><a href=\"{url}\">{label}</a></p>{footer}"), String::new()),
            (
                format!(
                    "<p>Hi!</p><table><tr><td><a href=\"{url}\"><b>{label}</b></a></td></tr></table><p>{sentence}</p>"
                ),
                String::new(),
            ),
            (String::new(), format!("{sentence}\n\n{label}: {url}\n")),
            (String::new(), format!("{sentence}\n\n{label}\n{url}\n\nAcme\n")),
        ] {
            total += 1;
            let filled = |part: &str| (!part.is_empty()).then(|| part.to_owned());
            let found = link_of("Acme", filled(&text).as_deref(), filled(&html).as_deref());
            if found.as_deref() != Some(&*url) {
                wrong.push(format!("{language}: {found:?} for {label}: {html}{text}"));
            }
        }
    }
    assert!(total >= 400, "{total}");
    assert!(wrong.is_empty(), "{} of {total}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn hrefs_are_read_as_the_url_standard_says() {
    let url = format!("https://app.n.example/confirm?token={TOKEN}");
    let mut variants = 0;
    for (head, href) in [
        ("", url.clone()),
        ("", format!(" {url} ")),
        ("", url.replace("/confirm", "/con\nfirm")),
        ("", url.replace("token", "to\r\n ken").replace("\r\n ", "\r\n")),
        ("", url.replace("confirm?", "confirm?\t")),
        ("", format!("\n\t{url}\n")),
        ("", url.replace("https:", "")),
        ("", url.replace("https", "HTTPS")),
        ("<base href='https://app.n.example/'>", format!("confirm?token={TOKEN}")),
        ("<base href='https://app.n.example/a/b'>", format!("/confirm?token={TOKEN}")),
        ("<base href=\"https://app.n.example/x/y?z\">", format!("../confirm?token={TOKEN}")),
    ] {
        for quote in ['"', '\''] {
            for label in ["Confirm your email", "Reset password"] {
                let html = format!(
                    "<html><head>{head}</head><p>Your account</p><a href={quote}{href}{quote}>{label}</a></html>"
                );
                let found = link(&html).map(|found| found.replace("HTTPS", "https"));
                assert_eq!(found.as_deref(), Some(&*url), "{html:?}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
    for href in [
        "#confirm",
        "javascript:confirm(1)",
        "mailto:a@b.example",
        "data:text/html,confirm",
        "confirm?token=abc123def456",
    ] {
        assert_eq!(link(&format!("<p>Your account</p><a href='{href}'>Confirm your email</a>")), None, "{href}");
    }
}

#[test]
fn urls_in_text_are_unescaped_joined_and_cut_at_other_scripts() {
    let url = format!("https://app.n.example/confirm?u=12&token={TOKEN}&lang=en");
    let (first, rest) = url.split_at(40);
    let mut variants = 0;
    for before in [
        "Please confirm your email address:",
        "Bitte bestätigen Sie Ihre E-Mail-Adresse:",
        "メールアドレスを確認してください。",
    ] {
        for written in [
            url.clone(),
            url.replace('&', "&amp;"),
            format!("<{url}>"),
            format!("<{first}\n{rest}>"),
            format!("<{first}\n   {rest}>"),
            format!("<URL:{url}>"),
            format!("{url}をクリック"),
            format!("{url}点击确认"),
            format!("{url}कृपया"),
            format!("{url}Нажмите"),
            format!("{url}."),
            format!("{url}）"),
        ] {
            for text in [format!("{before}\n\n{written}\n\nThanks"), format!("{before} {written}\n\nThanks")] {
                assert_eq!(text_link(&text).as_deref(), Some(&*url), "{text}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
    for width in [72, 76, 78] {
        for extra in 0..6 {
            let long = format!(
                "https://app.n.example/confirm/{TOKEN}{}/{TOKEN}{}",
                "a1B2".repeat(8 + extra),
                "c".repeat(extra)
            );
            let (first, rest) = long.split_at(width);
            let text = format!("Please confirm your email address:\n\n{first}\n{rest}\n\nThanks");
            assert_eq!(text_link(&text).as_deref(), Some(&*long), "{text}");
        }
    }
    // A line of text below a URL isn't part of it.
    let long = format!("https://app.n.example/confirm/{}", "a1B2".repeat(12));
    for below in ["Thanks", "Regards, Ann", "https://n.example/help"] {
        assert_eq!(text_link(&format!("Please confirm your email:\n{long}\n{below}\n")).as_deref(), Some(&*long));
    }
}

#[test]
fn short_links_are_personal_next_to_a_request() {
    let mut variants = 0;
    for path in [
        "/confirm/AB12",
        "/verify/7Q2K",
        "/c/confirm/x9Z1",
        "/activate/K7P4QX",
        "/v/AB12",
        "/confirm?c=AB12",
        "/verify/123456",
    ] {
        for (sentence, label) in [
            ("Please confirm your email address.", "Confirm email"),
            ("Bitte bestätigen Sie Ihre E-Mail-Adresse.", "E-Mail bestätigen"),
            ("Confirmez votre adresse e-mail.", "Confirmer"),
        ] {
            let url = format!("https://n.example{path}");
            let html = format!("<p>{sentence}</p><a href='{url}'>{label}</a><a href='https://n.example/help'>Help</a>");
            assert_eq!(link(&html).as_deref(), Some(&*url), "{html}");
            assert_eq!(text_link(&format!("{sentence}\n{url}\n")).as_deref(), Some(&*url));
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

/// Labels in advertising.
const OFFERS: [&str; 16] = [
    "Join Now",
    "Sign up",
    "Sign up now",
    "Sign up for more free newsletters",
    "Get started",
    "Register today",
    "Log in",
    "Join free",
    "Register now and save",
    "Jetzt anmelden",
    "Jetzt registrieren",
    "Inscrivez-vous",
    "Regístrate gratis",
    "Iscriviti ora",
    "Зарегистрироваться",
    "Continue to the offer",
];

#[test]
fn links_of_advertising_are_no_verification_links() {
    let urls = [
        "http://us.click.ads.example/pt6YBB/NXiEAA/mG3HAA/7gSolB/TM",
        "http://click.ads.example/Click?q=71-GwdUIEZcfHlsIRmqwuBXvl3NU2rR",
        "https://links.n.example/ls/click?upn=u001.Abc9dEf8GhIjKlMn0pQrStUv",
        "https://n.example/e/8a7b6c5d4e3f2a1b9c8d",
    ];
    let (mut total, mut wrong) = (0, Vec::new());
    for url in urls {
        for label in OFFERS {
            for body in [
                "<p>4 DVDs free. {}</p><p>To unsubscribe from this group, mail us. Your account settings are online.</p>",
                "<p>Career news.</p><p>{}</p><p>The e-mail address for your subscription is bob@b.example. Log in to change it.</p>",
                "<h1>Our autumn collection</h1><p>New shoes for you.</p><p>{}</p><p>You get this mail because you have an account. <a href='https://n.example/u/8a7b6c5d4e3f2a1b9c8d'>Unsubscribe</a></p>",
                "<p>Read the latest stories of the week.</p>{}<p>Manage your account or <a href='https://n.example/u/8a7b6c5d4e3f2a1b9c8d'>unsubscribe</a>.</p>",
            ] {
                let html = body.replace("{}", &format!("<a href=\"{url}\">{label}</a>"));
                total += 1;
                let found = link_of("Weekly news", None, Some(&html));
                wrong.extend(found.map(|_| format!("{label}: {html}")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {total}:\n{}", wrong.len(), wrong.join("\n"));
    for href in [
        "https://apps.apple.com/app/id8a7b6c5d4e3f2a1b",
        "https://play.google.com/store/apps/details?id=8a7b6c5d4e3f2a1b9c8d",
        "https://www.facebook.com/8a7b6c5d4e3f2a1b9c8d",
        "https://n.example/unsubscribe/8a7b6c5d4e3f2a1b9c8d",
        "https://twitter.com/n?t=8a7b6c5d4e3f2a1b",
        "https://www.instagram.com/8a7b6c5d4e3f2a1b9c8d",
        "https://wa.me/8a7b6c5d4e3f2a1b9c8d",
        "https://www.tiktok.com/@8a7b6c5d4e3f2a1b9c8d",
    ] {
        for label in ["Join us", "Get the app", "Sign in", "Follow", "<img alt='Sign up' src=x>"] {
            let html = format!("<p>Welcome to your account.</p><a href='{href}'>{label}</a>");
            assert_eq!(link(&html), None, "{html}");
        }
    }
}

#[test]
fn sign_in_links_of_account_mail_are_still_found() {
    let mut variants = 0;
    for url in
        [format!("https://n.example/magic/{TOKEN}"), format!("https://links.n.example/ls/click?upn=u001.{TOKEN}")]
    {
        for (subject, sentence, label) in [
            (
                "Sign in to Acme",
                "Click the button below to sign in to your account. The link expires in 10 minutes.",
                "Sign in",
            ),
            ("Your login link", "Use this link to log in. It works once.", "Log in"),
            ("Log in to Acme", "Here is your login link:", "Log in to Acme"),
            ("Anmeldung bei Acme", "Klicken Sie auf den Link, um sich anzumelden.", "Jetzt anmelden"),
            ("Complete your registration", "Please complete your registration for Acme.", "Complete registration"),
            ("Finish signing up for Acme", "Click below to finish signing up.", "Sign up"),
            (
                "You're invited to Acme",
                "Ann invited you to join her workspace. Accept the invitation to create your account.",
                "Join now",
            ),
            ("Connexion à Acme", "Cliquez sur ce lien pour vous connecter à votre compte.", "Se connecter"),
        ] {
            for footer in
                ["", "<p><a href='https://n.example/help'>Help</a> <a href='https://n.example/privacy'>Privacy</a></p>"]
            {
                let html = format!("<p>Hi,</p><p>{sentence}</p><p><a href='{url}'>{label}</a></p>{footer}");
                assert_eq!(link_of(subject, None, Some(&html)).as_deref(), Some(&*url), "{subject}: {html}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn a_link_of_another_party_is_never_likely() {
    let mut variants = 0;
    for host in [
        "login.bank.example.evil.example",
        "evil.example",
        "n.example.evil.example",
        "xn--n-exmple-cua.example",
        "192.0.2.7",
        "notn.example",
    ] {
        for label in ["Verify your account", "Confirm your email", "Reset password", "Unlock account"] {
            let html = format!(
                "<p>Your account was locked. Verify it now.</p><a href='https://{host}/verify?token={TOKEN}'>{label}</a>"
            );
            let found = detect(&VerificationInput {
                subject: "Verify your account",
                html: Some(&html),
                from: "support@n.example",
                text: None,
            });
            if let Some(found) = found {
                assert!(
                    found.confidence <= FOREIGN_CONFIDENCE_MAX && FOREIGN_CONFIDENCE_MAX <= 0.5,
                    "{html}: {found:?}"
                );
            }
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn the_answer_says_why() {
    let url = format!("https://n.example/x/{TOKEN}");
    let cases = [
        ("Acme", "Hi\n\n@n.example #605837\n".to_owned(), "code_bound"),
        ("Acme", "Your verification code is 605837.".to_owned(), "code_named"),
        ("Sign in to your account", "Enter this:\n\n605837\n".to_owned(), "code_shown"),
        ("Your account", format!("Your account\n\n[Confirm email]({url})\n"), "link_label"),
        ("Please confirm", format!("We got a request.\n\n[Approve]({url})\n[Deny]({url}/no)\n"), "link_answer"),
        (
            "Your account",
            format!(
                "Ann from Acme has made an account for you at the end of last week: https://n.example/verify?token={TOKEN}"
            ),
            "link_url",
        ),
        ("Your account", format!("Please open this link to confirm your email address:\n\n{url}\n"), "link_text"),
    ];
    for (subject, text, reason) in cases {
        let found = detect(&VerificationInput { subject, text: Some(&text), html: None, from: "hello@n.example" });
        assert_eq!(found.map(|found| found.reason.text()), Some(reason), "{text}");
    }
}

#[test]
fn mail_that_is_sent_to_many_needs_an_account_above_the_link() {
    let url = format!("https://links.n.example/ls/click?upn=u001.{TOKEN}");
    let footer = "<p>You get this mail at bob@b.example because you have an account. Log in to change your password or settings, or \
                  <a href='https://n.example/u/8a7b6c5d4e3f2a1b9c8d'>unsubscribe</a>.</p>";
    let mut variants = 0;
    for label in [
        "Activate now",
        "Activate your discount",
        "Confirm your spot",
        "Unlock the offer",
        "Verify your eligibility",
        "Jetzt aktivieren",
        "Join Now",
        "Accept the challenge",
    ] {
        for text in [
            "Our autumn collection is here.",
            "Win a trip to Rome this weekend.",
            "Read the five best stories of the week.",
        ] {
            let html = format!("<h1>News</h1><p>{text}</p><p><a href=\"{url}\">{label}</a></p>{footer}");
            assert_eq!(link_of("Weekly news", None, Some(&html)), None, "{html}");
            variants += 1;
        }
    }
    for (subject, text, label) in [
        ("Please confirm your subscription", "Thanks for your interest in our newsletter.", "Yes, subscribe me"),
        ("Confirm your email", "One more step.", "Confirm"),
        ("Welcome to Acme", "Please verify your email address to finish.", "Verify"),
        ("Reset your password", "You asked for it.", "Reset password"),
        ("Acme", "Please confirm your email address to get our newsletter.", "Confirm email"),
    ] {
        let html = format!(
            "<h1>Acme</h1><p>{text}</p><p><a href=\"https://n.example/confirm/{TOKEN}\">{label}</a></p>{footer}"
        );
        assert!(link_of(subject, None, Some(&html)).is_some(), "{html}");
        variants += 1;
    }
    assert!(variants >= 20);
}
