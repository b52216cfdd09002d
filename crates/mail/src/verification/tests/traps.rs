//! Tables of common pitfalls, and of codes and links in languages and forms that the corpus lacks.

use crate::verification::{VerificationInput, detect};

fn code(subject: &str, text: &str) -> Option<String> {
    detect(&VerificationInput { subject, text: Some(text), ..VerificationInput::default() })
        .and_then(|found| found.code)
}

fn link(subject: &str, text: &str) -> Option<String> {
    detect(&VerificationInput { subject, text: Some(text), ..VerificationInput::default() })
        .and_then(|found| found.link)
}

fn html(subject: &str, html: &str) -> (Option<String>, Option<String>) {
    detect(&VerificationInput { subject, html: Some(html), ..VerificationInput::default() })
        .map_or((None, None), |found| (found.code, found.link))
}

#[test]
fn codes_in_many_languages_and_forms_are_detected() {
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
fn sign_in_codes_are_distinguished_from_coupons() {
    let found = [
        ("Use code 482913 to sign in.", "482913"),
        ("Use code 482913 to log in to your account.", "482913"),
        ("Use code 482913 to verify your email.", "482913"),
        ("Use code: 482913 to sign in.", "482913"),
        ("To sign in, use code 482913", "482913"),
        ("Use code A7K9QX to sign in.", "A7K9QX"),
        ("Use code ABELK7 to sign in.", "ABELK7"),
        ("Use code 482-913 to sign in.", "482-913"),
        ("Please use code 482913 when signing in.", "482913"),
        ("Use code\n482913\nto sign in.", "482913"),
        ("To finish signing in on this new computer, please\nuse code 482913 within 10 minutes.", "482913"),
        ("We got your order 77120.\nUse code 482913 to verify your email.", "482913"),
        ("Brug koden 482913 for at logge ind.", "482913"),
        ("Použijte kód 482913 pro přihlášení.", "482913"),
        ("Giriş yapmak için 482913 kodunu kullanın.", "482913"),
        ("استخدم الرمز 482913 لتسجيل الدخول.", "482913"),
        ("השתמש בקוד 482913 כדי להתחבר.", "482913"),
        ("Notaðu kóðann 482913 til að skrá þig inn.", "482913"),
    ];
    for (text, expected) in found {
        assert_eq!(code("Acme", text).as_deref(), Some(expected), "{text}");
        assert_eq!(code("Sign in to Acme", text).as_deref(), Some(expected), "{text}");
    }
    let coupons = [
        "Use code SAVE20 at checkout",
        "Use code WELCOME10 for 10% off",
        "Use code WELCOME10 to sign up",
        "Use code 482913 at checkout for 20% off",
        "Sign in to your account and use code SAVE20 at checkout.",
        "Verify your email to get started. Use code WELCOME10 for 10% off",
        "Thanks for your account. Use code 482913 for 20% off. Sign in to shop.",
        "Log in and redeem code BONUS2026",
        "Your one-time discount code for checkout is SAVE20",
        "Usa el código VERANO20 y llévate 20% de descuento",
        "Gebruik code ZOMER20 voor 20% korting",
        "クーポンコード SAVE20 をご利用ください",
    ];
    for text in coupons {
        assert_eq!(code("Welcome to Acme", text), None, "{text}");
    }
}

#[test]
fn service_names_are_neither_codes_nor_exclusions() {
    let found = [
        ("Your verification code for Flight Center is 482913.", "482913"),
        ("Your one-time code to redeem: 482913", "482913"),
        ("Your login code for Acme Mobile: 482913", "482913"),
        ("Your verification code for order 77120 is 482913.", "482913"),
        ("Your code for card ending in 7719 is no secret. Your verification code: 482913", "482913"),
        ("Votre code de vérification pour Livraison Express est 482913", "482913"),
        ("Il tuo codice di verifica per Ordine Facile è 482913", "482913"),
        ("Ihr Einmalcode für Bestellung 77120 lautet 482913", "482913"),
        ("Dein Bestätigungscode für Rechnung24 lautet 482913", "482913"),
        ("Verification code for order2026: 482913", "482913"),
        ("482913 is your verification code for Office365", "482913"),
        ("Verification code for 1Password: A7K9QX", "A7K9QX"),
        ("Kod weryfikacyjny dla Konto24: 482913", "482913"),
        ("Ihr TAN: 482913", "482913"),
        ("Ihre TAN lautet 482913", "482913"),
        ("Ihre TAN für die Überweisung über 250,00 EUR lautet 482913.", "482913"),
        ("mTAN 482913 für Überweisung", "482913"),
        ("pushTAN 482913", "482913"),
    ];
    for (text, expected) in found {
        assert_eq!(code("Acme", text).as_deref(), Some(expected), "{text}");
    }
    let none = [
        "Your 23andMe verification code has expired.",
        "Your verification code for order 482913 has expired.",
        "Dein Bestätigungscode für Rechnung24 ist abgelaufen.",
        "We sent a verification code for ACME2026 to your phone.",
        "Enter the verification code we sent. Order 482913 ships soon.",
        "Your verification code was used. Your order number is 482913.",
        "Your one-time voucher code is 482913",
        "Your confirmation number for flight LH4829 is X7K9QX.",
        "Mr Tan\n9123 4567",
        "Ihr Tanzkurs 482913 beginnt",
        "Ihre Überweisung über 4829,00 EUR an Konto 48291377 wurde ausgeführt",
    ];
    for text in none {
        assert_eq!(code("Acme", text), None, "{text}");
    }
}

#[test]
fn other_numbers_are_not_detected_as_codes() {
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
        ("Meeting", "Meeting ID: 482 913 4771\nPasscode in the invite."),
        ("Bug", "Issue 4829: error code 482913 when signing in"),
        ("Hotel", "Room 1204, confirmation number 48291377, check-in 20 Nov 2026"),
        ("Flight", "Flight LH4829 boards at gate B42. Booking reference X7K9QX."),
        ("Colis", "Votre commande 482913 est expédiée. Facture F482913."),
        ("Заказ 482913", "Ваш заказ 482913 отправлен. Тел. 84951234567"),
        ("注文", "ご注文番号 482913 の商品を発送しました。"),
        ("주문", "주문번호 482913 배송이 시작되었습니다"),
    ];
    for (subject, text) in cases {
        assert_eq!(code(subject, text), None, "{subject}: {text}");
    }
}

