//! Text whose character set is missing, unknown or wrong.

use encoding_rs::Encoding;

use crate::parse::parse;
use crate::tests::corpus_text;

/// Character sets and texts of at least 200 bytes in them.
const TEXTS: [(&str, &str); 20] = [
    ("windows-1251", RUSSIAN),
    ("koi8-r", RUSSIAN),
    ("iso-8859-5", RUSSIAN),
    ("koi8-u", UKRAINIAN),
    ("windows-1251", UKRAINIAN),
    ("shift_jis", JAPANESE),
    ("euc-jp", JAPANESE),
    ("iso-2022-jp", JAPANESE),
    ("gbk", CHINESE),
    ("gb18030", CHINESE),
    ("big5", TAIWANESE),
    ("euc-kr", KOREAN),
    ("windows-1250", CZECH),
    ("iso-8859-2", POLISH),
    ("windows-1252", GERMAN),
    ("windows-1253", GREEK),
    ("windows-1254", TURKISH),
    ("windows-1255", HEBREW),
    ("windows-1256", ARABIC),
    ("windows-874", THAI),
];

const RUSSIAN: &str = "Добрый день! Встреча переносится на четверг, потому что зал в среду занят. Пожалуйста, подтвердите, что вам удобно, и пришлите список участников до вечера. Если время не подходит, напишите, какое лучше. С уважением, Анна.";
const UKRAINIAN: &str = "Добрий день! Зустріч переноситься на четвер, бо зала в середу зайнята. Будь ласка, підтвердіть, що вам зручно, і надішліть перелік учасників до вечора. Якщо час не підходить, напишіть, який кращий. З повагою, Ганна Їжак.";
const JAPANESE: &str = "いつもお世話になっております。水曜日は会議室が使えないため、打ち合わせを木曜日の午後に変更させていただけないでしょうか。ご都合がよろしければ、今夜までに参加者の名前をお知らせください。よろしくお願いいたします。";
const CHINESE: &str = "您好！由于星期三会议室已经被占用，我们想把会议改到星期四下午。如果您方便的话，请在今天晚上之前确认，并把参加人员的名单发给我们。如果时间不合适，请告诉我们什么时候更好。谢谢您的理解与支持，祝您工作顺利，身体健康。";
const TAIWANESE: &str = "您好！由於星期三會議室已經被佔用，我們想把會議改到星期四下午。如果您方便的話，請在今天晚上之前確認，並把參加人員的名單寄給我們。如果時間不合適，請告訴我們什麼時候比較好。謝謝您的理解與支持，祝您工作順利，身體健康。";
const KOREAN: &str = "안녕하세요. 수요일에는 회의실을 사용할 수 없어서 회의를 목요일 오후로 옮기려고 합니다. 괜찮으시면 오늘 저녁까지 확인해 주시고 참석자 명단을 보내 주세요. 시간이 맞지 않으면 언제가 좋은지 알려 주시기 바랍니다. 감사합니다.";
const CZECH: &str = "Dobrý den, schůzka se přesouvá na čtvrtek, protože sál je ve středu obsazený. Potvrďte prosím, že se vám to hodí, a pošlete seznam účastníků do večera. Pokud vám čas nevyhovuje, napište, který je lepší. Děkuji a těším se, Žaneta Příhodová.";
const POLISH: &str = "Dzień dobry, spotkanie przenosimy na czwartek, ponieważ w środę sala jest zajęta. Proszę potwierdzić, że termin Państwu odpowiada, i przesłać listę uczestników do wieczora. Jeśli godzina jest niewłaściwa, proszę napisać, która będzie lepsza. Dziękuję, Łucja Żółć.";
const GERMAN: &str = "Guten Tag, die Besprechung muss auf Donnerstag verschoben werden, weil der große Saal am Mittwoch schon belegt ist. Bitte bestätigen Sie, dass es Ihnen paßt, und schicken Sie die Liste der Gäste bis heute Abend. Schöne Grüße aus Köln, Jürgen Müßig";
const GREEK: &str = "Καλημέρα σας, η συνάντηση μεταφέρεται την Πέμπτη, γιατί η αίθουσα την Τετάρτη είναι κλεισμένη. Παρακαλώ επιβεβαιώστε ότι σας βολεύει και στείλτε τον κατάλογο των συμμετεχόντων μέχρι το βράδυ. Με εκτίμηση, Άννα Παπαδοπούλου.";
const TURKISH: &str = "Merhaba, toplantı perşembe gününe alındı, çünkü salon çarşamba günü dolu. Lütfen sizin için uygun olup olmadığını bildirin ve katılımcı listesini akşama kadar gönderin. Saat uygun değilse hangisinin daha iyi olduğunu yazın. Teşekkürler, Işıl Çağlayan.";
const HEBREW: &str = "שלום רב, הפגישה עוברת ליום חמישי, כי האולם תפוס ביום רביעי. אנא אשרו שהזמן נוח לכם ושלחו את רשימת המשתתפים עד הערב. אם השעה אינה מתאימה, כתבו לנו איזו שעה עדיפה, ונמצא מועד אחר שמתאים לכולם. בברכה, חנה לוי ממשרד הניהול של החברה.";
const ARABIC: &str = "السلام عليكم، تم تأجيل الاجتماع إلى يوم الخميس لأن القاعة محجوزة يوم الأربعاء. يرجى تأكيد أن الموعد يناسبكم وإرسال قائمة المشاركين قبل المساء. إذا كان الوقت غير مناسب، فاكتبوا لنا أي وقت أفضل. مع خالص التحية والتقدير، ليلى أحمد من قسم الإدارة.";
const THAI: &str = "สวัสดีค่ะ ขอเลื่อนการประชุมไปเป็นวันพฤหัสบดี เพราะห้องประชุมวันพุธไม่ว่าง กรุณายืนยันว่าสะดวกหรือไม่ และส่งรายชื่อผู้เข้าร่วมภายในเย็นนี้ หากเวลาไม่เหมาะสม โปรดแจ้งเวลาที่สะดวกกว่านี้ และถ้ามีคำถามใด ๆ ติดต่อเราได้ตลอดเวลา ขอบคุณมากค่ะ";

