//! Tests of attributions, separators and HTML of clients and languages that the corpora lack, and of hostile input.

use crate::extract::{ExtractionMethod, new_text};

fn text(input: &str) -> String {
    new_text(Some(input), None).unwrap().text
}

fn html(input: &str) -> String {
    new_text(None, Some(input)).unwrap().text
}

#[test]
fn attributions_of_many_languages_end_the_new_text() {
    let attributions = [
        "On Tue, 16 Nov 2021 at 12:34, Ann Doe <ann@a.example> wrote:",
        "Am Di., 16. Nov. 2021 um 12:34 Uhr schrieb Ann Doe <ann@a.example>:",
        "Am 16.11.21 um 12:34 schrieb Ann Doe:",
        "Le mar. 16 nov. 2021 à 12:34, Ann Doe <ann@a.example> a écrit :",
        "El mar, 16 nov 2021 a las 12:34, Ann Doe (<ann@a.example>) escribió:",
        "Em ter., 16 de nov. de 2021 às 12:34, Ann Doe <ann@a.example> escreveu:",
        "Il giorno mar 16 nov 2021 alle ore 12:34 Ann Doe <ann@a.example> ha scritto:",
        "Op di 16 nov. 2021 om 12:34 schreef Ann Doe <ann@a.example>:",
        "Den tis 16 nov. 2021 kl 12:34 skrev Ann Doe <ann@a.example>:",
        "tir. 16. nov. 2021 kl. 12.34 skrev Ann Doe <ann@a.example>:",
        "Den tirs. 16. nov. 2021 kl. 12.34 skrev Ann Doe <ann@a.example>:",
        "ti 16. marrask. 2021 klo 12.34 Ann Doe (ann@a.example) kirjoitti:",
        "Kontakt Ann Doe (<ann@a.example>) kirjutas kuupäeval T, 16. november 2021 kell 12:34:",
        "2021-11-16, an, 12:34 Ann Doe <ann@a.example> rašė:",
        "otrd., 2021. g. 16. nov., plkst. 12:34 — lietotājs Ann Doe (<ann@a.example>) rakstīja:",
        "wt., 16 lis 2021 o 12:34 Ann Doe <ann@a.example> napisał(a):",
        "út 16. 11. 2021 v 12:34 odesílatel Ann Doe <ann@a.example> napsal:",
        "ut 16. 11. 2021 o 12:34 Ann Doe <ann@a.example> napísal(a):",
        "V V tor., 16. nov. 2021 ob 12:34 je oseba Ann Doe <ann@a.example> napisala:",
        "uto, 16. stu 2021. u 12:34 Ann Doe <ann@a.example> napisao je:",
        "уто, 16. нов 2021. у 12:34 Ann Doe <ann@a.example> је написао/ла:",
        "На вт, 16.11.2021 г. в 12:34 Ann Doe <ann@a.example> написа:",
        "вт, 16 нояб. 2021 г. в 12:34, Ann Doe <ann@a.example>:",
        "вт, 16 лист. 2021 р. о 12:34 Ann Doe <ann@a.example> пише:",
        "Στις Τρί 16 Νοε 2021 στις 12:34 μ.μ., ο/η Ann Doe <ann@a.example> έγραψε:",
        "Ann Doe <ann@a.example> ezt írta (időpont: 2021. nov. 16., K, 12:34):",
        "În mar., 16 nov. 2021 la 12:34, Ann Doe <ann@a.example> a scris:",
        "Ann Doe <ann@a.example>, 16 Kas 2021 Sal, 12:34 tarihinde şunu yazdı:",
        "في الثلاثاء، 16 نوفمبر 2021 في 12:34 م تمت كتابة ما يلي بواسطة Ann Doe <ann@a.example>:",
        "\u{202b}בתאריך יום ג׳, 16 בנוב׳ 2021 ב-12:34 מאת \u{202a}Ann Doe\u{202c}\u{200f} <\u{202a}ann@a.example\u{202c}\u{200f}>:\u{202c}",
        "در تاریخ سه‌شنبه ۱۶ نوامبر ۲۰۲۱،\u{200f} ۱۲:۳۴ Ann Doe <ann@a.example> نوشت:",
        "मंगल, 16 नव॰ 2021 को 12:34 pm बजे को Ann Doe <ann@a.example> ने लिखा:",
        "ในวันที่ อ. 16 พ.ย. 2021 เวลา 12:34 Ann Doe <ann@a.example> เขียนว่า:",
        "Vào Th 3, 16 thg 11, 2021 vào lúc 12:34 Ann Doe <ann@a.example> đã viết:",
        "Pada tanggal Sel, 16 Nov 2021 pukul 12.34 Ann Doe <ann@a.example> menulis:",
        "2021年11月16日(火) 12:34 Ann Doe <ann@a.example>:",
        "Ann Doe <ann@a.example> 于2021年11月16日周二 12:34写道：",
        "Ann Doe <ann@a.example> 於 2021年11月16日 週二 下午12:34寫道：",
        "2021년 11월 16일 (화) 오후 12:34, Ann Doe <ann@a.example>님이 작성:",
    ];
    for attribution in attributions {
        for history in ["> Old line.\n> Another.", "Old line without a mark."] {
            let found = text(&format!("New text here.\n\n{attribution}\n\n{history}\n"));
            assert_eq!(found, "New text here.", "{attribution}");
        }
        let (first, second) = attribution.split_at(attribution.find('<').unwrap_or(attribution.len()));
        if !second.is_empty() {
            let found = text(&format!("New text here.\n\n{first}\n{second}\n> Old line."));
            assert_eq!(found, "New text here.", "wrapped: {attribution}");
        }
    }
}