#[test]
fn css_colors_are_ignored_and_digits_in_separate_elements_are_joined() {
    let message = "<style>.a{color:#482913}</style><p style='color:#112233'>Your verification code is</p><table><tr><td>4</td><td>8</td><td>2</td><td>9</td><td>1</td><td>3</td></tr></table>";
    assert_eq!(html("Sign in", message).0.as_deref(), Some("482913"));
    let spans = "<p>Your login code:</p><h1><span>4</span><span>8</span><span>2</span><span>9</span><span>1</span><span>3</span></h1>";
    assert_eq!(html("Sign in", spans).0.as_deref(), Some("482913"));
}

#[test]
fn links_are_detected_in_text_and_in_href_attributes() {
    let text = "Confirm your email address:\nhttps://acme.example/confirm?token=abc123def456.\n\nUnsubscribe: https://acme.example/u/abc123def456ghi789";
    assert_eq!(link("Confirm your email", text).as_deref(), Some("https://acme.example/confirm?token=abc123def456"));
    let message = "<p>Welcome</p><a href='https://acme.example/help'>Help</a><a href='https://click.acme.example/ls/click?upn=u001.Abc9dEf8&amp;x=1'>Verify your account</a><a href='https://acme.example/unsubscribe?t=abc123def456ghi789'>Unsubscribe</a>";
    assert_eq!(
        html("Verify your account", message).1.as_deref(),
        Some("https://click.acme.example/ls/click?upn=u001.Abc9dEf8&x=1")
    );
}

#[test]
fn short_tokens_suffice_next_to_a_matching_request() {
    let cases = [
        ("Verify email", "Verify email\n", "https://acme.test/verify?t=1&u=2"),
        ("Welcome", "Hi,\n\nVerify email: ", "https://acme.test/verify?t=1&u=2"),
        (
            "登録確認",
            "アカウントの本登録を完了するには、次のURLにアクセスしてください:\n\n",
            "https://acme.test/v/abc123",
        ),
        (
            "Validez votre adresse",
            "Cliquez sur ce lien pour valider votre adresse e-mail :\n",
            "https://acme.test/fr/valider?x=9zz",
        ),
        (
            "Your temporary login code",
            "Log in with this magic link:\n",
            "https://notion.test/loginwithemail?state=abc&password=tiger-moon-sun",
        ),
        ("Подтвердите почту", "Подтвердите адрес почты по ссылке:\n", "https://acme.test/verify/7fk2"),
        ("Confirma tu cuenta", "Confirma tu correo:\n", "https://acme.test/confirmar/9x2"),
        ("Aktywuj konto", "Aktywuj konto:\n", "https://acme.test/aktywuj?k=a1b"),
    ];
    for (subject, text, url) in cases {
        assert_eq!(link(subject, &format!("{text}{url}\n\nhttps://acme.test/help?v=1")).as_deref(), Some(url), "{url}");
    }
    let message = "<a href='https://acme.test/fr/valider?x=9zz'>Valider mon compte</a><a href='https://acme.test/fr/valider/u?x=9zz'>Se désabonner</a>";
    assert_eq!(html("Bienvenue", message).1.as_deref(), Some("https://acme.test/fr/valider?x=9zz"));
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
        ("Log in", "Log in: https://acme.test/login?utm_source=mail42"),
        ("Confirm", "Confirm your email in the settings: https://acme.test/confirm"),
        ("Welcome", "Your account is ready. Watch the video:\nhttps://acme.test/v/abc123"),
        ("Your account", "To unsubscribe confirm here: https://acme.test/confirm?u=1"),
        (
            "Order",
            "Confirm the delivery of your order 77120: https://shop.test/confirm?o=12\nYour parcel is on its way.",
        ),
    ];
    for (subject, text) in cases {
        assert_eq!(link(subject, text), None, "{subject}: {text}");
    }
}
