//! Mails made of the sentences of many languages, layouts and forms of codes, and ordinary mail with numbers.

use crate::verification::{FOREIGN_CONFIDENCE_MAX, VerificationInput, detect};

/// One line of `languages.txt`.
struct Sentences {
    language: &'static str,
    subject: &'static str,
    label: &'static str,
    sentence: &'static str,
    closing: &'static str,
}

/// A generated mail.
struct GeneratedMail {
    subject: String,
    text: Option<String>,
    html: Option<String>,
}

impl GeneratedMail {
    fn of_text(subject: &str, text: String) -> GeneratedMail {
        GeneratedMail { subject: subject.to_owned(), text: Some(text), html: None }
    }

    fn of_html(subject: &str, html: String) -> GeneratedMail {
        GeneratedMail { subject: subject.to_owned(), text: None, html: Some(html) }
    }

    fn detect(&self) -> (Option<String>, Option<String>) {
        let input = VerificationInput {
            subject: &self.subject,
            text: self.text.as_deref(),
            html: self.html.as_deref(),
            from: "Acme <noreply@acme.example>",
        };
        detect(&input).map_or((None, None), |found| (found.code, found.link))
    }
}

/// Minimum share of the generated mails whose code is found, in percent.
const CODES_FOUND_PERCENT_MIN: usize = 98;
/// Languages of `languages.txt` without word tables: only the layout shows their codes.
const UNKNOWN_LANGUAGES: [&str; 2] = ["qu", "haw"];

/// Codes as printed.
const CODES: [&str; 12] = [
    "482913",
    "7719",
    "48291377",
    "LHZ-RBT",
    "K7P-4QX",
    "7K2P9X",
    "ABCDE-12FGH",
    "K7P4Q-9QXT2-MRA8B",
    "482-913",
    "KXRTPM",
    "FQ7TRK",
    "48291",
];
const LAYOUTS: [&str; 9] = ["alone", "colon", "sentence", "heading", "bold", "cells", "spaced", "subject", "wrapped"];

fn languages() -> impl Iterator<Item = Sentences> {
    include_str!("languages.txt").lines().filter(|line| !line.starts_with('#')).map(|line| {
        let mut parts = line.split('|').map(str::trim);
        let mut part = || parts.next().unwrap();
        Sentences { language: part(), subject: part(), label: part(), sentence: part(), closing: part() }
    })
}

/// Returns the mail of a layout.
fn mail(of: &Sentences, layout: &str, code: &str) -> GeneratedMail {
    let Sentences { subject, label, closing, .. } = of;
    let sentence = of.sentence.replace("{}", code);
    let spread = |between: &str| code.chars().map(String::from).collect::<Vec<_>>().join(between);
    match layout {
        "alone" => GeneratedMail::of_text(subject, format!("Acme\n\n{label}:\n\n{code}\n\n{closing}\n\nAcme Inc.\n")),
        "colon" => GeneratedMail::of_text(subject, format!("Acme\n\n{label}: {code}\n\n{closing}\n")),
        "sentence" => GeneratedMail::of_text(subject, format!("Acme\n\n{sentence}\n\n{closing}\n")),
        "heading" => GeneratedMail::of_html(
            subject,
            format!("<div>Acme</div><p>{label}</p><h1 style='font-size:32px'>{code}</h1><p>{closing}</p>"),
        ),
        "bold" => {
            let sentence = of.sentence.replace("{}", &format!("<b>{code}</b>"));
            GeneratedMail::of_html(subject, format!("<div>Acme</div><p>{sentence}</p><p>{closing}</p>"))
        }
        "cells" => {
            let cells: String = code.chars().map(|c| format!("<td><div>{c}</div></td>")).collect();
            GeneratedMail::of_html(subject, format!("<p>{label}</p><table><tr>{cells}</tr></table><p>{closing}</p>"))
        }
        "spaced" => GeneratedMail::of_text(subject, format!("{label}\n\n{}\n\n{closing}\n", spread("\u{a0}"))),
        "subject" => GeneratedMail::of_text(&sentence, format!("{closing}\n")),
        _ => GeneratedMail::of_text(subject, wrapped(&format!("{subject}. {sentence} {closing}"))),
    }
}