#[test]
fn header_blocks_and_separators_end_the_new_text() {
    let blocks = [
        "From: Ann Doe <ann@a.example>\nSent: Tuesday, 16 November 2021 12:34\nTo: Bob\nSubject: Hi",
        "Von: Ann Doe\nGesendet: Dienstag, 16. November 2021 12:34\nAn: Bob\nBetreff: Hi",
        "Från: Ann Doe <ann@a.example>\nSkickat: den 16 november 2021 12:34\nTill: Bob\nÄmne: Hi",
        "Fra: Ann Doe <ann@a.example>\nSendt: 16. november 2021 12:34\nTil: Bob\nEmne: Hi",
        "От: Ann Doe <ann@a.example>\nОтправлено: 16 ноября 2021 г. 12:34\nКому: Bob\nТема: Hi",
        "差出人: Ann Doe <ann@a.example>\n送信日時: 2021年11月16日 12:34\n宛先: Bob\n件名: Hi",
        "发件人： Ann Doe <ann@a.example>\n发送时间： 2021年11月16日 12:34\n收件人： Bob\n主题： Hi",
        "보낸 사람: Ann Doe <ann@a.example>\n보낸 날짜: 2021년 11월 16일 12:34\n받는 사람: Bob\n제목: Hi",
        "________________________________\nZyx: Ann Doe <ann@a.example>\nWvu: 16.11.2021 12:34\nTsr: Bob\nQpo: Hi",
        "-----Ursprüngliche Nachricht-----",
        "------------------ 原始邮件 ------------------",
        "-------- Původní zpráva --------",
        "##- Please type your reply above this line -##",
    ];
    for block in blocks {
        let found = text(&format!("New text here.\n\n{block}\n\nOld line.\n"));
        assert_eq!(found, "New text here.", "{block}");
    }
}

#[test]
fn travel_notes_with_labels_are_kept() {
    let note = "Please book:\n\nFrom: Berlin\nTo: Munich\nDate: 12 May\n\nThanks";
    assert_eq!(text(note), note);
}

#[test]
fn html_of_known_clients_is_cut_at_their_markers() {
    let messages = [
        "<div dir=ltr>New text.</div><br><div class=gmail_quote><div class=gmail_attr>On x wrote:<br></div><blockquote class=gmail_quote>Old</blockquote></div>",
        "<p>New text.</p><div id=appendonsend></div><hr><div id=divRplyFwdMsg>From: x</div><p>Old</p>",
        "<p>New text.</p><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'><p>Von: x</p></div><p>Old</p>",
        "<div>New text.</div><div id=yahoo_quoted_1 class=yahoo_quoted><div>On x</div><div>Old</div></div>",
        "<div>New text.</div><div class=moz-cite-prefix>Am x schrieb y:</div><blockquote type=cite>Old</blockquote>",
        "<div>New text.</div><div class=protonmail_quote>On Tuesday, 16 November 2021 12:34, A &lt;a@a.example&gt; wrote:<blockquote class=protonmail_quote>Old</blockquote></div>",
        "<div>New text.</div><div><blockquote type=cite><div>On 16 Nov 2021, at 12:34, A &lt;a@a.example&gt; wrote:</div>Old</blockquote></div>",
        "<div>New text.<div name=quote style='border-left:2px solid #C3D9E5'><b>Von:</b> x<br>Old</div></div>",
        "<div>New text.</div><div>16.11.2021, 12:34, \"A\" &lt;a@a.example&gt;:</div><blockquote>Old</blockquote>",
    ];
    for message in messages {
        assert_eq!(html(message), "New text.", "{message}");
    }
    let found = new_text(Some("New text."), Some(messages[0])).unwrap();
    assert_eq!(found.method, ExtractionMethod::Structure);
}

#[test]
fn replies_between_quotes_in_html_are_kept() {
    let message = "<div class=gmail_quote><div class=gmail_attr>On x wrote:</div><blockquote class=gmail_quote>Question one</blockquote></div><div>Answer one</div><blockquote class=gmail_quote>Question two</blockquote><div>Answer two</div>";
    assert_eq!(html(message), "Answer one\n\nAnswer two");
}

#[test]
fn large_quotes_and_nested_elements_are_processed_in_linear_time() {
    assert_eq!(text(&">\n".repeat(500_000)), "");
    assert_eq!(html(&"<blockquote type=cite>".repeat(100_000)), "");
    html(&"<div class='x' <a \"<".repeat(50_000));
    text(&"On 1.1.2021 a@b.example wrote\n".repeat(20_000));
    text(&"From: a\n".repeat(50_000));
    text(&format!("{}{}", "\n".repeat(500_000), "-- reply above this line --\n".repeat(20_000)));
}
