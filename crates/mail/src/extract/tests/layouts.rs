//! Attributions and headers in the layouts of clients that break, join or indent lines, generated in many languages.

use crate::extract::new_text;

/// A reply, the start of an attribution, and its verb.
const LANGUAGES: [(&str, &str, &str); 10] = [
    ("Yes, on Friday.", "On Tue, 5 Nov 2013 at 10:07,", "wrote"),
    ("Ja, am Freitag.", "Am Di., 5. Nov. 2013 um 10:07 Uhr", "schrieb"),
    ("Oui, vendredi.", "Le mar. 5 nov. 2013 à 10:07,", "a écrit"),
    ("Sí, el viernes.", "El mar, 5 nov 2013 a las 10:07,", "escribió"),
    ("Sim, na sexta.", "Em ter., 5 de nov. de 2013 às 10:07,", "escreveu"),
    ("Sì, venerdì.", "Il giorno mar 5 nov 2013 alle ore 10:07", "ha scritto"),
    ("Ja, vrijdag.", "Op di 5 nov. 2013 om 10:07", "schreef"),
    ("Ja, på fredag.", "Den tis 5 nov. 2013 kl 10:07", "skrev"),
    ("Tak, w piątek.", "W dniu 05.11.2013 o 10:07", "napisał"),
    ("Да, в пятницу.", "В вт, 5 нояб. 2013 г. в 10:07,", "пишет"),
];
const NAMES: [&str; 3] = ["Ana", "Ana Díaz", "Jan van Berg"];

fn of_text(text: &str) -> String {
    new_text(Some(text), None).unwrap().text
}

fn of_html(html: &str) -> String {
    new_text(None, Some(html)).unwrap().text
}

#[test]
fn attributions_that_a_client_breaks_around_the_address_are_dropped() {
    for (reply, start, verb) in LANGUAGES {
        for name in NAMES {
            for text in [
                format!("{reply}\n\n{start} {name}\n\n<\nmailto:{name} <a@x.example>\n> {verb}:\nHello\n"),
                format!("{reply}\n\n{start} {name}\n<\nmailto:a@x.example\n> {verb}:\n\nHello\n"),
                format!("{reply}\n\n{start} {name} <\na@x.example> {verb}:\n> Hello\n"),
            ] {
                assert_eq!(of_text(&text), reply, "{text}");
            }
            let text = format!("{reply}\n\n<a@x.example> {verb}:\n> Hello\n");
            assert_eq!(of_text(&text), reply, "{text}");
        }
    }
}

#[test]
fn attributions_between_dashes_begin_history() {
    for (reply, start, verb) in LANGUAGES {
        for name in NAMES {
            for line in [format!("---- {name} {verb} ----"), format!("------{start} {name} {verb}-----")] {
                for history in ["> Hello\n> there", "Hello\nthere", "    Hello\nthere"] {
                    let text = format!("{reply}\n\n{line}\n\n{history}\n");
                    assert_eq!(of_text(&text), reply, "{text}");
                }
            }
        }
    }
}

#[test]
fn a_reply_on_the_line_of_the_attribution_is_kept() {
    for (reply, start, verb) in LANGUAGES {
        for name in NAMES {
            for between in [" ", "--- "] {
                for first in ["", "Hi,\n"] {
                    let text = format!("{first}{reply}{between}{start} {name} <a@x.example> {verb}:\n> Hello\n");
                    assert_eq!(of_text(&text), format!("{first}{reply}"), "{text}");
                }
            }
        }
    }
}

#[test]
fn attributions_at_the_start_of_an_indented_block_make_it_history() {
    for (reply, start, verb) in LANGUAGES {
        let attribution = format!("{start} Ana &lt;a@x.example&gt; {verb}:");
        for html in [
            format!("{reply}<blockquote><div>{attribution}</div><div>Hello</div></blockquote>"),
            format!("<p>{reply}</p><blockquote>{attribution}<br>Hello<p>there</p></blockquote>"),
            format!(
                "<p>{reply}</p><blockquote><p>From: Ana &lt;a@x.example&gt;<br>Date: 5 Nov 2013 10:07<br>To: B<br>\
                 Subject: Hi</p>Hello</blockquote>"
            ),
        ] {
            assert_eq!(of_html(&html), reply, "{html}");
        }
        let html = format!("<p>{reply}</p><blockquote>A poem that Ana likes:<br>Roses are red.</blockquote>");
        assert!(of_html(&html).contains("Roses"), "{html}");
    }
}

#[test]
fn a_name_after_a_date_with_its_time_zone_begins_history() {
    for (reply, _, _) in LANGUAGES {
        for name in NAMES {
            let text = format!("{reply}\n\n2013-11-05 10:07 GMT+01:00 {name}\n\nHello\n");
            assert_eq!(of_text(&text), reply, "{text}");
            let text = format!("{reply}\n\n2013-11-05 10:07 GMT+01:00 is the latest time, as {name} says\n\nBye\n");
            assert!(of_text(&text).contains("Bye"), "{text}");
        }
    }
}

#[test]
fn a_separator_with_the_header_on_its_line_begins_history() {
    let mut variants = 0;
    for (separator, from, date) in [
        ("-------- Original Message --------", "From", "Date"),
        ("-------- Ursprüngliche Nachricht --------", "Von", "Datum"),
        ("-----Original-Nachricht-----", "Von", "Datum"),
        ("-------- Message d'origine --------", "De", "Date"),
        ("-------- Mensaje original --------", "De", "Fecha"),
        ("-------- Mensagem original --------", "De", "Data"),
        ("-------- Messaggio originale --------", "Da", "Data"),
    ] {
        for name in NAMES {
            let header = format!("{from}: {name}  {date}: 07.08.24  18:46  (GMT+01:00)");
            let text = format!("See you.\n\n{separator}{header}\nHello\n");
            assert_eq!(of_text(&text), "See you.", "{text}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn an_attribution_without_a_colon_above_a_header_is_dropped() {
    for (reply, start, verb) in LANGUAGES {
        for name in NAMES {
            let header = "From: Ana <a@x.example>\nDate: 5 Nov 2013 10:07\nTo: B <b@x.example>\nSubject: Hi";
            let text = format!("{reply}\n\n{start} {verb} {name}\n\n{header}\n\nHello\n");
            assert_eq!(of_text(&text), reply, "{text}");
        }
    }
}

#[test]
fn one_indented_line_below_the_attribution_of_a_reply_is_no_end_of_history() {
    for (reply, start, verb) in LANGUAGES {
        for name in NAMES {
            let text =
                format!("{reply}\n\n{start} {name} <a@x.example> {verb}:\n\n        {name} team\n5 Nov\n\nHello\n");
            assert_eq!(of_text(&text), reply, "{text}");
            let text = format!("{start} {name} <a@x.example> {verb}:\n\n        Hello\n\n{reply}\n");
            assert_eq!(of_text(&text), reply, "{text}");
        }
    }
}

#[test]
fn words_between_angle_brackets_on_both_sides_are_no_quote() {
    let mut variants = 0;
    for words in ["SALE", "http://shop.example", "read this", "Ana & Jan", "50 %", "new!", "今日"] {
        for line in [format!(">>> {words} <<<"), format!(">>>>{words}<<<<"), format!(">>> >>>  {words} <<<")] {
            let text = format!("Visit us now.\n{line}\nBye\n");
            assert_eq!(of_text(&text), text.trim_end(), "{text}");
            let text = format!("Visit us now.\n\nAna wrote:\n> >>>>>>\n> {words}\n> <<<<<<\n");
            assert_eq!(of_text(&text), "Visit us now.", "{text}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}
