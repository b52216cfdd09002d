//! Replies of many clients, languages and layouts, generated from their templates, with the text that must be left.

use crate::extract::new_text;

/// What a client writes in one language, and what people write.
struct Language {
    /// Attributions. `@` stands for name and address, `%` for the name alone.
    attributions: &'static [&'static str],
    /// The labels of sender, date, recipient and subject, and a date.
    labels: [&'static str; 5],
    /// The words of the separator above an original message.
    original: &'static str,
    /// The line of a mobile client.
    mobile: &'static str,
    /// Two questions and their answers.
    texts: [&'static str; 4],
}

const LANGUAGES: [Language; 14] = [
    Language {
        attributions: &[
            "On Tue, Nov 5, 2013 at 10:07 AM, @ wrote:",
            "On 5 Nov 2013, at 10:07, @ wrote:",
            "On 11/05/2013 10:07 AM, % wrote:",
            "Quoting @:",
            "@ wrote on 11/05/2013 10:07:00 AM:",
        ],
        labels: ["From", "Sent", "To", "Subject", "Tuesday, November 5, 2013 10:07 AM"],
        original: "Original Message",
        mobile: "Sent from my iPhone",
        texts: [
            "Can you come on Friday?",
            "Who brings the projector?",
            "Yes, I can be there by noon.",
            "Paul has one in his office.",
        ],
    },
    Language {
        attributions: &[
            "Am Di., 5. Nov. 2013 um 10:07 Uhr schrieb @:",
            "Am 05.11.2013 um 10:07 schrieb %:",
            "@ schrieb am Di., 5. Nov. 2013 um 10:07 Uhr:",
            "% schrieb am 05.11.2013 um 10:07 Uhr:",
            "Zitat von @:",
        ],
        labels: ["Von", "Gesendet", "An", "Betreff", "Dienstag, 5. November 2013 10:07"],
        original: "Ursprüngliche Nachricht",
        mobile: "Von meinem iPhone gesendet",
        texts: [
            "Kommst du am Freitag?",
            "Wer bringt den Beamer mit?",
            "Ja, ich bin bis Mittag da.",
            "Paul hat einen im Büro.",
        ],
    },
    Language {
        attributions: &[
            "Le mar. 5 nov. 2013 à 10:07, @ a écrit :",
            "Le 05/11/2013 à 10:07, % a écrit :",
            "@ a écrit le 5 nov. 2013 à 10:07 :",
        ],
        labels: ["De", "Envoyé", "À", "Objet", "mardi 5 novembre 2013 10:07"],
        original: "Message d'origine",
        mobile: "Envoyé de mon iPhone",
        texts: [
            "Peux-tu venir vendredi ?",
            "Qui apporte le projecteur ?",
            "Oui, je serai là à midi.",
            "Paul en a un au bureau.",
        ],
    },
    Language {
        attributions: &["El mar, 5 nov 2013 a las 10:07, @ escribió:", "El 05/11/2013 a las 10:07, % escribió:"],
        labels: ["De", "Enviado el", "Para", "Asunto", "martes, 5 de noviembre de 2013 10:07"],
        original: "Mensaje original",
        mobile: "Enviado desde mi iPhone",
        texts: [
            "¿Puedes venir el viernes?",
            "¿Quién trae el proyector?",
            "Sí, llego a mediodía.",
            "Paul tiene uno en su despacho.",
        ],
    },
    Language {
        attributions: &["Em ter., 5 de nov. de 2013 às 10:07, @ escreveu:", "Em 05/11/2013 10:07, % escreveu:"],
        labels: ["De", "Enviada em", "Para", "Assunto", "terça-feira, 5 de novembro de 2013 10:07"],
        original: "Mensagem original",
        mobile: "Enviado do meu iPhone",
        texts: [
            "Você pode vir na sexta?",
            "Quem traz o projetor?",
            "Sim, chego ao meio-dia.",
            "Paul tem um no escritório.",
        ],
    },
    Language {
        attributions: &["Il giorno mar 5 nov 2013 alle ore 10:07 @ ha scritto:", "Il 05/11/2013 10:07, % ha scritto:"],
        labels: ["Da", "Inviato", "A", "Oggetto", "martedì 5 novembre 2013 10:07"],
        original: "Messaggio originale",
        mobile: "Inviato da iPhone",
        texts: [
            "Puoi venire venerdì?",
            "Chi porta il proiettore?",
            "Sì, arrivo per mezzogiorno.",
            "Paul ne ha uno in ufficio.",
        ],
    },
    Language {
        attributions: &["Op di 5 nov. 2013 om 10:07 schreef @:", "Op 5-11-2013 om 10:07 schreef %:"],
        labels: ["Van", "Verzonden", "Aan", "Onderwerp", "dinsdag 5 november 2013 10:07"],
        original: "Oorspronkelijk bericht",
        mobile: "Verstuurd vanaf mijn iPhone",
        texts: [
            "Kun je vrijdag komen?",
            "Wie brengt de beamer mee?",
            "Ja, ik ben er om twaalf uur.",
            "Paul heeft er een op kantoor.",
        ],
    },
    Language {
        attributions: &["Den tis 5 nov. 2013 kl 10:07 skrev @:", "Den 2013-11-05 kl. 10:07, skrev %:"],
        labels: ["Från", "Skickat", "Till", "Ämne", "den 5 november 2013 10:07"],
        original: "Ursprungligt meddelande",
        mobile: "Skickat från min iPhone",
        texts: [
            "Kan du komma på fredag?",
            "Vem tar med projektorn?",
            "Ja, jag är där vid lunch.",
            "Paul har en på kontoret.",
        ],
    },
    Language {
        attributions: &["wt., 5 lis 2013 o 10:07 @ napisał(a):", "W dniu 05.11.2013 o 10:07, % pisze:"],
        labels: ["Od", "Wysłano", "Do", "Temat", "wtorek, 5 listopada 2013 10:07"],
        original: "Wiadomość oryginalna",
        mobile: "Wysłane z iPhone'a",
        texts: [
            "Przyjdziesz w piątek?",
            "Kto przyniesie rzutnik?",
            "Tak, będę przed południem.",
            "Paul ma jeden w biurze.",
        ],
    },
    Language {
        attributions: &["út 5. 11. 2013 v 10:07 odesílatel @ napsal:", "Dne 05.11.2013 v 10:07 % napsal(a):"],
        labels: ["Od", "Odesláno", "Komu", "Předmět", "úterý 5. listopadu 2013 10:07"],
        original: "Původní zpráva",
        mobile: "Odesláno z iPhonu",
        texts: ["Přijdeš v pátek?", "Kdo přinese projektor?", "Ano, budu tam v poledne.", "Paul má jeden v kanceláři."],
    },
    Language {
        attributions: &[
            "вт, 5 нояб. 2013 г. в 10:07, @:",
            "05.11.2013 10:07, % пишет:",
            "5 ноября 2013 г., 10:07 пользователь @ написал:",
        ],
        labels: ["От", "Отправлено", "Кому", "Тема", "5 ноября 2013 г. 10:07"],
        original: "Исходное сообщение",
        mobile: "Отправлено с iPhone",
        texts: ["Ты придёшь в пятницу?", "Кто принесёт проектор?", "Да, буду к полудню.", "У Павла есть один в офисе."],
    },
    Language {
        attributions: &["@, 5 Kas 2013 Sal, 10:07 tarihinde şunu yazdı:", "05.11.2013 10:07 tarihinde % yazdı:"],
        labels: ["Kimden", "Gönderildi", "Kime", "Konu", "5 Kasım 2013 Salı 10:07"],
        original: "Orijinal Mesaj",
        mobile: "iPhone'umdan gönderildi",
        texts: [
            "Cuma günü gelir misin?",
            "Projektörü kim getirecek?",
            "Evet, öğlene orada olurum.",
            "Paul'ün ofisinde bir tane var.",
        ],
    },
    Language {
        attributions: &["2013年11月5日(火) 10:07 @:", "2013年11月5日 10:07、%のメール："],
        labels: ["差出人", "送信日時", "宛先", "件名", "2013年11月5日 10:07"],
        original: "元のメッセージ",
        mobile: "iPhoneから送信",
        texts: ["金曜日に来られますか", "プロジェクターは誰が", "はい、昼までに行きます", "ポールの部屋にあります"],
    },
    Language {
        attributions: &["@ 于2013年11月5日周二 10:07写道：", "在 2013年11月5日，10:07，@ 写道："],
        labels: ["发件人", "发送时间", "收件人", "主题", "2013年11月5日 10:07"],
        original: "原始邮件",
        mobile: "发自我的 iPhone",
        texts: ["星期五你能来吗？", "谁带投影仪？", "可以，中午到。", "保罗办公室有一台。"],
    },
];

/// How a mail program breaks a long attribution.
const BREAKS: [fn(&str) -> String; 6] = [
    |line| line.to_owned(),
    |line| line.replacen(" <", "\n<", 1),
    |line| line.replacen('<', "<\n", 1).replacen("ann@a", "mailto:ann@a", 1),
    |line| line.replacen('>', "\n>", 1),
    |line| wrapped(line, 30),
    |line| wrapped(line, 20),
];

/// Breaks a line at blanks, so that no line is longer than `width` if possible.
fn wrapped(line: &str, width: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    for word in line.split(' ') {
        let is_full = length > 0 && length + word.chars().count() >= width;
        if length > 0 {
            out.push(if is_full { '\n' } else { ' ' });
        }
        length = if is_full { 0 } else { length } + word.chars().count() + 1;
        out.push_str(word);
    }
    out
}

/// Where the reply is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Style {
    Top,
    Bottom,
    Between,
}

