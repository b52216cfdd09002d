//! Codes that a sentence states or asks to type, codes in columns, and what only looks like them.

use crate::verification::{VerificationInput, detect};

fn code_of(subject: &str, text: &str) -> Option<String> {
    let from = "Acme <noreply@acme.example>";
    detect(&VerificationInput { subject, text: Some(text), html: None, from }).and_then(|found| found.code)
}

fn code_of_html(subject: &str, html: &str) -> Option<String> {
    let from = "Acme <noreply@acme.example>";
    detect(&VerificationInput { subject, text: None, html: Some(html), from }).and_then(|found| found.code)
}

#[test]
fn capitals_are_codes_where_a_sentence_about_an_account_asks_to_type_them() {
    const SENTENCES: [(&str, &str); 10] = [
        ("Sign in to Acme", "Enter {} on the sign-in page to continue."),
        ("Your login", "Hi Ann,\n\nType {} to finish signing in.\n\nThanks"),
        ("Confirm your email", "Copy and paste {} into the window to confirm your email address."),
        ("Anmeldung bestätigen", "Geben Sie {} ein, um Ihre Anmeldung zu bestätigen."),
        ("Connexion", "Saisissez {} pour vous connecter."),
        ("Iniciar sesión", "Introduce {} para iniciar sesión en tu cuenta."),
        ("Inloggen", "Vul {} in om in te loggen."),
        ("Accedi", "Inserisci {} per accedere al tuo account."),
        ("Logowanie", "Wpisz {}, aby się zalogować."),
        ("Activate your TV", "Go to acme.example/tv and enter {} to authorize your device."),
    ];
    for (subject, sentence) in SENTENCES {
        for code in ["XKCDB", "QWJTR", "BDFGHK", "KHQAXD", "ZRTPLWN"] {
            assert_eq!(code_of(subject, &sentence.replace("{}", code)).as_deref(), Some(code), "{sentence}");
        }
    }
}

#[test]
fn words_and_acronyms_that_one_types_are_no_codes() {
    const SENTENCES: [(&str, &str); 7] = [
        ("Sign in", "Enter {} as the company to log in."),
        ("Your account", "To confirm, type {} in the box and sign in again."),
        ("Setup", "Use {} to sign in to your account."),
        ("Anmeldung", "Geben Sie {} ein, um die Anmeldung zu testen."),
        ("Deal", "Enter {} when you sign up to get 20 % off."),
        ("Offer", "Use {} at checkout to join."),
        ("Connexion", "Utilisez {} pour vous connecter au serveur."),
    ];
    for (subject, sentence) in SENTENCES {
        for word in ["ACME", "DELETE", "HTTPS", "XHTML", "OAUTH", "SFTP", "ADMIN", "WEBAUTHN"] {
            assert_eq!(code_of(subject, &sentence.replace("{}", word)), None, "{sentence} {word}");
        }
    }
    // A mail about nothing of an account asks for something else.
    assert_eq!(code_of("Your order", "Enter XKCDB in the form to confirm."), None);
}

#[test]
fn a_code_is_found_in_front_of_what_it_is_valid_for() {
    const SENTENCES: [&str; 34] = [
        "{} ist gültig für Ihre Anmeldung.",
        "{} bestätigt Ihre Anmeldung.",
        "{} gilt für Ihren Login und ist fünf Minuten gültig.",
        "{} is valid for your login.",
        "Acme: {} is valid for your login.",
        "Hello Ann. {} will sign you in to Acme.",
        "{} can be used to verify your account.",
        "{} est valable pour votre connexion.",
        "{} es válido para tu inicio de sesión.",
        "{} è valido per il tuo accesso.",
        "{} é válido para o seu login.",
        "{} is geldig voor uw aanmelding.",
        "{} är giltig för din inloggning.",
        "{} er gyldig for innloggingen din.",
        "{} er gyldig til dit login.",
        "{} on voimassa kirjautumistasi varten.",
        "{} jest ważny dla Twojego logowania.",
        "{} je platný pro vaše přihlášení.",
        "{} je platný pre vaše prihlásenie.",
        "{} vrijedi za vašu prijavu.",
        "{} действителен для входа в ваш аккаунт.",
        "{} дійсний для входу до вашого акаунта.",
        "{} hesabınıza giriş için geçerlidir.",
        "{} érvényes a bejelentkezéséhez.",
        "{} este valabil pentru autentificarea ta.",
        "{} ισχύει για τη σύνδεσή σας.",
        "{} はログインに有効です。",
        "{} 用于登录您的账户,5分钟内有效。",
        "{} 은 로그인에 사용할 수 있습니다.",
        "{} có hiệu lực cho lần đăng nhập của bạn.",
        "{} berlaku untuk masuk ke akun Anda.",
        "{} صالح لتسجيل الدخول إلى حسابك.",
        "{} תקף לכניסה לחשבון שלך.",
        "{} आपके लॉगिन के लिए मान्य है।",
    ];
    for sentence in SENTENCES {
        for code in ["882019", "4471", "73014452", "7K2P9X"] {
            assert_eq!(code_of("Acme", &sentence.replace("{}", code)).as_deref(), Some(code), "{sentence}");
        }
    }
}

