//! Codes in forms, places and sentences that programs really use, and numbers and names that aren't codes. Generated.

use crate::verification::{VerificationInput, detect};

fn code(subject: &str, text: &str) -> Option<String> {
    let input =
        VerificationInput { subject, text: Some(text), from: "hello@n.example", ..VerificationInput::default() };
    detect(&input).and_then(|found| found.code)
}

fn html_code(subject: &str, html: &str) -> Option<String> {
    let input =
        VerificationInput { subject, html: Some(html), from: "hello@n.example", ..VerificationInput::default() };
    detect(&input).and_then(|found| found.code)
}

/// Checks all cases, and reports every wrong one.
fn check(cases: impl IntoIterator<Item = (String, String, Option<&'static str>)>) {
    let (mut total, mut wrong) = (0, Vec::new());
    for (subject, text, expected) in cases {
        total += 1;
        let found = if text.contains("<p") { html_code(&subject, &text) } else { code(&subject, &text) };
        if found.as_deref() != expected {
            wrong.push(format!("{found:?} instead of {expected:?}: {subject}: {text:?}"));
        }
    }
    assert!(total >= 20, "{total} variants");
    assert!(wrong.is_empty(), "{} of {total}:\n{}", wrong.len(), wrong.join("\n"));
}

const CODES: [&str; 3] = ["605837", "7719", "48291377"];

#[test]
fn a_clause_or_a_comma_may_follow_the_code() {
    let sentences = [
        "Your code is {}, valid for 10 minutes.",
        "Your code is {}; it expires in 10 minutes.",
        "Your code is {} and expires in 10 minutes.",
        "Your code is {} (valid for 10 minutes).",
        "Your code is {} – it is valid for 10 minutes.",
        "Dein Code lautet {} und gilt zehn Minuten.",
        "Ihr Code lautet {}, gültig für 10 Minuten.",
        "Votre code est {}, valable 10 minutes.",
        "Tu código es {}, válido durante 10 minutos.",
        "Seu código é {}, válido por 10 minutos.",
        "Il tuo codice è {}, valido per 10 minuti.",
        "Je code is {}, geldig voor 10 minuten.",
        "Din kod är {}, giltig i 10 minuter.",
        "Twój kod to {}, ważny przez 10 minut.",
        "Ваш код: {}, действителен 10 минут.",
        "Ваш код подтверждения {}, действует 10 минут.",
        "Your verification code {}, expires after 10 minutes.",
        "Use {}; it expires in 10 minutes. This is your sign-in code.",
        "Enter {} within 10 minutes. This is your verification code.",
        "Kodunuz {}, 10 dakika geçerlidir.",
        "Your verification code is {},10 minutes left.",
        "Your verification code is {}.Do not share it.",
        "您的验证码是:{},10分钟内有效。",
        "您的验证码为{}，5分钟内有效",
        "認証コード:{},10分間有効",
        "認証コードは{}です。10分間有効です。",
        "인증번호는 {}, 3분 내에 입력하세요.",
        "Your verification code is {}.It expires in 10 minutes.",
    ];
    let all = sentences
        .iter()
        .flat_map(|sentence| CODES.map(|code| ("Acme".to_owned(), sentence.replace("{}", code), Some(code))));
    check(all);
}

#[test]
fn the_one_time_code_is_returned_beside_other_codes() {
    let one_time = [
        "Your verification code is {}.",
        "Verification code: {}",
        "Ihr Bestätigungscode: {}",
        "Votre code de vérification : {}",
        "Tu código de verificación es {}.",
        "One-time passcode: {}",
        "Код подтверждения: {}",
        "验证码：{}",
    ];
    let others = [
        "Transaction code: 993311",
        "Transaction ID 993311",
        "Reference: 993311",
        "Reference code: 993311",
        "Order number 993311",
        "Your order 993311 is on its way.",
        "Door code: 993311",
        "Booking code: 993311",
        "Ticket #993311",
        "Bestellnummer 993311",
        "Référence : 993311",
        "Número de pedido: 993311",
        "Promo code: 993311",
        "Customer number: 993311",
        "订单号：993311",
        "Номер заказа: 993311",
    ];
    let all = one_time.iter().flat_map(|code| {
        let code = code.replace("{}", "605837");
        others.into_iter().flat_map(move |other| {
            [
                format!("{code}\n{other}\n"),
                format!("{other}\n{code}\n"),
                format!("{other}\n\n{code}\n\nThe Acme team\n"),
            ]
            .map(|text| ("Acme".to_owned(), text, Some("605837")))
        })
    });
    check(all);
}

#[test]
fn separators_marks_and_unusual_digits_are_read() {
    let forms = [
        "605837",
        "605 837",
        "605\u{a0}837",
        "605·837",
        "605•837",
        "605.837",
        "6-0-5-8-3-7",
        "6.0.5.8.3.7",
        "6/0/5/8/3/7",
        "6_0_5_8_3_7",
        "6,0,5,8,3,7",
        "6 0 5 8 3 7",
        "[6] [0] [5] [8] [3] [7]",
        "[6][0][5][8][3][7]",
        "6 | 0 | 5 | 8 | 3 | 7",
        "6|0|5|8|3|7",
        "#605837",
        "_605837_",
        "__605837__",
        "**605837**",
        "`605837`",
        "605\u{2043}837",
        "605\u{fe63}837",
        "605\u{2011}837",
        "605\u{2012}837",
        "605\u{2013}837",
        "605\u{2014}837",
        "605~837",
        "6\u{fe0f}\u{20e3}0\u{fe0f}\u{20e3}5\u{fe0f}\u{20e3}8\u{fe0f}\u{20e3}3\u{fe0f}\u{20e3}7\u{fe0f}\u{20e3}",
        "𝟔𝟎𝟓𝟖𝟑𝟕",
        "𝟼𝟶𝟻𝟾𝟹𝟽",
        "𝟲𝟬𝟱𝟴𝟯𝟳",
        "６０５８３７",
        "605\n837",
        "\u{201c}605837\u{201d}",
        "<605837>",
        "(605837)",
        "➜ 605837",
    ];
    for (subject, before) in [
        ("Your sign-in code", "Your verification code:\n\n"),
        ("Acme", "Your verification code is: "),
        ("Login", "Ihr Anmeldecode:\n\n"),
    ] {
        for form in forms {
            for after in ["\n\nIt expires in 10 minutes.\n", "\n"] {
                if form.contains('\n') && !before.ends_with('\n') {
                    continue;
                }
                let text = format!("{before}{form}{after}");
                let found = code(subject, &text).map(|code| code.replace('-', ""));
                assert_eq!(found.as_deref(), Some("605837"), "{text:?}");
            }
        }
    }
}

#[test]
fn codes_are_read_out_of_fields_images_cells_and_the_subject() {
    let parts = [
        "<input value=\"605837\">",
        "<input type=text readonly value='605837'>",
        "<input type='tel' value='605 837' />",
        "<img src=\"c.png\" alt=\"605837\">",
        "<img alt='605 837' src=x>",
        "<table><tr><td>6</td><td>0</td><td>5</td><td>8</td><td>3</td><td>7</td></tr></table>",
        "<table><tr><td>605</td><td>837</td></tr></table>",
        "<div>605</div><div>837</div>",
        "<span>6</span><span>0</span><span>5</span><span>8</span><span>3</span><span>7</span>",
        "<table><tr><td style='border:1px'>6</td><td>&nbsp;</td><td>0</td><td>&nbsp;</td><td>5</td><td>&nbsp;</td><td>8</td><td>&nbsp;</td><td>3</td><td>&nbsp;</td><td>7</td></tr></table>",
    ];
    let labels = ["Your verification code:", "Sign-in code", "Ihr Anmeldecode:", "Votre code de connexion"];
    for part in parts {
        for label in labels {
            for after in ["", "<p>It expires in 10 minutes.</p>"] {
                let html = format!("<p>{label}</p>{part}{after}");
                let found = html_code("Acme", &html).map(|code| code.replace('-', ""));
                assert_eq!(found.as_deref(), Some("605837"), "{html}");
            }
        }
    }
    for html in [
        "<p>Your verification code is on its way.</p><input type=hidden name=id value=605837>",
        "<p>Sign in to your account</p><img alt='Photo 605837' src=x><p>Thanks</p>",
        "<p>Your account</p><input type=submit value=4829>",
    ] {
        assert_eq!(html_code("Acme", html), None, "{html}");
    }
    for subject in [
        "605837 is your Acme code",
        "Your Acme code is 605837",
        "Your code: 605837",
        "Acme verification code 605837",
        "[Acme] Your login code is 605 837",
        "Dein Code: 605837",
        "Votre code de vérification : 605837",
        "605837 — your sign-in code",
        "【Acme】验证码 605837",
        "Код: 605837",
    ] {
        for text in ["", "Hello,\n\nsee the subject.\n\nAcme"] {
            assert_eq!(code(subject, text).as_deref(), Some("605837"), "{subject}");
        }
    }
}

#[test]
fn codes_bound_to_an_origin_are_read() {
    let mut variants = 0;
    for host in ["example.com", "login.acme.example", "acme.co.uk"] {
        for value in ["605837", "7719", "K7P4QX", "48291377"] {
            for text in [
                format!("{value} is your Acme code.\n\n@{host} #{value}\n"),
                format!("Hi,\n\n@{host} #{value}"),
                format!("Your order 993311 is paid. Confirm it with this code.\n\n@{host} #{value} %pay.example\n"),
            ] {
                assert_eq!(code("Acme", &text).as_deref(), Some(value), "{text}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
    for text in ["See @acme #605837 for news", "a@b.example #605837 is the ticket", "Follow @acme.example on #Twitter"]
    {
        assert_eq!(code("Acme", text), None, "{text}");
    }
}

#[test]
fn languages_written_without_accents_are_read() {
    let sentences = [
        "Ma xac minh cua ban la {}",
        "Ma xac thuc cua ban: {}",
        "Dogrulama kodunuz: {}",
        "Dogrulama kodu {}",
        "Giris kodunuz {}",
        "Vas kod za potvrdu je {}",
        "Vas sigurnosni kod: {}",
        "Vas overovaci kod je {}",
        "Overovaci kod: {}",
        "Prihlasovaci kod: {}",
        "Votre code de verification est {}",
        "Tu codigo de verificacion es {}",
        "Codigo de acceso: {}",
        "Seu codigo de verificacao: {}",
        "Codul dvs. de verificare este {}",
        "Ihr Bestaetigungscode lautet {}",
        "Bestatigungscode: {}",
        "Az On megerosito kodja: {}",
        "Twoj kod weryfikacyjny: {}",
        "Din bekraftelsekod ar {}",
        "Vahvistuskoodisi on {}",
        "Jusu patvirtinimo kodas: {}",
    ];
    check(sentences.iter().flat_map(|sentence| {
        CODES.map(|code| ("Acme".to_owned(), format!("{}\n", sentence.replace("{}", code)), Some(code)))
    }));
}

#[test]
fn groups_in_mixed_case_are_codes_and_words_are_not() {
    for value in [
        "hQ7-pZ2-Lm9",
        "aB3d-Ef6h",
        "x9Kp-2mQz-7rTs",
        "q7F-2Lp",
        "Zt4k-9Wma",
        "b3D-k8Q-w2E",
        "R2d2-c3Po",
        "tR5-uY7",
        "9aB-3cD",
        "xY12-zW34",
    ] {
        for layout in ["<p>Your sign-in code is</p><p><b>{}</b></p>", "<p>Your sign-in code:</p><h1>{}</h1><p>Bye</p>"]
        {
            let html = layout.replace("{}", value);
            assert_eq!(html_code("Your sign-in code", &html).as_deref(), Some(value), "{html}");
        }
    }
    for word in [
        "Sign-In",
        "One-Time",
        "Wi-Fi",
        "Log-In",
        "Self-Help",
        "Two-Step",
        "Face-Book",
        "Start-Ups",
        "High-Tech",
        "Drop-Down",
        "Must-Have",
    ] {
        for html in [
            format!("<p>Your sign-in code is on its way.</p><p><b>{word}</b></p>"),
            format!("<p>Code</p><h1>{word}</h1>"),
        ] {
            assert_eq!(html_code("Your account", &html), None, "{html}");
        }
    }
}

#[test]
fn instructions_need_no_word_for_code() {
    let sentences = [
        "Voer {} in om door te gaan met inloggen.",
        "Geben Sie {} ein, um sich anzumelden.",
        "Saisissez {} pour vous connecter.",
        "Introduce {} para iniciar sesión.",
        "Introduzca {} para verificar su cuenta.",
        "Insira {} para confirmar o seu e-mail.",
        "Inserisci {} per accedere al tuo account.",
        "Enter {} to continue signing in.",
        "Type {} to confirm your email address.",
        "Use {} to log in to Acme.",
        "Please enter {} on the sign-in page.",
        "Ange {} för att logga in.",
        "Indtast {} for at logge ind.",
        "Skriv inn {} for å logge inn.",
        "Wpisz {}, aby się zalogować.",
        "Zadejte {} pro přihlášení.",
        "Введите {}, чтобы войти в аккаунт.",
        "Giriş yapmak için {} girin.",
        "请输入 {} 完成登录。",
        "Nhập {} để đăng nhập.",
    ];
    check(sentences.iter().flat_map(|sentence| {
        [("605837", "605837"), ("118 907", "118907")]
            .map(|(shown, code)| ("Login".to_owned(), sentence.replace("{}", shown), Some(code)))
    }));
}

#[test]
fn words_of_tables_inside_names_of_services_exclude_nothing() {
    let names = [
        "SwiftCall",
        "PhoneHub",
        "OrderBird",
        "TicketSwap",
        "SaleForce",
        "CallRail",
        "SwiftKey",
        "FlightHub",
        "InvoiceNinja",
        "PromoBoxx",
        "CouponFollow",
        "ParcelLab",
        "RoomScore",
        "BookingSync",
        "MeetingBird",
        "VoucherCloud",
    ];
    check(names.iter().flat_map(|name| {
        [
            format!("Your {name} verification code is 605837."),
            format!("{name} verification code: 605837"),
            format!("605837 is your {name} login code"),
            format!("<p>Your {name} sign-in code is</p><p><b>605837</b></p>"),
        ]
        .map(|text| (name.to_string(), text, Some("605837")))
    }));
}

#[test]
fn other_codes_numbers_and_names_are_no_codes() {
    let texts = [
        "Claim your bonus now.\n\nUse Bonus Code : KING1",
        "New players get more. Use code: 1200START at sign-up.",
        "Use code: 50SPINS when you sign up",
        "Sign up with code LUCKY7 and get more",
        "Der Türcode für Ihre Unterkunft lautet 4471#. Check-in ab 15:00 Uhr.",
        "The door code is 4471#.",
        "Gate code 4471, key box 2210.",
        "Le code de la porte est 4471.",
        "El código de la puerta es 4471.",
        "Il codice della porta è 4471.",
        "De deurcode is 4471.",
        "Kod do drzwi: 4471",
        "Use promo code SPRING5 today",
        "Coupon code\n\n605837",
        "Reference code: 605837",
        "Your reference code is 605837.",
        "Referenzcode: 605837",
        "Code de référence : 605837",
        "Call 8005551234 to sign in by phone.",
        "Sign in to your account\n\n8005551234\n",
        "Log in with SSH2 and use the account i810.",
        "Account\n\nSSH2\n",
        "Your account on i810 is ready.\n\ni810\n",
        "Never share a code with anyone. Ticket 605837.",
        "Never share your verification code with anyone.\nOur office: 605837 Main Road",
        "We will never ask for your verification code. Case 605837",
        "ミーティングID: 845 2201 7734\nパスコード: 662901\n日時: 2026年3月16日 10:00",
        "ID de la reunión: 871 2204 9931\nCódigo de acceso: 553201",
        "ID da reunião: 871 2204 9931\nSenha: 553201",
        "ID riunione: 871 2204 9931\nPasscode: 553201",
        "Vergadering-id: 871 2204 9931\nToegangscode: 553201",
        "ID spotkania: 871 2204 9931\nKod dostępu: 553201",
        "Идентификатор конференции: 871 2204 9931\nКод доступа: 553201",
        "会议号：871 2204 9931\n会议密码：553201",
        "회의 ID: 871 2204 9931\n암호: 553201",
        "Toplantı Kimliği: 871 2204 9931\nParola: 553201",
        "Mötes-ID: 871 2204 9931\nLösenord: 553201",
        "Meeting ID: 871 2204 9931\nPasscode: 553201",
    ];
    let all =
        texts.iter().flat_map(|text| ["Acme", "Hello"].map(|subject| (subject.to_owned(), (*text).to_owned(), None)));
    check(all);
}
