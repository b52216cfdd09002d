//! Codes of things and groups of people, and links that activate an offer: they look like those for signing in.

use crate::verification::{VerificationInput, detect};

fn code(subject: &str, text: &str) -> Option<String> {
    detect(&VerificationInput { subject, text: Some(text), ..VerificationInput::default() })
        .and_then(|found| found.code)
}

fn link(subject: &str, html: &str) -> Option<String> {
    detect(&VerificationInput { subject, html: Some(html), from: "a@acme.example", ..VerificationInput::default() })
        .and_then(|found| found.link)
}

/// Names of codes of things and people, and texts that state one.
const NAMES: [&str; 18] = [
    "Probandencode",
    "Teilnahmecode",
    "Fragebogencode",
    "Schülercode",
    "Patientencode",
    "Ablesecode",
    "Materialcode",
    "customs code",
    "survey code",
    "participant code",
    "supplier code",
    "ledger code",
    "order code",
    "deelnemerscode",
    "code fiscal",
    "code client",
    "codice fornitore",
    "código de producto",
];
const STATEMENTS: [&str; 4] = [
    "{}: 48213\nTermin am 3.12. um 10:00",
    "{} 48213\nRaum 2.014",
    "Ihr {} ist 48213. Bitte auf dem Bogen notieren.",
    "Details\n\n{}\n48213\n\nBis bald",
];

#[test]
fn codes_of_things_are_none_for_signing_in() {
    let mut variants = 0;
    for name in NAMES {
        for statement in STATEMENTS {
            let text = statement.replace("{}", name);
            assert_eq!(code("Unterlagen", &text), None, "{text}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn the_same_names_are_for_signing_in_if_the_mail_asks_for_them() {
    for name in
        ["Probandencode", "Schülercode", "Ablesecode", "customs code", "supplier code", "ledger code", "meter code"]
    {
        for ask in ["Enter it on the sign-in page.", "It expires in 10 minutes.", "Do not share this code with anyone."]
        {
            let text = format!("Your {name} for the login: 482913\n{ask}");
            assert_eq!(code("Sign in", &text).as_deref(), Some("482913"), "{text}");
        }
    }
}

#[test]
fn compounds_about_accounts_and_brands_stay_codes() {
    for name in [
        "Gerätecode",
        "Einmalcode",
        "Anmeldecode",
        "Zugangscode",
        "Freischaltcode",
        "Sicherheitscode",
        "Bestätigungscode",
        "Prüfcode",
        "SMS-Code",
        "Acme-Code",
        "Login-Code",
        "inlogcode",
        "verificatiecode",
        "engangskode",
        "bekreftelseskode",
        "kinnituskood",
        "Verbindungscode",
        "device code",
        "pairing code",
        "security code",
    ] {
        let text = format!("Hallo Jana,\n\n{name}: 482913\n\nDer Code gilt für Ihr Konto.");
        assert_eq!(code("Ihr Konto", &text).as_deref(), Some("482913"), "{text}");
    }
}

/// Labels that activate an offer, with what is above them.
const OFFERS: [(&str, &str); 20] = [
    ("Upgrade aktivieren", "Nutze alle Funktionen von Premium."),
    ("Tarif aktivieren", "Jetzt 200 GB zum halben Preis."),
    ("Angebot aktivieren", "Nur noch 3 Tage: 50 % auf Pro."),
    ("Jetzt aktivieren", "Mehr Speicher, weniger zahlen."),
    ("Activate free trial", "Try Premium free for 30 days."),
    ("Activate Pro", "More power for your team."),
    ("Unlock deal", "Everything 40% off."),
    ("Claim your reward", "A gift is waiting."),
    ("Activer mon offre", "Vos 3 mois offerts vous attendent."),
    ("Activar descuento", "Un 25 % te espera."),
    ("Activar prueba gratis", "Llévate 3 meses por 1 €."),
    ("Attiva ora la promozione", "Solo fino a domenica."),
    ("Activeer je voordeel", "Korting voor leden."),
    ("Aktywuj pakiet", "Tylko dziś 50 GB więcej."),
    ("Aktivovat nabídku", "Data za polovic."),
    ("Активировать скидку", "Год по цене полугода."),
    ("Kampanyayı etkinleştir", "Yüzde 50 indirim."),
    ("特典を有効化", "今だけ半額。"),
    ("激活优惠", "全场五折。"),
    ("Register now", "Early bird ends Friday."),
];

/// Labels of real activations, with what is above them.
const ACTIVATIONS: [(&str, &str); 14] = [
    ("Activate now", "Thanks for creating an account. One more step."),
    ("Activate account", "Your account is ready."),
    ("Aktivieren", "Bitte aktivieren Sie Ihr Benutzerkonto."),
    ("Konto aktivieren", "Willkommen bei Acme."),
    ("Activer mon compte", "Merci pour votre inscription."),
    ("Activar cuenta", "Gracias por registrarte."),
    ("Attiva", "Attiva il tuo account per continuare."),
    ("Activeer account", "Welkom bij Acme."),
    ("Aktywuj konto", "Witamy w Acme."),
    ("Активировать аккаунт", "Добро пожаловать."),
    ("アカウントを有効化", "ご登録ありがとうございます。"),
    ("激活账户", "感谢您的注册。"),
    ("Unlock account", "Your account was locked after 5 attempts."),
    ("Confirm email and start trial", "Please confirm your email address to start your free trial."),
];

#[test]
fn links_that_activate_an_offer_are_not_for_verification() {
    let token = "8f2a9c1b7d4e5f60718293a4b5c6d7e8";
    for (path, subject) in [("upgrade/activate?c=", "News"), ("c/", "Nur heute"), ("activate/", "Hello Dana")] {
        let url = format!("https://acme.example/{path}{token}");
        let mail = |label, text| format!("<p>{text}</p><p><a href=\"{url}\">{label}</a></p><p>Acme Ltd</p>");
        for (label, text) in OFFERS {
            assert_eq!(link(subject, &mail(label, text)), None, "{label}: {text}");
        }
        for (label, text) in ACTIVATIONS {
            assert_eq!(link("Acme", &mail(label, text)).as_deref(), Some(&*url), "{label}: {text}");
        }
    }
}