#[test]
fn other_numbers_in_front_of_what_is_valid_are_no_codes() {
    const SENTENCES: [&str; 14] = [
        "{} is valid for one entry.",
        "{} is valid for your order until Nov 30.",
        "{} ist gültig für Ihre Bestellung.",
        "Ausweis {} ist gültig für Ihre Anmeldung am Empfang.",
        "{} users confirmed the account page.",
        "{} people signed in last month.",
        "{} Teilnehmer haben ihre Anmeldung bestätigt.",
        "{} personnes ont confirmé leur inscription.",
        "Line {} is valid for your journey.",
        "{} gelten ab Januar.",
        "Invoice {} is valid for your account.",
        "{} is your room for the registration desk.",
        "Is {} valid for your login?",
        "{} is the number of the account manager.",
    ];
    for sentence in SENTENCES {
        for number in ["882019", "4471", "73014452"] {
            assert_eq!(code_of("News", &sentence.replace("{}", number)), None, "{sentence}");
        }
    }
    assert_eq!(code_of("News", "2026 is valid for your login."), None);
}

#[test]
fn groups_of_digits_in_columns_are_one_code() {
    const COLUMNS: [(&str, &str, &str, &str); 6] = [
        ("", "<p style='display:inline-block'>", "</p>", ""),
        ("<div>", "<div style='display:inline-block'>", "</div>", "</div>"),
        ("<table><tr>", "<td><p>", "</p></td>", "</tr></table>"),
        ("<table><tr>", "<td><div>&#8203;", "</div></td>", "</tr></table>"),
        ("<table><tr>", "<td><table><tr><td>", "</td></tr></table></td>", "</tr></table>"),
        ("<ul>", "<li style='display:inline'>", "</li>", "</ul>"),
    ];
    for (before, open, close, after) in COLUMNS {
        for digits in [1, 2, 3] {
            for code in ["482913", "770316", "905224"] {
                let chars: Vec<char> = code.chars().collect();
                let cells =
                    chars.chunks(digits).map(|cell| format!("{open}{}{close}", cell.iter().collect::<String>()));
                let cells: String = cells.collect();
                let html = format!("<p>Use this code to sign in:</p>{before}{cells}{after}<p>It lasts 10 minutes.</p>");
                assert_eq!(code_of_html("Your sign-in code", &html).as_deref(), Some(code), "{html}");
            }
        }
    }
    let dashed = "<p>Your code:</p><div>482</div><div>-</div><div>913</div>";
    assert_eq!(code_of_html("Sign in", dashed).as_deref(), Some("482913"));
}

#[test]
fn numbers_that_count_in_columns_are_no_code() {
    for (intro, count) in [("Rate your sign-up", 5), ("Your account: November", 7), ("Sign in to see your pages", 9)] {
        for (open, close) in [("<p>", "</p>"), ("<div>", "</div>"), ("<td><p>", "</p></td>"), ("<td>", "</td>")] {
            for first in [0, 1] {
                let cells: String = (first..=count).map(|number| format!("{open}{number}{close}")).collect();
                let html = format!("<p>{intro}</p><table><tr>{cells}</tr></table><p>Regards</p>");
                assert_eq!(code_of_html("Acme", &html), None, "{html}");
            }
        }
    }
    for (subject, numbers) in
        [("Sizes", ["38", "40", "42"]), ("Prices", ["10", "25", "50"]), ("Ages", ["12", "14", "16"])]
    {
        for intro in ["Sign in to order", "Confirm your plan", "Register your account", "Log in to see more"] {
            let text = format!("{intro}\n\n{}\n\nRegards", numbers.join("\n"));
            assert_eq!(code_of(subject, &text), None, "{text}");
        }
    }
    let list = "<p>Your account</p><div>48</div><div>29</div><div>13</div><div>77</div><div>15</div><div>20</div>";
    assert_eq!(code_of_html("Acme", list), None);
}

#[test]
fn verbs_in_two_parts_ask_to_enter_what_is_between_them() {
    for verb in ["Gib", "Geben Sie"] {
        for purpose in ["zur Bestätigung", "für Ihre Anmeldung", "zum Einloggen"] {
            for code in ["904417", "73014", "50718823"] {
                for end in [" ein.", " ein, um fortzufahren."] {
                    let text = format!("Wir haben eine Anmeldung erkannt. {verb} {purpose} {code}{end}");
                    assert_eq!(code_of("Neues Gerät", &text).as_deref(), Some(code), "{text}");
                }
            }
        }
    }
}

#[test]
fn references_beside_a_code_are_none() {
    for label in ["Referenz", "Reference", "Référence", "Referencia", "Riferimento", "Referentie", "Referens"] {
        for name in ["Freigabecode", "Login code", "Code de connexion", "Verification code"] {
            let text = format!("Payment of 129.90 EUR.\n{label}: 558201\n{name}: 291834");
            assert_eq!(code_of("Zahlungsfreigabe", &text).as_deref(), Some("291834"), "{text}");
        }
    }
    let trip = "Confirmation code: QX7KLM\nFlight AZ 611, Nov 18\nSeat 22A";
    assert_eq!(code_of("Your trip to Rome", trip), None);
    let login = "Enter L4QW9Z when prompted to sign in to Booking. Your booking 3318492017 is waiting.";
    assert_eq!(code_of("Booking: your login", login).as_deref(), Some("L4QW9Z"));
}