fn encoded(label: &str, text: &str) -> Vec<u8> {
    let (bytes, _, has_errors) = Encoding::for_label(label.as_bytes()).unwrap().encode(text);
    assert!(!has_errors, "{label}: {text}");
    bytes.into_owned()
}

fn read(head: &str, body: &[u8]) -> (Option<String>, Option<String>) {
    let raw = [b"From: Ann <ann@a.example>\r\n", head.as_bytes(), b"\r\n\r\n", body].concat();
    let parsed = parse(&raw);
    (parsed.text, parsed.html)
}

#[test]
fn texts_without_a_right_character_set_are_decoded() {
    for (label, text) in TEXTS {
        let body = encoded(label, text);
        assert!(body.len() >= 200, "{label}");
        for kind in ["", "; charset=us-ascii", "; charset=unknown-8bit", "; charset=x-none", "; charset=utf-8"] {
            let head = format!("Content-Type: text/plain{kind}");
            assert_eq!(read(&head, &body).0.as_deref(), Some(text), "{label}{kind}");
            let page = [b"<html><p>", &body[..], b"</p></html>"].concat();
            let html = read(&format!("Content-Type: text/html{kind}"), &page).1;
            assert_eq!(html, Some(format!("<html><p>{text}</p></html>")), "{label}{kind}");
        }
        assert_eq!(read("X: y", &body).0.as_deref(), Some(text), "{label}");
    }
}

#[test]
fn raw_headers_are_decoded_with_the_text_of_the_message() {
    for (label, text) in TEXTS {
        let title: String = text.chars().filter(|c| !",.!。，、".contains(*c)).take(12).collect();
        let (body, title_bytes) = (encoded(label, text), encoded(label, title.trim()));
        let raw = [b"From: \"", &title_bytes[..], b"\" <ann@a.example>\r\nSubject: ", &title_bytes, b"\r\n\r\n", &body];
        let raw = raw.concat();
        let parsed = parse(&raw);
        assert_eq!(parsed.subject.as_deref(), Some(title.trim()), "{label}");
        if let Ok(author) = parsed.author {
            assert_eq!(author.mailbox().name(), Some(title.trim()), "{label}");
        }
    }
}

