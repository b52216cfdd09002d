//! Advertising for events, which asks to complete a registration as mail about an account does.

use crate::verification::{VerificationInput, detect};

const LINK: &str = "https://acme.example/go?u=Qm9va21hcmtfYWJjZGVmMTIzNDU2Nzg5MA";

/// Subjects or sentences, labels and footers of mail to many.
const EVENTS: [(&str, &str, &str); 20] = [
    ("Complete your registration for the summit", "Complete registration", "Unsubscribe"),
    ("Last chance: finish your registration", "Finish registration", "Unsubscribe"),
    ("Registrierung abschließen und Platz sichern", "Registrierung abschließen", "Newsletter abbestellen"),
    ("Messe 2026: Anmeldung abschließen", "Jetzt Registrierung abschließen", "Abmelden"),
    ("Finalisez votre inscription au salon", "Finaliser mon inscription", "Se désabonner"),
    ("Completa tu registro al congreso", "Completar registro", "Darse de baja"),
    ("Conclua sua inscrição no evento", "Concluir inscrição", "Cancelar inscrição"),
    ("Completa la registrazione alla fiera", "Completa la registrazione", "Annulla l'iscrizione"),
    ("Voltooi je registratie voor de beurs", "Registratie voltooien", "Uitschrijven"),
    ("Slutför registreringen till mässan", "Slutför registreringen", "Avregistrera"),
    ("Fullfør registreringen til messen", "Fullfør registreringen", "Meld deg av"),
    ("Fuldfør tilmeldingen til messen", "Fuldfør tilmelding", "Afmeld"),
    ("Dokończ rejestrację na targi", "Dokończ rejestrację", "Wypisz się"),
    ("Dokončit registraci na veletrh", "Dokončit registraci", "Odhlásit odběr"),
    ("Завершите регистрацию на выставку", "Завершить регистрацию", "Отписаться"),
    ("Завершити реєстрацію на виставку", "Завершити реєстрацію", "Відписатися"),
    ("Fuar için kaydınızı tamamlayın", "Kaydı tamamla", "Listeden çık"),
    ("展示会の登録を完了してください", "登録を完了する", "配信停止"),
    ("请完成注册展会", "完成注册", "退订"),
    ("Umfrage", "Jetzt bestätigen", "Newsletter abbestellen"),
];

fn link_of(subject: &str, html: &str) -> Option<String> {
    let from = "Acme <no-reply@acme.example>";
    detect(&VerificationInput { subject, text: None, html: Some(html), from }).and_then(|found| found.link)
}

fn mail(text: &str, label: &str, footer: &str) -> String {
    let leave = "https://acme.example/u/Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZg";
    format!(
        "<p>{text}</p><p><a href='{LINK}'>{label}</a></p><p>Acme, 12 Main St</p><p><a href='{leave}'>{footer}</a></p>"
    )
}

#[test]
fn completing_the_registration_for_an_event_is_no_verification() {
    for (subject, label, footer) in EVENTS {
        for text in ["Acme 2026. Halle 4, B12.", "10.000 m², 200 x 100.", "18.11. - 20.11.2026, Messe Frankfurt"] {
            assert_eq!(link_of(subject, &mail(text, label, footer)), None, "{subject}: {text}");
        }
    }
}

#[test]
fn completing_the_registration_of_an_account_is_verification() {
    let accounts = [
        ("Please confirm your email address to activate your account.", "Unsubscribe"),
        ("Bitte bestätigen Sie Ihre E-Mail-Adresse, um Ihr Konto zu nutzen.", "Newsletter abbestellen"),
        ("Confirmez votre adresse e-mail pour activer votre compte.", "Se désabonner"),
    ];
    for (subject, label, _) in EVENTS {
        for (text, footer) in accounts {
            assert_eq!(link_of(subject, &mail(text, label, footer)).as_deref(), Some(LINK), "{subject}: {text}");
        }
    }
    // Without the footer of mail to many, the label says enough.
    for (subject, label) in [
        ("Registrierung abschließen", "Registrierung abschließen"),
        ("Complete your registration", "Complete registration"),
    ] {
        assert_eq!(link_of(subject, &format!("<p>Hi Ann</p><a href='{LINK}'>{label}</a>")).as_deref(), Some(LINK));
    }
}
