//! Codes in front of a verb, in columns and in receipts, years that are codes, and labels that join a team.

use crate::verification::{VerificationInput, detect};

fn found(subject: &str, text: Option<&str>, html: Option<&str>) -> (Option<String>, Option<String>) {
    let input = VerificationInput { subject, text, html, from: "no-reply@acme.example" };
    detect(&input).map_or((None, None), |found| (found.code, found.link))
}

fn code_of_text(subject: &str, text: &str) -> Option<String> {
    found(subject, Some(text), None).0
}

#[test]
fn code_in_front_of_the_verb_is_found_where_the_mail_is_about_signing_in() {
    let german = ["melden Sie sich an.", "loggst du dich ein.", "bestätigst du deine Anmeldung.", "geht es weiter."];
    let others = [
        ("Inloggen bij Acme", "Met", "log je in."),
        ("Inloggning", "Med", "loggar du in."),
        ("Logg inn", "Med", "logger du inn."),
        ("Connexion à Acme", "Avec", ", vous vous connectez."),
        ("Iniciar sesión en Acme", "Con", "inicias sesión."),
        ("Accesso", "Con", "accedi al tuo account."),
        ("Login", "Com", "você faz login."),
        ("Sign in to Acme", "With", "you sign in to Acme."),
    ];
    let german = german.map(|verb| ("Anmeldung bei Acme", "Mit", verb));
    let mut variants = 0;
    for (subject, means, verb) in german.into_iter().chain(others) {
        for code in ["882019", "48213", "50718823"] {
            let sentence = format!("{means} {code} {verb}").replace(" ,", ",");
            for text in [sentence.clone(), format!("Hello Dana,\n\n{sentence}\n\nAcme"), format!("Hello. {sentence}")] {
                assert_eq!(code_of_text(subject, &text).as_deref(), Some(code), "{subject}: {text}");
                variants += 1;
            }
            let news = format!("News\n\n{means} 882019 Kunden sind wir die Nummer eins.");
            assert_eq!(code_of_text("News of the week", &news), None);
        }
    }
    for text in ["Mit 882019 Followern melden Sie sich an.", "Wir melden mit 882019 gute Zahlen.", "Mit 8820 geht es."]
    {
        assert_eq!(code_of_text("Anmeldung bei Acme", text), None, "{text}");
    }
    assert!(variants >= 100);
}

#[test]
fn code_below_the_label_of_its_column_is_found() {
    const LABELS: [&str; 6] = [
        "Verification code",
        "Security code",
        "One-time code",
        "Bestätigungscode",
        "Code de vérification",
        "Código de verificación",
    ];
    let table = |rows: [[&str; 2]; 2], cell: &str| {
        let row = |cells: [&str; 2]| cells.map(|text| format!("<{cell}>{text}</{cell}>")).concat();
        format!("<p>Hello,</p><table><tr>{}</tr><tr>{}</tr></table><p>Bye</p>", row(rows[0]), row(rows[1]))
    };
    for label in LABELS {
        for (other, value) in [("Expires", "10 minutes"), ("Account", "dana@n.example"), ("Requested at", "10:22")] {
            for cell in ["td", "th"] {
                for code in ["482913", "7K4M2P"] {
                    for html in
                        [table([[label, other], [code, value]], cell), table([[other, label], [value, code]], cell)]
                    {
                        assert_eq!(found("Acme", None, Some(&html)).0.as_deref(), Some(code), "{html}");
                    }
                }
            }
        }
    }
    for label in ["Product code", "Order", "Code", "Booking code", "Discount code", "Zip code"] {
        let html = table([[label, "Quantity"], ["482913", "2"]], "td");
        assert_eq!(found("Your order", None, Some(&html)).0, None, "{html}");
    }
}