#[test]
fn the_page_states_its_character_set_where_the_header_does_not() {
    let mut variants = 0;
    for (label, text) in TEXTS.into_iter().filter(|(label, _)| *label != "iso-2022-jp") {
        let short: String = text.chars().take(3).collect();
        for meta in [
            format!("<meta charset={label}>"),
            format!("<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset={label}'>"),
            format!("<meta name=x content=y><meta charset = \"{}\" />", label.to_uppercase()),
        ] {
            for padding in [0, 3_000, 15_000] {
                let before = format!("<html><head><style>{}</style>{meta}</head>", "x".repeat(padding));
                let page = [before.as_bytes(), &encoded(label, &short)].concat();
                let html = read("Content-Type: text/html", &page).1.unwrap();
                assert!(html.ends_with(&short), "{label} {padding}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
    // A parameter of a link and the text of the page state nothing.
    let page = [b"<a href='?charset=koi8-r'>x</a> charset=koi8-r ", &encoded("windows-1251", RUSSIAN)[..]].concat();
    assert!(read("Content-Type: text/html", &page).1.unwrap().ends_with(RUSSIAN));
}

#[test]
fn marks_and_escape_sequences_count_without_a_label() {
    let utf_16 = |text: &str, is_little: bool| -> Vec<u8> {
        let units =
            text.encode_utf16().flat_map(|unit| if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() });
        let mark: [u8; 2] = if is_little { [0xff, 0xfe] } else { [0xfe, 0xff] };
        mark.into_iter().chain(units).collect()
    };
    use base64::Engine as _;
    let base64 = base64::engine::general_purpose::STANDARD;
    for (_, text) in TEXTS {
        for is_little in [true, false] {
            for kind in ["", "; charset=utf-8", "; charset=us-ascii", "; charset=iso-8859-1"] {
                let body = base64.encode(utf_16(text, is_little));
                let head = format!("Content-Type: text/plain{kind}\r\nContent-Transfer-Encoding: base64");
                assert_eq!(read(&head, body.as_bytes()).0.as_deref(), Some(text), "{kind}");
            }
        }
    }
    let korean = b"\x1b$)C\r\n\x0eGQ1[\x0f a";
    let japanese = b"\x1b$B2q5D\x1b(B\x1b$B$N\x1b(B (2)";
    for kind in ["", "; charset=utf-8", "; charset=us-ascii", "; charset=iso-8859-1", "; charset=x-unknown"] {
        let head = format!("Content-Type: text/plain{kind}");
        assert_eq!(read(&head, korean).0.as_deref(), Some("\n한글 a"), "{kind}");
        assert_eq!(read(&head, japanese).0.as_deref(), Some("会議の (2)"), "{kind}");
    }
    // UTF-7 only where it is stated.
    assert_eq!(read("Content-Type: text/plain", b"1 +AOk- 2").0.as_deref(), Some("1 +AOk- 2"));
}

#[test]
fn a_stated_character_set_that_fits_is_kept() {
    for (label, text) in TEXTS {
        for other in ["Grüße", "x", ""] {
            let body = [&encoded(label, text)[..], b"\r\n"].concat();
            let head = format!("Subject: =?utf-8?q?{other}?=\r\nContent-Type: text/plain; charset={label}");
            assert_eq!(read(&head, &body).0, Some(format!("{text}\n")), "{label}");
        }
    }
    for damaged in ["Grüße aus Köln \u{1}und Wien", "日本\u{1}語"] {
        let bytes: Vec<u8> = damaged.bytes().map(|byte| if byte == 1 { 0xff } else { byte }).collect();
        let text = read("Content-Type: text/plain; charset=utf-8", &bytes).0.unwrap();
        assert_eq!(text, damaged.replace('\u{1}', "\u{fffd}"));
    }
}

#[test]
fn adjacent_encoded_words_with_shift_sequences_are_decoded_each() {
    use base64::Engine as _;
    let base64 = base64::engine::general_purpose::STANDARD;
    let mut variants = 0;
    for (label, words) in [
        ("ISO-2022-JP", ["会議の", "ご案内", "カタカナ", "日本語"]),
        ("iso-2022-jp", ["a会議", "議b", "x", "「案」"]),
        ("Shift_JIS", ["会議の", "ご案内", "ソ", "表示"]),
        ("gb2312", ["会议", "日程", "安排", "x"]),
    ] {
        for count in 2..=words.len() {
            for gap in [" ", "\r\n ", "\t"] {
                let encoded = |word: &&str| {
                    let bytes = encoded(label, word);
                    let q: String = bytes.iter().map(|byte| format!("={byte:02X}")).collect();
                    [format!("=?{label}?B?{}?=", base64.encode(&bytes)), format!("=?{label}?Q?{q}?=")]
                };
                for way in 0..2 {
                    let all: Vec<String> = words[..count].iter().map(|word| encoded(word)[way].clone()).collect();
                    let value = all.join(gap);
                    let raw =
                        format!("Subject: Re: {value}\r\nTo: {value} <b@b.example>\r\nFrom: a@a.example\r\n\r\nx");
                    let parsed = parse(raw.as_bytes());
                    let expected = words[..count].concat();
                    assert_eq!(parsed.subject, Some(format!("Re: {expected}")), "{raw}");
                    assert_eq!(parsed.to[0].mailbox.as_ref().unwrap().name(), Some(&*expected), "{raw}");
                    variants += 1;
                }
            }
        }
    }
    assert!(variants >= 20);
}

#[derive(serde::Deserialize)]
struct AccountMail {
    lang: String,
    text: String,
}

/// The legacy character sets of a language.
fn sets_of(language: &str) -> &'static [&'static str] {
    match language {
        "bg" | "sr" => &["windows-1251", "iso-8859-5"],
        "ru" => &["windows-1251", "koi8-r", "iso-8859-5"],
        "uk" => &["windows-1251", "koi8-u"],
        "cs" | "hr" | "hu" | "pl" | "sk" | "sl" => &["windows-1250", "iso-8859-2"],
        "el" => &["windows-1253", "iso-8859-7"],
        "et" | "lt" | "lv" => &["windows-1257"],
        "ar" | "fa" => &["windows-1256"],
        "he" => &["windows-1255"],
        "ja" => &["shift_jis", "euc-jp", "iso-2022-jp"],
        "ko" => &["euc-kr"],
        "th" => &["windows-874"],
        "tr" => &["windows-1254"],
        "zh-hans" => &["gbk"],
        _ => &["windows-1252"],
    }
}

#[test]
fn mails_of_the_corpus_are_decoded_without_a_character_set() {
    /// The least share of mails that are decoded right.
    const SHARE_MIN: f64 = 0.99;
    let Some(corpus) = corpus_text("verification/mails.jsonl") else { return };
    let (mut total, mut right) = (0_u32, 0_u32);
    for mail in corpus.lines().map(|line| serde_json::from_str::<AccountMail>(line).unwrap()) {
        for label in sets_of(&mail.lang) {
            let (body, _, has_errors) = Encoding::for_label(label.as_bytes()).unwrap().encode(&mail.text);
            if has_errors || body.len() < 200 {
                continue;
            }
            total += 1;
            let text = read("Content-Type: text/plain", &body).0.unwrap();
            right += u32::from(text == mail.text);
            if text != mail.text {
                let differs = text.chars().zip(mail.text.chars()).filter(|(one, other)| one != other);
                println!("{} in {label}: {:?}", mail.lang, differs.take(6).collect::<Vec<_>>());
            }
        }
    }
    println!("charsets: {right} of {total} mails are decoded right");
    assert!(total > 0 && f64::from(right) / f64::from(total) >= SHARE_MIN);
}

#[test]
fn the_ascii_line_end_behind_wide_characters_is_no_character() {
    for text in [GERMAN, RUSSIAN, JAPANESE] {
        for is_big in [false, true] {
            let unit = |unit: u16| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() };
            let body: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(unit).collect();
            for end in ["\r\n", ""] {
                for kind in ["text/plain", "text/plain; charset=us-ascii", "text/plain; charset=x-unknown"] {
                    let head = format!("From: a@x.example\r\nContent-Type: {kind}\r\n\r\n");
                    let raw = [head.as_bytes(), &body, end.as_bytes()].concat();
                    assert_eq!(parse(&raw).text.as_deref().map(str::trim_end), Some(text.trim_end()), "{kind}");
                }
            }
        }
    }
}