const STYLES: [Style; 3] = [Style::Top, Style::Bottom, Style::Between];

#[derive(Default)]
struct Rates {
    total: u32,
    equal: u32,
    leaked: u32,
}

impl Rates {
    fn check(&mut self, found: &str, expected: &str, history: &[&str], mail: &str) {
        let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (found, expected) = (fold(found), fold(expected));
        let is_leak = history.iter().any(|line| found.contains(&fold(line)));
        self.total += 1;
        self.equal += u32::from(found == expected);
        self.leaked += u32::from(is_leak);
        if found != expected {
            println!("--- expected {expected:?}, found {found:?} in\n{mail}");
        }
    }

    fn assert(&self, what: &str) {
        println!("{what}: {} mails, equal {}, leaked {}", self.total, self.equal, self.leaked);
        assert!(self.total >= 150 && self.leaked == 0 && self.equal == self.total, "{what}");
    }
}

/// Returns a mail with `attribution` in which `quote` quotes the questions, and the text that must be left.
fn mail(language: &Language, attribution: &str, style: Style, quote: impl Fn(&str) -> String) -> (String, String) {
    let [first, second, answer, other] = language.texts;
    match style {
        Style::Top => {
            let history = quote(&format!("{first}\n\n{second}"));
            (format!("{answer}\n\n{other}\n\n{attribution}\n\n{history}\n"), format!("{answer}\n\n{other}"))
        }
        Style::Bottom => {
            let history = quote(&format!("{first}\n\n{second}"));
            (format!("{attribution}\n{history}\n\n{answer}\n\n{other}\n"), format!("{answer}\n\n{other}"))
        }
        Style::Between => {
            let (first, second) = (quote(first), quote(second));
            (format!("{attribution}\n\n{first}\n\n{answer}\n\n{second}\n{other}\n"), format!("{answer}\n\n{other}"))
        }
    }
}

