//! The traps of the field notes (item 27) by name, and codes and links in languages and forms that the corpus lacks.

use crate::verification::{Mail, detect};

fn code(subject: &str, text: &str) -> Option<String> {
    detect(&Mail { subject, text: Some(text), ..Mail::default() }).and_then(|found| found.code)
}

fn link(subject: &str, text: &str) -> Option<String> {
    detect(&Mail { subject, text: Some(text), ..Mail::default() }).and_then(|found| found.link)
}

fn html(subject: &str, html: &str) -> (Option<String>, Option<String>) {
    detect(&Mail { subject, html: Some(html), ..Mail::default() })
        .map_or((None, None), |found| (found.code, found.link))
}

#[test]
fn codes_in_many_languages_and_forms_are_found() {
    let cases = [
        ("Your code", "Your Acme verification code is 482913.", "482913"),
        ("482913 is your Acme code", "Enter it to sign in.", "482913"),
        ("Sign in", "G-482913 is your Google verification code.", "482913"),
        ("FB-48291 is your Facebook confirmation code", "Enter FB-48291 in the app.", "48291"),
        ("Sign in", "Use AB3X-9K2L to sign in.", "AB3X-9K2L"),
        ("Acme", "Enter 482913 to verify your email address.", "482913"),
        ("Acme", "Type 7K2P9X to log in to Acme", "7K2P9X"),
        ("Acme", "Utilisez 482913 pour vous connecter.", "482913"),
        ("Acme", "Gib 482913 ein, um dich anzumelden.", "482913"),
        ("Acme", "Verwenden Sie 482913, um sich anzumelden.", "482913"),
        ("Acme", "Usa 482913 para iniciar sesión.", "482913"),
        ("Login", "Use 482 913 as your login code.", "482913"),
        ("Login", "Your one-time passcode:\n\n4 8 2 9 1 3\n\nIt expires in 10 minutes.", "482913"),
        ("Sign in to Acme", "Enter this code to sign in:\n\n**a7Xk2p**\n", "a7Xk2p"),
        ("Order 77120 and sign-in", "Your order 7712034 ships soon. Your verification code: 482913", "482913"),
        ("Verify", "Hello, at 10:32 on 2026-11-20 you asked for a security code.\nYour security code is 7719", "7719"),
        ("確認コード", "認証コード：１２３４５６\nこのコードは10分間有効です。", "123456"),
        ("验证码", "您的验证码是 482913，5分钟内有效。", "482913"),
        ("驗證碼", "482913 是您的驗證碼", "482913"),
        ("인증번호", "인증번호는 [482913] 입니다.", "482913"),
        ("رمز التحقق", "رمز التحقق الخاص بك هو 482913", "482913"),
        ("قفل", "کد تأیید شما: ۴۸۲۹۱۳", "482913"),
        ("קוד אימות", "קוד האימות שלך הוא 482913", "482913"),
        ("Код", "Ваш код подтверждения: 482913. Никому его не сообщайте.", "482913"),
        ("ओटीपी", "आपका सत्यापन कोड 482913 है", "482913"),
        ("รหัส", "รหัสยืนยันของคุณคือ 482913", "482913"),
        ("Mã", "Mã xác minh của bạn là 482913", "482913"),
        ("Code", "Ihr Bestätigungscode lautet: 482913", "482913"),
        ("Code", "Votre code de vérification est 482 913", "482913"),
        ("Código", "482913 es tu código de verificación", "482913"),
        ("Kod", "Twój kod weryfikacyjny to 482913", "482913"),
        ("Kod", "Doğrulama kodunuz: 482913", "482913"),
    ];
    for (subject, text, expected) in cases {
        assert_eq!(code(subject, text).as_deref(), Some(expected), "{subject}: {text}");
    }
}

#[test]
fn numbers_that_are_no_codes_are_not_found() {
    let cases = [
        ("Order 482913 confirmed", "Your order number is 482913.\nTotal: $1234.56\nTracking number 940011189922"),
        ("Your invoice", "Invoice INV48291 of 2026-11-20 for 1,234.00 EUR. Customer 482913."),
        ("Sale ends today", "Use code SAVE2026 at checkout for 20% off."),
        (
            "Your password was changed",
            "The password of your account was changed on 20.11.2026 at 10:32 from 203.0.113.9.",
        ),
        ("Call us", "Our phone: +1 415 555 0123. Zip code 94105. © 2026 Acme, 1600 Main Street, CA 94105"),
        ("Statement", "Your card ending in 4829 was charged $50.00."),
        ("Summer sale", "Use SAVE2026 to complete your order. Use SUMMER26 to access the sale."),
        ("Meeting", "Use room 4829 to sign in guests."),
        ("News", "Join 482913 others to sign in to the petition."),
        ("Version", "Version 4829 of the source code is out. Build 482913."),
    ];
    for (subject, text) in cases {
        assert_eq!(code(subject, text), None, "{subject}: {text}");
    }
}

#[test]
fn a_css_colour_is_not_a_code_and_digits_in_boxes_are() {
    let mail = "<style>.a{color:#482913}</style><p style='color:#112233'>Your verification code is</p><table><tr><td>4</td><td>8</td><td>2</td><td>9</td><td>1</td><td>3</td></tr></table>";
    assert_eq!(html("Sign in", mail).0.as_deref(), Some("482913"));
    let spans = "<p>Your login code:</p><h1><span>4</span><span>8</span><span>2</span><span>9</span><span>1</span><span>3</span></h1>";
    assert_eq!(html("Sign in", spans).0.as_deref(), Some("482913"));
}

#[test]
fn links_are_found_in_text_and_in_href_alone() {
    let text = "Confirm your email address:\nhttps://acme.example/confirm?token=abc123def456.\n\nUnsubscribe: https://acme.example/u/abc123def456ghi789";
    assert_eq!(link("Confirm your email", text).as_deref(), Some("https://acme.example/confirm?token=abc123def456"));
    let mail = "<p>Welcome</p><a href='https://acme.example/help'>Help</a><a href='https://click.acme.example/ls/click?upn=u001.Abc9dEf8&amp;x=1'>Verify your account</a><a href='https://acme.example/unsubscribe?t=abc123def456ghi789'>Unsubscribe</a>";
    assert_eq!(
        html("Verify your account", mail).1.as_deref(),
        Some("https://click.acme.example/ls/click?upn=u001.Abc9dEf8&x=1")
    );
}

#[test]
fn notices_receipts_and_newsletters_have_no_link() {
    let cases = [
        (
            "New sign-in to your account",
            "We noticed a new sign-in from Berlin. If this wasn't you, secure your account: https://acme.example/secure?token=abc123def456ghi789",
        ),
        (
            "Your password was changed",
            "Your password has been changed. Not you? Reset it: https://acme.example/reset?token=abc123def456ghi789",
        ),
        (
            "Your receipt",
            "Thanks for your order. View your invoice: https://shop.example/orders/8a7b6c5d4e3f2a1b9c8d\nTrack the shipment of your order there.",
        ),
        (
            "Weekly news",
            "Read more: https://news.example/a/8a7b6c5d4e3f2a1b9c8d\nAnd more: https://news.example/b/8a7b6c5d4e3f2a1b9c8e",
        ),
        ("Sign in", "Sign in at https://acme.example/login any time."),
    ];
    for (subject, text) in cases {
        assert_eq!(link(subject, text), None, "{subject}: {text}");
    }
}