/// Wraps a text at 60 characters.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().unwrap();
        if line.chars().count() + word.chars().count() > 60 {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

#[test]
fn codes_are_found_in_every_language_layout_and_form() {
    let (mut found, mut wrong, mut total) = (0, 0, 0);
    let mut missed: std::collections::BTreeMap<String, Vec<String>> = std::collections::BTreeMap::new();
    for of in languages() {
        for layout in LAYOUTS {
            for code in CODES.into_iter().filter(|code| layout != "cells" && layout != "spaced" || !code.contains('-'))
            {
                total += 1;
                match mail(&of, layout, code).detect().0 {
                    Some(result) if result == code => found += 1,
                    other => {
                        if let Some(other) = &other {
                            wrong += 1;
                            println!("wrong {other} for {code}: {} {layout}", of.language);
                        }
                        missed.entry(format!("{layout} {code}")).or_default().push(of.language.to_owned());
                    }
                }
            }
        }
    }
    for (of, languages) in &missed {
        println!("missed {of}: {}", languages.join(" "));
    }
    println!("generated codes: {found} of {total} found, {wrong} wrong");
    assert!(found * 100 >= total * CODES_FOUND_PERCENT_MIN, "{found} of {total}");
    assert_eq!(wrong, 0);
}

#[test]
fn codes_alone_on_a_line_are_found_in_languages_without_word_tables() {
    let mut variants = 0;
    for of in languages().filter(|of| UNKNOWN_LANGUAGES.contains(&of.language)) {
        for layout in ["alone", "heading", "cells", "spaced"] {
            for code in ["482913", "LHZ-RBT", "7K2P9X", "48291377"] {
                if layout == "alone" || layout == "heading" || !code.contains('-') {
                    assert_eq!(mail(&of, layout, code).detect().0.as_deref(), Some(code), "{} {layout}", of.language);
                    variants += 1;
                }
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn digits_of_all_scripts_are_returned_as_ascii() {
    let mut variants = 0;
    for zero in ['٠', '۰', '०', '০', '੦', '૦', '௦', '౦', '೦', '൦', '෦', '๐', '໐', '༠', '၀', '០', '᠐', '０']
    {
        let digits = |code: &str| -> String {
            code.chars().map(|c| char::from_u32(u32::from(zero) + c.to_digit(10).unwrap()).unwrap()).collect()
        };
        for code in ["482913", "7719"] {
            let text = format!("Your verification code is {}.", digits(code));
            assert_eq!(GeneratedMail::of_text("Sign in", text).detect().0.as_deref(), Some(code), "{zero}");
            let text = format!("Enter this code:\n\n{}\n", digits(code));
            assert_eq!(GeneratedMail::of_text("Acme", text).detect().0.as_deref(), Some(code), "{zero}");
            variants += 2;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn grouped_codes_keep_their_hyphens_and_lose_their_spaces() {
    let mut variants = 0;
    for printed in
        ["K7P-4QX", "ABCD7-12FGH", "K7P4Q9-9QXT2M", "K7P4-9QXT-MRA8", "48291-37755", "482-913", "BCD-FGH-JKL"]
    {
        for (between, expected) in [
            ("-", printed.to_owned()),
            ("‑", printed.to_owned()),
            (" ", printed.replace('-', "")),
            ("\u{a0}", printed.replace('-', "")),
        ] {
            let shown = printed.replace('-', between);
            for mail in [
                GeneratedMail::of_text("Acme", format!("Enter this code: {shown}")),
                GeneratedMail::of_text("Acme", format!("Enter this code to sign in:\n\n{shown}\n\nAcme")),
                GeneratedMail::of_html("Acme", format!("<p>Your login code</p><div><strong>{shown}</strong></div>")),
            ] {
                let letters = !printed.bytes().any(|byte| byte.is_ascii_digit());
                if letters && !between.contains(['-', '‑']) && mail.text.as_ref().is_some_and(|text| text.len() < 40)
                {
                    continue;
                }
                assert_eq!(mail.detect().0.as_deref(), Some(&*expected), "{shown:?} in {:?}", mail.text);
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn the_tan_is_found_next_to_an_account_number() {
    let mut variants = 0;
    for iban in [
        "DE89 3704 0044 0532 0130 00",
        "DE89370400440532013000",
        "AT61 1904 3002 3457 3201",
        "GB29 NWBK 6016 1331 9268 19",
        "FR14 2004 1010 0505 0001 3M02 606",
    ] {
        for tan in ["482913", "7719", "48291377"] {
            for text in [
                format!("IBAN: {iban}\nBetrag: 250,00 EUR\n\nIhre TAN lautet {tan}."),
                format!("Ihre TAN: {tan}\n\nEmpfänger: Acme\nIBAN {iban}"),
                format!("Transfer of 250.00 EUR to {iban}. Your one-time code is {tan}."),
            ] {
                assert_eq!(GeneratedMail::of_text("Auftrag", text).detect().0.as_deref(), Some(tan), "{iban} {tan}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn a_link_to_another_domain_has_a_lower_confidence() {
    let mut variants = 0;
    for (host, is_foreign) in [
        ("acme.example", false),
        ("mail.acme.example", false),
        ("ACME.example", false),
        ("acme-example.test", true),
        ("click.mailer.example", true),
        ("acme.example.evil.test", true),
        ("acme.example@evil.test", true),
    ] {
        for path in ["verify?token=abc123def456", "confirm/8a7b6c5d4e3f2a1b9c8d", "activate?key=7fk2abc9"] {
            let html = format!("<p>Please confirm.</p><a href='https://{host}/{path}'>Verify your email address</a>");
            let input = VerificationInput {
                subject: "Verify your email address",
                html: Some(&html),
                from: "Acme <noreply@login.acme.example>",
                ..VerificationInput::default()
            };
            let found = detect(&input).unwrap();
            assert!(found.link.is_some(), "{host}");
            assert_eq!(found.confidence <= FOREIGN_CONFIDENCE_MAX, is_foreign, "{host} {}", found.confidence);
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn numbers_of_other_kinds_are_never_codes() {
    let mut variants = 0;
    for number in ["482913", "7719", "48291377"] {
        for text in [
            "Your order number is {}. Sign in to your account to see it.",
            "Invoice {} is due. Log in to your account to pay.",
            "Tracking number: {}\nSign in to your account to follow the parcel.",
            "Call us: 0800 {}. Your account is safe.",
            "Your account number ending in {} was charged.",
            "HTTP 404: error code {} in your account.",
            "Did you send me {}? It looks like a code.",
            "Is {} your verification code?",
            "Enter promo code {} at checkout.",
            "Our postal code is {}. Update your account.",
            "The area code is {}.",
            "Scan the QR code {} in your account.",
            "Dress code {}: smart. Confirm by e-mail.",
            "Source code version {} of the login is out.",
            "Ticket ID: {}. Your password question was answered.",
            "The color is #{} in your account.",
            "#{} is trending. Sign in to see your account.",
            "You owe ${} for your account.",
            "{} people verified their account.",
            "Unsubscribe ID: {}\nYour account, your e-mail.",
            "Meeting ID: 482 913 4771\nPasscode: {}\nDial-in: +1 415 555 0123",
            "I got the code {} but I can not log in to my account.",
        ] {
            let text = text.replace("{}", number);
            let (code, _) = GeneratedMail::of_text("Your account", text.clone()).detect();
            assert_eq!(code, None, "{text}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

/// A generator of digits and letters, seeded so that a failure repeats.
struct Seeded(u64);

impl Seeded {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(alphabet.as_bytes()[self.next(alphabet.len())])).collect()
    }

    /// Fills the placeholders of a template of `ordinary.txt`.
    fn fill(&mut self, template: &str) -> String {
        const CAPITALS: &str = "BCDFGHJKLMNPQRSTVWXZ";
        let mut out = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, behind) = after.split_once('}').unwrap();
            out.push_str(before);
            out.push_str(&match name {
                "a" => format!("{}{}{}", self.text(CAPITALS, 2), self.text("23456789", 2), self.text(CAPITALS, 2)),
                "g" => format!("{}-{}", self.text(CAPITALS, 3), self.text(CAPITALS, 3)),
                "t" => self.text("abcdefghjkmnpqrstuvwxyz23456789", 28),
                digits => format!(
                    "{}{}",
                    self.text("123456789", 1),
                    self.text("0123456789", digits.parse::<usize>().unwrap() - 1)
                ),
            });
            rest = behind;
        }
        out + rest
    }
}

#[test]
fn ordinary_mail_has_neither_code_nor_link() {
    let (mut total, mut false_codes, mut false_links) = (0, 0, 0);
    let file = include_str!("ordinary.txt");
    let templates = file[file.find("Your order").unwrap()..].split("\n---\n");
    for template in templates {
        for seed in 0..6 {
            let mail = Seeded(seed + 1).fill(template.trim_end());
            let (subject, text) = mail.split_once('\n').unwrap();
            let paragraphs: String = text.lines().map(|line| format!("<p>{line}</p>")).collect();
            for mail in [GeneratedMail::of_text(subject, text.to_owned()), GeneratedMail::of_html(subject, paragraphs)]
            {
                let (code, link) = mail.detect();
                total += 1;
                false_codes += usize::from(code.is_some());
                false_links += usize::from(link.is_some());
                if (code.is_some() || link.is_some()) && seed == 0 {
                    println!(
                        "false {code:?} {link:?} {}: {subject}",
                        if mail.text.is_some() { "text" } else { "html" }
                    );
                }
            }
        }
    }
    println!("ordinary: {total} mails, {false_codes} false codes, {false_links} false links");
    assert!(total >= 200 && false_codes == 0 && false_links == 0);
}

/// Returns the mails of a template of `links.txt`: in plain text with the link behind its label, with the link below its
/// label, and in HTML.
fn link_mails(subject: &str, body: &str) -> Vec<GeneratedMail> {
    let render = |link: &dyn Fn(&str, &str) -> String, line: &dyn Fn(&str) -> String| -> String {
        let lines = body.lines().map(|text| {
            let text = text.trim_start_matches('*');
            let Some((before, rest)) = text.split_once('[') else { return line(text) };
            let (label, rest) = rest.split_once("](").unwrap();
            line(&format!("{before}{}", link(label, rest.trim_end_matches(')'))))
        });
        lines.collect()
    };
    let plain = |text: &str| format!("{text}\n\n");
    let paragraph = |text: &str| format!("<p>{text}</p>");
    vec![
        GeneratedMail::of_text(subject, render(&|label, url| format!("{label}: {url}"), &plain)),
        GeneratedMail::of_text(subject, render(&|label, url| format!("{label}\n{url}"), &plain)),
        GeneratedMail::of_text(subject, render(&|label, url| format!("[{label}]({url})"), &plain)),
        GeneratedMail::of_html(subject, render(&|label, url| format!("<a href='{url}'>{label}</a>"), &paragraph)),
        GeneratedMail::of_html(
            subject,
            render(
                &|label, url| format!("<table><tr><td><a href=\"{url}\"><span>{label}</span></a></td></tr></table>"),
                &paragraph,
            ),
        ),
    ]
}

#[test]
fn the_link_is_chosen_by_what_it_does() {
    let (mut total, mut right, mut wrong) = (0, 0, 0);
    let file = include_str!("links.txt");
    for template in file[file.find("\nfollow").unwrap() + 1..].split("\n---\n") {
        for seed in 0..3 {
            let mail = Seeded(seed + 7).fill(template.trim_end());
            let (expected, mail) = mail.split_once('\n').unwrap();
            let (subject, body) = mail.split_once('\n').unwrap();
            let marked = body
                .lines()
                .find_map(|line| line.strip_prefix('*'))
                .map(|line| line.rsplit_once("](").unwrap().1.trim_end_matches(')').to_owned());
            assert_eq!(marked.is_some(), expected == "follow", "{subject}");
            for (form, mail) in link_mails(subject, body).into_iter().enumerate() {
                let (_, link) = mail.detect();
                total += 1;
                right += usize::from(link == marked);
                wrong += usize::from(link.is_some() && link != marked);
                if link != marked && seed == 0 {
                    println!("link {link:?} for {marked:?} in form {form}: {subject}");
                }
            }
        }
    }
    println!("links: {right} of {total} right, {wrong} wrong");
    assert!(right == total && wrong == 0);
}

/// Requests to follow a link, and closing sentences that say that nothing was changed.
const REQUESTS: [(&str, &str); 10] = [
    ("Click the link to reset the password of your account:", "If you ignore this mail, nothing was changed."),
    ("คลิกที่ลิงก์ด้านล่างเพื่อรีเซ็ตรหัสผ่านบัญชีของคุณ:", "หากไม่ต้องการ จะไม่มีสิ่งใดถูกเปลี่ยนแปลง"),
    ("Kattintson a hivatkozásra a jelszava visszaállításához:", "Ha nem kattint, semmi sem lesz megváltoztatva."),
    ("Şifrenizi sıfırlamak için bağlantıyı tıklayın:", "Tıklamazsanız hiçbir şey değiştirildi sayılmaz."),
    ("انقر على الرابط لإعادة تعيين كلمة المرور لحسابك:", "إن لم تفعل فلن يكون قد تم تغيير أي شيء."),
    ("Haga clic en el enlace para restablecer la contraseña de su cuenta:", "Si no lo hace, nada ha cambiado."),
    ("Kliknij link, aby zresetować hasło do konta:", "W przeciwnym razie nic nie zostało zmienione."),
    ("Klicka på länken för att återställa lösenordet till ditt konto:", "Annars ändrades ingenting."),
    ("请点击链接重置您的账户密码：", "如果忽略，密码不会视为已更改。"),
    ("Nhấp vào liên kết để đặt lại mật khẩu tài khoản của bạn:", "Nếu không, mật khẩu chưa phải là đã thay đổi."),
];

#[test]
fn a_closing_sentence_about_changes_makes_no_notice() {
    let mut variants = 0;
    for (request, closing) in REQUESTS {
        for path in ["action-token?key=7fk2abc9d4", "auth/8a7b6c5d4e3f2a1b9c8d"] {
            let url = format!("https://acme.example/{path}");
            for mail in [
                GeneratedMail::of_text("Acme", format!("{request}\n\n{url}\n\n{closing}\n")),
                GeneratedMail::of_html(
                    "Acme",
                    format!("<p>{request}</p><p><a href='{url}'>{url}</a></p><p>{closing}</p>"),
                ),
            ] {
                assert_eq!(mail.detect().1.as_deref(), Some(&*url), "{request}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}