fn prefixed(prefix: &str) -> impl Fn(&str) -> String {
    move |text| text.lines().map(|line| format!("{prefix}{line}")).collect::<Vec<_>>().join("\n")
}

fn named(template: &str) -> String {
    template.replace('@', "Ann Doe <ann#a.example>").replace('%', "Ann Doe").replace('#', "@")
}

#[test]
fn attributed_quotes_in_plain_text_are_left_out() {
    let mut rates = Rates::default();
    for language in &LANGUAGES {
        for (attribution, style) in
            language.attributions.iter().flat_map(|line| STYLES.map(|style| (named(line), style)))
        {
            for lines in BREAKS.iter().map(|lines| lines(&attribution)) {
                for prefix in ["> ", ">", "| ", "AD> ", " AD>> "] {
                    let (text, expected) = mail(language, &lines, style, prefixed(prefix));
                    let found = new_text(Some(&text), None).unwrap().text;
                    rates.check(
                        &found,
                        &expected,
                        &[language.texts[0], language.texts[1], "a.example", "Ann Doe"],
                        &text,
                    );
                }
            }
        }
    }
    rates.assert("plain text with quote characters");
}

#[test]
fn attributed_history_without_quote_characters_is_left_out() {
    let mut rates = Rates::default();
    for language in &LANGUAGES {
        for attribution in language.attributions {
            for lines in BREAKS.iter().map(|lines| lines(&named(attribution))) {
                for signature in ["", "\n\n-- \nBob Roe\n+1 555 0100", language.mobile] {
                    let (text, expected) =
                        mail(language, &format!("{signature}\n\n{lines}"), Style::Top, str::to_owned);
                    let found = new_text(Some(&text), None).unwrap().text;
                    rates.check(
                        &found,
                        &expected,
                        &[language.texts[0], language.texts[1], "a.example", "Ann Doe"],
                        &text,
                    );
                }
            }
        }
    }
    rates.assert("plain text without quote characters");
}

