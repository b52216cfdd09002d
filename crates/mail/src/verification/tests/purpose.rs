//! What a mail is for: long mail, mail to many and conversations mention codes and link to pages behind a login, but
//! are for neither. Generated.

use crate::verification::{VerificationInput, detect};

const TOKEN: &str = "7f3a9c1d2b4e8f00aa";
const CODE: &str = "482913";

fn found(subject: &str, text: &str, from: &str) -> (Option<String>, Option<String>) {
    let is_html = text.trim_start().starts_with('<');
    let (text, html) = if is_html { (None, Some(text)) } else { (Some(text), None) };
    detect(&VerificationInput { subject, text, html, from }).map_or((None, None), |found| (found.code, found.link))
}

/// Checks that the mails have this code and this link, and reports every wrong one.
fn check(mails: impl IntoIterator<Item = (String, String)>, code: Option<&str>, link: Option<&str>) {
    let (mut total, mut wrong) = (0, Vec::new());
    for (subject, text) in mails {
        total += 1;
        let found = found(&subject, &text, "hello@n.example");
        if (found.0.as_deref(), found.1.as_deref()) != (code, link) {
            wrong.push(format!("{found:?}: {subject}: {text:?}"));
        }
    }
    assert!(total >= 20, "{total} variants");
    assert!(wrong.is_empty(), "{} of {total}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Texts that mention a number near words about codes and accounts, as lists and newsletters do.
const MENTIONS: [&str; 6] = [
    "The code to reproduce it is below.\n\n482913\n\nIt fails for each account.",
    "We fixed the sign-up page; the error code changed.\n\n482913",
    "Use priority code 482913 for your registration.",
    "Here is the code of my account check:\n\n    482913\n\nAny idea?",
    "Register now. Code: 482913",
    "After login it prints\n482913\nand the code is wrong.",
];

const FILLER: &str = "All members discussed the plans of the last months and agreed on most of them after a while. ";

#[test]
fn a_conversation_has_no_code() {
    let replies = ["Re: Question", "AW: Frage", "RE: [list] Login", "回复: 账户"];
    let by_subject = MENTIONS.iter().flat_map(|text| replies.map(|subject| (subject.to_owned(), (*text).to_owned())));
    let quoted = MENTIONS.map(|text| ("Question".to_owned(), format!("> Does it work?\n\n{text}\n")));
    let listed = MENTIONS
        .map(|text| ("[list] Question".to_owned(), format!("{text}\n\n{}\nList mailing list\n", "_".repeat(47))));
    check(by_subject.chain(quoted).chain(listed), None, None);
}

#[test]
fn long_mail_and_mail_to_many_that_is_not_about_an_account_has_no_code() {
    let long = MENTIONS.map(|text| ("News of September".to_owned(), format!("{}\n\n{text}\n", FILLER.repeat(30))));
    let footers = ["Unsubscribe", "View in browser", "Newsletter abbestellen", "Se désabonner"];
    let bulk = MENTIONS.iter().flat_map(|text| {
        footers.map(|footer| ("News of September".to_owned(), format!("{}\n\n{text}\n\n{footer}\n", FILLER.repeat(8))))
    });
    check(long.into_iter().chain(bulk), None, None);
}

#[test]
fn the_code_of_account_mail_is_found_below_any_footer() {
    let sentences = [
        "Your verification code is 482913.",
        "Enter this code to sign in:\n\n482913",
        "Your login code: 482913",
        "Ihr Anmeldecode lautet 482913.",
        "Votre code de connexion : 482913",
    ];
    let footers = ["Unsubscribe", "View in browser", "Newsletter abbestellen", "You get this mail as a member."];
    let mails = sentences.iter().flat_map(|sentence| {
        footers.map(|footer| {
            let text = format!("Hi,\n\n{sentence}\n\n{}\n\n{footer}\n", FILLER.repeat(25));
            ("Your sign-in code".to_owned(), text)
        })
    });
    check(mails, Some(CODE), None);
}

#[test]
fn the_rest_of_a_wrapped_line_is_not_shown_alone() {
    let lines = [
        "Jul 31 23:07:19.215383 check[26124]: [ 6] No proper port specified, so it takes",
        "/usr/local/lib/perl5/site_perl/5.8.0/Mail/Filter/PerMsgStatus.pm line",
        "expert looking for a new position, account on request, mobile: 0863 554",
        "bytes were sent to the server while the sign-in page took no more than",
    ];
    let numbers = ["2703", "1701", "9268", "3100", "48291"];
    let mails = lines.iter().flat_map(|line| {
        numbers.map(|number| ("Max connections".to_owned(), format!("{line}\n{number}\n\nIs the login code right?\n")))
    });
    check(mails, None, None);
}

#[test]
fn a_code_that_the_subject_sets_apart_is_found() {
    let forms = ["({}) @", "[{}] @", "@: {}", "{} – @", "@ ({})", "@ - {}", "【{}】@"];
    let topics = ["Sign in", "Log in to Acme", "Confirm your email", "Anmeldung", "Connexion", "Вход"];
    let mails = forms.iter().flat_map(|form| {
        topics.map(|topic| (form.replace('@', topic).replace("{}", CODE), "Welcome to Acme.".to_owned()))
    });
    check(mails, Some(CODE), None);
}

#[test]
fn a_number_that_the_subject_of_a_ticket_sets_apart_is_no_code() {
    let subjects =
        ["[482913] Printer", "Re: [482913] Sign in", "Printer (482913)", "#482913 Sign in", "Ticket: 482913"];
    let texts = ["Hello,\n\nplease see below.", "Thanks!", "We are on it.", "Bitte um Hilfe."];
    let mails = subjects.iter().flat_map(|subject| texts.map(|text| ((*subject).to_owned(), text.to_owned())));
    check(mails, None, None);
}

#[test]
fn codes_to_pick_something_up_are_no_codes() {
    let names = [
        "Pick-up code",
        "Collection code",
        "Delivery PIN",
        "Abhol-PIN",
        "Abholcode",
        "Code de retrait",
        "Código de recogida",
        "Código de retirada",
        "Codice di ritiro",
        "Afhaalcode",
        "Hentekode",
        "Avhämtningskod",
        "Noutokoodi",
        "Kod odbioru",
        "Kód pro vyzvednutí",
        "Átvételi kód",
        "Код получения",
        "Код отримання",
        "Teslimat kodu",
        "取件码",
        "受取コード",
        "Mã nhận hàng",
        "Kode pengambilan",
        "Survey code",
        "Game PIN",
    ];
    check(names.map(|name| ("Acme".to_owned(), format!("{name}: 482913"))), None, None);
    check(names.map(|name| ("Acme".to_owned(), format!("{name}\n\n482913\n"))), None, None);
}

#[test]
fn a_newsletter_has_no_link_behind_a_login() {
    let labels = [
        "free newsletters",
        "Live help",
        "Level 3 gives mixed signals on recovery",
        "Creative Nomad 3",
        "Frethem worm wants to give everyone a new password today",
    ];
    let urls = [
        format!("https://n.example/url_login?email=a@b.example&brand={TOKEN}"),
        format!("https://click.n.example/Click?q={TOKEN}{TOKEN}"),
        format!("https://n.example/login.cfm?id={TOKEN}"),
        "https://news.n.example/2100-1023-947740.html".to_owned(),
    ];
    let mails = labels.iter().flat_map(|label| {
        urls.each_ref().map(|url| {
            let body = format!("<p>{}</p><p>Sign up for more</p><a href=\"{url}\">{label}</a>", FILLER.repeat(8));
            ("Tech update".to_owned(), format!("{body}<p>Unsubscribe. Manage your account.</p>"))
        })
    });
    check(mails, None, None);
}

#[test]
fn articles_below_a_sentence_have_no_verification_link() {
    let sentences = [
        "A quote about the security of accounts, from the Times:",
        "Didn't we discuss login safety here?",
        "Vulnerable to attack, says the vendor of the browser:",
        "The security of the login page, explained by a bank:",
        "The account of a survivor:",
    ];
    let urls = [
        "https://www.times.example/printFriendly/0,,1-43-351083,00.html",
        "https://news.zd.example/story/0,,t269-s2121250,00.html",
        "https://news.com.example/2100-1023-947325.html",
        "https://www.post.example/wp-dyn/articles/A63543-2002Sep10.html",
    ];
    let mails = sentences.iter().flat_map(|sentence| {
        urls.map(|url| ("Entrepreneurs".to_owned(), format!("{sentence}\n\n{url}\n\nTONY BLAIR's relationship ...\n")))
    });
    check(mails, None, None);
}

#[test]
fn the_label_of_an_account_leads_to_a_link_in_mail_to_many() {
    let labels = [
        "Verify email",
        "Confirm your email",
        "Activate account",
        "Reset password",
        "E-Mail bestätigen",
        "Konto aktivieren",
        "Confirmer mon compte",
        "Confirmar mi correo",
        "Unlock my account",
        "Подтвердить e-mail",
    ];
    let url = format!("https://ex.example/e/{TOKEN}");
    let subjects = ["Welcome to Acme", "One more step"];
    let mails = labels.iter().flat_map(|label| {
        subjects.map(|subject| {
            let account = "<p>Thanks for joining. Confirm your account and your email address below.</p>";
            let body = format!("<p>{}</p>{account}<a href=\"{url}\">{label}</a>", FILLER.repeat(8));
            (subject.to_owned(), format!("{body}<p><a href=\"https://ex.example/u/{TOKEN}\">Unsubscribe</a></p>"))
        })
    });
    check(mails, None, Some(&url));
}

#[test]
fn a_network_links_to_itself_in_its_own_mail() {
    let hosts = ["facebook.com", "linkedin.com", "x.com", "instagram.com", "reddit.com", "discord.gg", "vk.com"];
    for host in hosts {
        let url = format!("https://www.{host}/confirm/email?id=48291&k={TOKEN}");
        let html = format!("<p>Please confirm your email address.</p><a href=\"{url}\">Confirm your email</a>");
        let own = found("Confirm your email", &html, &format!("security@mail.{host}"));
        assert_eq!(own.1.as_deref(), Some(&*url), "{host}");
        assert_eq!(found("Confirm your email", &html, "hello@n.example").1, None, "{host}");
    }
}

#[test]
fn a_notice_has_a_link_only_if_its_subject_asks_for_it() {
    let url = format!("https://ex.example/e/{TOKEN}");
    let notices = ["Your password has been changed.", "We noticed a new sign-in.", "A new device was added."];
    let labels = ["Reset password", "Passwort ändern", "Change password", "Verify device"];
    for (notice, label) in notices.iter().flat_map(|notice| labels.map(|label| (*notice, label))) {
        let html = format!("<p>{notice} If it wasn't you, act now.</p><a href=\"{url}\">{label}</a>");
        assert_eq!(found("Security notice", &html, "hello@n.example").1, None, "{notice} {label}");
        let asked = found("Verify your new device", &html, "hello@n.example");
        assert_eq!(asked.1.as_deref(), Some(&*url), "{notice} {label}");
    }
}

#[test]
fn a_number_that_a_sentence_points_at_is_a_code() {
    let sentences = [
        "pushTAN: Verwenden Sie diese Nummer zur Freigabe: {}",
        "One-time passcode: enter this number to log in: {}",
        "Gib {} ein, um dein neues Gerät zu verknüpfen.",
        "Your card security verification for Apple Pay: {} expires in 30 mins",
        "New sign-in from Berlin.\nPIN: {}",
    ];
    let codes = ["482913", "605837", "771204", "91827364"];
    for (sentence, code) in sentences.iter().flat_map(|sentence| codes.map(|code| (*sentence, code))) {
        let found = found("Acme", &sentence.replace("{}", code), "hello@n.example").0;
        assert_eq!(found.as_deref(), Some(code), "{sentence}");
    }
}