#[test]
fn year_is_a_code_where_it_is_named_as_the_readers() {
    const CODES: [&str; 10] = [
        "{} is your Uber code",
        "{} is your Acme code.",
        "{} is your code",
        "Your Uber code is {}. Never share this code.",
        "{} ist dein Code",
        "{} est votre code Uber",
        "{} es tu código de Uber",
        "Use {} as your code to log in.",
        "Enter code {} to sign in",
        "Your code: {}",
    ];
    const OTHERS: [&str; 9] = [
        "{} is the year of code.",
        "{} is your year to code.",
        "Our code of conduct {}",
        "Copyright {} Acme code",
        "Code of conduct, edition {}",
        "Building code {} applies",
        "The {} dress code",
        "In {} your code runs everywhere.",
        "{} is your chance to learn the code of success",
    ];
    for year in ["1984", "2019", "2026", "2047"] {
        for text in CODES {
            assert_eq!(code_of_text("", &text.replace("{}", year)).as_deref(), Some(year), "{text}");
        }
        for text in OTHERS {
            assert_eq!(code_of_text("News", &text.replace("{}", year)), None, "{text}");
        }
    }
}

#[test]
fn code_with_which_a_bank_approved_a_payment_is_no_code() {
    const NAMES: [&str; 9] = [
        "Authorization code",
        "Auth code",
        "Approval Code",
        "Genehmigungscode",
        "Code d'autorisation",
        "Código de autorización",
        "Codice autorizzazione",
        "Autorisatiecode",
        "Kod autoryzacji",
    ];
    const AMOUNTS: [&str; 4] = ["Amount: $12.40", "Total 12,40 EUR", "Betrag: EUR 12,40", "£12.40"];
    for name in NAMES {
        for amount in AMOUNTS {
            for code in ["048213", "72A9B1"] {
                for text in [
                    format!("Card receipt\n{amount}\n{name}: {code}\nCard: **** 4821\nApproved"),
                    format!("{name} {code}\nRef 93821\n{amount}\nThank you"),
                    format!("Receipt\n\n{name}\n{code}\n\n{amount}"),
                ] {
                    assert_eq!(code_of_text("Your receipt", &text), None, "{text}");
                }
            }
        }
    }
    // A code that approves a payment is to be entered.
    for text in [
        "Enter this code to pay $12.40.\nAuthorization code: 482913",
        "Authorization code: 482913\nIt is valid for 5 minutes.\nAmount: 12,40 EUR",
        "Amount: $12.40\nAuthorization code: 482913\nNever share this code with anyone.",
        "Authorization code: 482913",
    ] {
        assert_eq!(code_of_text("Confirm your payment", text).as_deref(), Some("482913"), "{text}");
    }
}

#[test]
fn label_that_joins_a_team_accepts_an_invitation_even_in_mail_to_many() {
    const LABELS: [&str; 8] = [
        "Join the team",
        "Join team",
        "Join workspace",
        "Join the workspace",
        "Join organization",
        "Join the project",
        "Dem Team beitreten",
        "Dem Arbeitsbereich beitreten",
    ];
    // Labels that advertising has too.
    const INVITED: [(&str, &str); 5] = [
        ("Join now", "invite"),
        ("Join now", "invitations"),
        ("Sign up", "invite"),
        ("Get started", "invite"),
        ("Jetzt anmelden", "invite"),
    ];
    let leave = "<p><a href='https://acme.example/unsubscribe/x1'>Unsubscribe</a> from these emails.</p>";
    let token = "Q7m2xVb9kTz4LrW8nYc3HsD6";
    for label in LABELS {
        for subject in ["Ann invited you to Acme", "Ann Doe wants to work with you", "Einladung von Ann"] {
            let html = |url: &str| format!("<p>Ann Doe invited you.</p><a href='{url}'>{label}</a>{leave}");
            let invitation = format!("https://acme.example/invite/{token}");
            assert_eq!(found(subject, None, Some(&html(&invitation))).1, Some(invitation), "{subject} {label}");
        }
        for (label, route) in INVITED {
            let url = format!("https://acme.example/{route}/{token}");
            let html = format!("<p>Ann Doe invited you to work in Acme.</p><a href='{url}'>{label}</a>");
            assert_eq!(found("Ann Doe invited you to Acme", None, Some(&html)).1, Some(url), "{html}");
        }
        let html = format!("<p>We are hiring.</p><a href='https://click.acme.example/c/{token}'>{label}</a>{leave}");
        assert_eq!(found("News of October", None, Some(&html)).1, None, "{html}");
    }
}