#[test]
fn header_blocks_and_separators_are_left_out() {
    let mut rates = Rates::default();
    for language in &LANGUAGES {
        let [from, sent, to, subject, date] = language.labels;
        let fields =
            [(from, "Ann Doe <ann@a.example>"), (sent, date), (to, "Bob Roe <bob@b.example>"), (subject, "Friday")];
        for (before, after) in [("", ":"), ("*", ":*"), ("**", ":**"), ("", " :"), ("", "：")] {
            for gap in ["\n", "\n\n"] {
                let block: Vec<String> =
                    fields.iter().map(|(label, value)| format!("{before}{label}{after} {value}")).collect();
                let block = block.join(gap);
                let original = language.original;
                let heads = [
                    block.clone(),
                    format!("-----{original}-----\n{block}"),
                    format!("-------- {original} --------\n\n{block}"),
                    format!("________________________________\n{block}"),
                    format!("{}\n\n{block}", language.mobile),
                ];
                for head in heads {
                    for quote in ["", "> "] {
                        let (text, expected) = mail(language, &head, Style::Top, prefixed(quote));
                        let found = new_text(Some(&text), None).unwrap().text;
                        rates.check(
                            &found,
                            &expected,
                            &[language.texts[0], language.texts[1], "a.example", original],
                            &text,
                        );
                    }
                }
            }
        }
    }
    rates.assert("header blocks");
}

#[test]
fn attributions_with_a_date_and_a_name_are_left_out() {
    let mut rates = Rates::default();
    for language in &LANGUAGES {
        for date in ["2013/7/20", "2013-07-20 10:07", "20.07.2013 10:07", "2013年7月20日"] {
            for author in [
                "Ann Doe <ann@a.example>",
                "Ann Doe via The List <list@a.example>",
                "Ann Doe via The\nList <list@a.example>",
            ] {
                for style in STYLES {
                    for colon in ["", ":"] {
                        let head = format!("{date} {author}{colon}");
                        let (text, expected) = mail(language, &head, style, prefixed("> "));
                        let found = new_text(Some(&text), None).unwrap().text;
                        rates.check(
                            &found,
                            &expected,
                            &[language.texts[0], language.texts[1], "a.example", "Ann Doe"],
                            &text,
                        );
                    }
                }
            }
            for style in STYLES {
                let (text, expected) = mail(language, &format!("{date} Ann Doe via The List"), style, prefixed("> "));
                let found = new_text(Some(&text), None).unwrap().text;
                rates.check(&found, &expected, &[language.texts[0], language.texts[1], "Ann Doe"], &text);
            }
        }
    }
    rates.assert("dates with a name");
}

/// Confidentiality notices.
const NOTICES: [&str; 8] = [
    "This e-mail and any attachments are confidential and intended solely for the addressee. If you are not the\nintended recipient, please notify the sender and delete it.",
    "CONFIDENTIALITY NOTICE: The contents of this message may be privileged. Any unauthorized disclosure, copying or\ndistribution is prohibited.",
    "Diese E-Mail enthält vertrauliche oder rechtlich geschützte Informationen. Wenn Sie nicht der richtige Adressat\nsind, informieren Sie bitte den Absender.",
    "Ce message et ses pièces jointes sont confidentiels et destinés exclusivement au destinataire. Si vous avez reçu ce message par erreur, merci de le détruire. Toute divulgation est interdite.",
    "Este mensaje es confidencial y va dirigido exclusivamente a su destinatario. Si lo ha recibido por error, le rogamos que lo comunique al remitente y lo elimine.",
    "Le informazioni contenute in questo messaggio sono riservate e per uso esclusivo del destinatario. Se ricevete\nquesto messaggio per errore, vi preghiamo di cancellarlo.",
    "Dit bericht is vertrouwelijk en alleen bestemd voor de geadresseerde. Als u dit bericht abusievelijk ontvangt,\nverzoeken wij u het te vernietigen en de afzender te informeren.",
    "Настоящее сообщение является конфиденциальным. Если вы не являетесь его адресатом или получили его по ошибке, удалите сообщение.",
];

#[test]
fn what_programs_put_below_a_reply_is_left_out() {
    let mut rates = Rates::default();
    let lists = [
        "_____\nstaff mailing list\nhttps://lists.a.example/listinfo/staff",
        "---\nYou are receiving this because you commented.",
    ];
    let below: Vec<&str> = NOTICES.iter().chain(&lists).copied().collect();
    for language in &LANGUAGES {
        for notice in &below {
            for signature in ["", "-- \nBob Roe", language.mobile] {
                let [first, second, answer, other] = language.texts;
                let attribution = named(language.attributions[0]);
                let text =
                    format!("{answer}\n\n{other}\n\n{signature}\n\n{notice}\n\n{attribution}\n> {first}\n> {second}\n");
                let found = new_text(Some(&text), None).unwrap().text;
                rates.check(&found, &format!("{answer}\n{other}"), &[first, second, "a.example", "Ann Doe"], &text);
            }
        }
    }
    rates.assert("notices and footers");
}

#[test]
fn a_forwarded_message_is_content() {
    for language in &LANGUAGES {
        let [from, sent, to, subject, date] = language.labels;
        let [first, second, answer, _] = language.texts;
        for head in [
            "---------- Forwarded message ---------",
            "-------- Weitergeleitete Nachricht --------",
            "Begin forwarded message:",
        ] {
            let block = format!("{from}: Ann Doe <ann@a.example>\n{sent}: {date}\n{to}: Bob\n{subject}: Hi");
            let text = format!("{answer}\n\n{head}\n{block}\n\n{first}\n> {second}");
            assert_eq!(new_text(Some(&text), None).unwrap().text, text);
        }
    }
}

/// HTML of clients: `%` stands for the attribution, `^` for the reply, `~` for the history.
const CLIENTS: [&str; 20] = [
    "<div dir=ltr>^</div><br><div class=\"gmail_quote\"><div dir=ltr class=\"gmail_attr\">%<br></div><blockquote class=\"gmail_quote\" style=\"margin:0\">~</blockquote></div>",
    "<div dir=auto>^</div><div class=\"gmail_quote gmail_quote_container\"><div class=gmail_attr>%</div><blockquote class=\"gmail_quote\">~</blockquote></div>",
    "<html><body>^<div><br><blockquote type=\"cite\"><div>%</div><br><div>~</div></blockquote></div></body></html>",
    "<p>^</p><div class=\"moz-cite-prefix\">%</div><blockquote type=\"cite\" cite=\"mid:x\">~</blockquote>",
    "<div>^</div><div class=\"protonmail_quote\">%<blockquote class=\"protonmail_quote\" type=cite>~</blockquote></div>",
    "<div class=\"protonmail_signature_block\"></div><div>^</div><div class=protonmail_quote>%<br><blockquote class=protonmail_quote>~</blockquote></div>",
    "<div>^</div><div id=\"yahoo_quoted_12\" class=\"yahoo_quoted\"><div>%</div><div>~</div></div>",
    "<div>^</div><div id=\"appendonsend\"></div><hr><div id=\"divRplyFwdMsg\" dir=ltr>%</div><div>~</div>",
    "<div>^</div><hr tabindex=\"-1\"><div id=\"x_divRplyFwdMsg\" dir=ltr>%</div><div>~</div>",
    "<p class=MsoNormal>^</p><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0in 0in 0in'><p class=MsoNormal>%</p></div><p class=MsoNormal>~</p>",
    "<div>^</div><div class=\"zmail_extra\"><div>---- % ----</div><blockquote class=blockquote_zmail>~</blockquote></div>",
    "<div>^</div><div>%</div><blockquote style=\"border-left:1px solid #0857A6;margin:10px\">~</blockquote>",
    "<div>^</div><div>%</div><blockquote>~</blockquote>",
    "<div>^</div><p id=\"reply-intro\">%</p><blockquote type=\"cite\">~</blockquote>",
    "<div>^</div><div name=\"messageReplySection\">%<blockquote>~</blockquote></div>",
    "<div>^</div><div class=\"tutanota_quote\">%<br>~</div>",
    "<div>^</div><br><div>%</div><br><div>~</div>",
    "<pre>^\n\n%\n~</pre>",
    "<div>^</div><div id=\"isReplyContent\">%<br>~</div>",
    "<div>^</div><blockquote type=\"cite\" id=\"qt\"><div>%</div><div>~</div></blockquote>",
];

#[test]
fn history_in_html_of_clients_is_left_out() {
    let escape = |text: &str| text.replace('<', "&lt;").replace('>', "&gt;");
    let mut rates = Rates::default();
    for language in &LANGUAGES {
        for attribution in language.attributions {
            for client in CLIENTS {
                let [first, second, answer, other] = language.texts;
                for mobile in ["", language.mobile] {
                    let new = format!("{answer}<br><br>{other}<br><br>{mobile}");
                    let html = client.replace('^', &new).replace('%', &escape(&named(attribution)));
                    let html = html.replace('~', &format!("{first}<br>{second}"));
                    let found = new_text(None, Some(&html)).unwrap().text;
                    rates.check(&found, &format!("{answer} {other}"), &[first, second, "a.example", "Ann Doe"], &html);
                }
            }
        }
    }
    rates.assert("HTML");
}

#[test]
fn a_mail_with_words_never_has_an_empty_text() {
    let english = &LANGUAGES[0];
    let [from, sent, to, subject, date] = english.labels;
    let block = format!("{from}: Ann Doe <ann@a.example>\n{sent}: {date}\n{to}: Bob\n{subject}: Hi");
    let pieces = [
        "> quoted words",
        "Sent from my iPhone",
        "-- ",
        "--",
        &block,
        "-----Original Message-----",
        "words",
        "Regards,\nBob",
        "",
        "On Tue, Nov 5, 2013 at 10:07 AM, Ann Doe <ann@a.example> wrote:",
        "##- Please type your reply above this line -##",
        "________________________________",
        "AD> quoted\nAD> words",
        "| a bar",
        "---------- Forwarded message ---------",
        "    indented",
    ];
    for first in pieces {
        for second in pieces {
            for third in pieces {
                let text = [first, second, third].join("\n");
                let html =
                    format!("<div>{}</div>", text.replace('<', "&lt;").replace('>', "&gt;").replace('\n', "<br>"));
                let quoted = format!("<div id=divRplyFwdMsg>{html}</div>");
                for (text, html) in
                    [(Some(&text), None), (None, Some(&html)), (Some(&text), Some(&quoted)), (None, Some(&quoted))]
                {
                    let shown = text.or(html).unwrap();
                    if !shown.contains(char::is_alphabetic) || !first.contains(char::is_alphabetic) {
                        continue;
                    }
                    let found = new_text(text.map(String::as_str), html.map(String::as_str)).unwrap();
                    assert!(found.text.contains(|c: char| !c.is_whitespace()), "{text:?} {html:?}");
                }
            }
        }
    }
}
