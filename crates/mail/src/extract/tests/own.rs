//! What an author quotes or heads on their own is content; what a program puts around a reply isn't. Generated variants.

use crate::extract::new_text;

fn of_text(text: &str) -> String {
    new_text(Some(text), None).unwrap().text
}

fn of_html(html: &str) -> String {
    new_text(None, Some(html)).unwrap().text
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Quotations that an author writes, without attribution.
const OWN_QUOTES: [&str; 6] = [
    "<blockquote>Be kind.</blockquote>",
    "<blockquote style=\"margin:0 0 0 40px;border:none;padding:0px\"><div>Be kind.</div></blockquote>",
    "<blockquote class=\"gmail_quote\" style=\"margin:0 0 0 .8ex;border-left:1px #ccc solid\">Be kind.</blockquote>",
    "<blockquote style='border-left: 2px solid #ddd; padding-left: 8px'><p>Be kind.</p></blockquote>",
    "<blockquote class=\"tr_bq\">Be kind.</blockquote>",
    "<blockquote><i>Be kind.</i></blockquote>",
];

#[test]
fn a_quotation_without_attribution_is_content() {
    let mut variants = 0;
    for quote in OWN_QUOTES {
        for before in
            ["The rule says:", "The sign by the door reads", "As Ann wrote:", "I like this:", "Die Regel lautet:"]
        {
            for after in ["<p>Do you agree?</p>", ""] {
                let html = format!("<div>{before}</div>{quote}{after}");
                let found = of_html(&html);
                assert!(found.contains("Be kind.") && found.contains(before), "{html}: {found}");
                assert_eq!(found.contains("agree"), !after.is_empty(), "{html}");
                // The plain text marks it like history.
                let text =
                    format!("{before}\n\n> Be kind.\n\n{}", if after.is_empty() { "" } else { "Do you agree?\n" });
                assert!(new_text(Some(&text), Some(&html)).unwrap().text.contains("Be kind."), "{html}");
                let history = "<div class=\"gmail_quote\"><div class=\"gmail_attr\">On Mon, 1 Jan 2024 Bob wrote:</div>\
                               <blockquote class=\"gmail_quote\">Old question</blockquote></div>";
                let reply = of_html(&format!("{html}{history}"));
                assert!(
                    reply.contains("Be kind.") && !reply.contains("Old") && !reply.contains("Bob"),
                    "{html}: {reply}"
                );
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn quotations_with_attribution_stay_history() {
    for quote in OWN_QUOTES.map(|quote| quote.replace("Be kind.", "Old question")) {
        for attribution in [
            "On Mon, 1 Jan 2024 at 10:00, Ann &lt;ann@a.example&gt; wrote:",
            "Am 01.01.2024 um 10:00 schrieb Ann:",
            "Le 1 janv. 2024 à 10:00, Ann a écrit :",
            "El 1 ene 2024, a las 10:00, Ann escribió:",
        ] {
            for html in [
                format!("<div>Yes.</div><div>{attribution}<br></div>{quote}"),
                format!("<p>Yes.</p><p>{attribution}</p>{quote}"),
                format!(
                    "<p>Yes.</p><blockquote><blockquote>{quote}</blockquote></blockquote><div>{attribution}</div>{quote}"
                ),
                format!("<div>Yes.</div><div class=gmail_quote>{attribution}<br>{quote}</div>"),
            ] {
                let found = of_html(&html);
                assert!(
                    found.starts_with("Yes.") && !found.contains("wrote") && !found.contains("Ann"),
                    "{html}: {found}"
                );
                if !html.contains("<blockquote><blockquote>") {
                    assert_eq!(found, "Yes.", "{html}");
                }
            }
        }
    }
}

/// Labels of a header block: From, Sent, To, Subject.
const LABELS: [[&str; 4]; 10] = [
    ["From", "Sent", "To", "Subject"],
    ["From", "Date", "To", "Subject"],
    ["Von", "Gesendet", "An", "Betreff"],
    ["De", "Envoyé", "À", "Objet"],
    ["De", "Enviado", "Para", "Asunto"],
    ["Da", "Inviato", "A", "Oggetto"],
    ["Van", "Verzonden", "Aan", "Onderwerp"],
    ["Od", "Wysłano", "Do", "Temat"],
    ["От", "Отправлено", "Кому", "Тема"],
    ["差出人", "送信日時", "宛先", "件名"],
];

#[test]
fn a_message_may_begin_with_its_own_header() {
    let block = |labels: [&str; 4], name: &str| {
        let [from, sent, to, subject] = labels;
        format!("{from}: {name} <{name}@a.example>\n{sent}: 16 Nov 2021 12:34\n{to}: Bob\n{subject}: Offer\n")
    };
    for labels in LABELS {
        for top in ["", "\n", "________________________________\n"] {
            for between in ["\n", "\n\n"] {
                let own = block(labels, "ann");
                let reply = format!("{top}{own}{between}Please look at page two.\n\nThanks\n");
                assert_eq!(words(&of_text(&reply)), "Please look at page two. Thanks", "{reply}");
                for history in [
                    format!("\n{}\nThe old offer.\n", block(labels, "cy")),
                    "\nOn Mon, 15 Nov 2021 at 09:00, Cy <cy@c.example> wrote:\n> The old offer.\n".to_owned(),
                    format!("\n-----Original Message-----\n{}\nThe old offer.\n", block(labels, "cy")),
                ] {
                    let text = format!("{reply}{history}");
                    assert_eq!(words(&of_text(&text)), "Please look at page two. Thanks", "{text}");
                }
            }
        }
    }
}

#[test]
fn a_forward_marker_at_the_start_of_a_quotation_makes_it_content() {
    let mut variants = 0;
    for marker in [
        "Begin forwarded message:",
        "Anfang der weitergeleiteten Nachricht:",
        "Début du message réexpédié :",
        "Inicio del mensaje reenviado:",
        "Inizio messaggio inoltrato:",
        "Início da mensagem reencaminhada:",
        "---------- Forwarded message ---------",
    ] {
        for own in ["See below.", "FYI\n\nWhat do you think?", ""] {
            let header = "From: Cy <cy@c.example>\n> Date: 1 August 2025\n> To: Ann\n> Subject: Hall";
            let text = format!("{own}\n\n> {marker}\n>\n> {header}\n>\n> The hall is free.\n");
            let found = of_text(&text);
            assert!(found.contains("The hall is free.") && found.starts_with(own), "{text}: {found}");
            let html = format!(
                "<div>{own}</div><div><br><blockquote type=\"cite\"><div>{marker}</div><br><div><b>From: </b>Cy</div>\
                 <div>The hall is free.</div></blockquote></div>"
            );
            assert!(of_html(&html).contains("The hall is free."), "{html}");
            // Inside the history of a reply, it's history.
            let reply = format!(
                "Thanks.\n\nOn 2 Aug 2025 at 10:00, Bo <bo@b.example> wrote:\n> {marker}\n> {header}\n> The hall is free.\n"
            );
            assert_eq!(of_text(&reply), "Thanks.", "{reply}");
            let later = format!(
                "Thanks.\n\nOn 2 Aug 2025 at 10:00, Bo wrote:\n> See here.\n>\n> {marker}\n> {header}\n> The hall is free.\n"
            );
            assert_eq!(of_text(&later), "Thanks.", "{later}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn signatures_that_only_the_html_marks_are_cut_from_the_text() {
    let mut variants = 0;
    for element in [
        "div class=\"gmail_signature\"",
        "div id=\"Signature\"",
        "div class=\"moz-signature\"",
        "div class=\"gmail_signature\" data-smartmail=\"gmail_signature\"",
        "div id=\"ms-outlook-mobile-signature\"",
        "div name=\"messageSignatureSection\"",
    ] {
        for signature in [&["Ann Doe", "Head of Ops, +1 555 0100"][..], &["Bob"], &["Cy", "Vertrieb", "www.c.example"]]
        {
            for reply in ["Fine by me.", "Fine by me.\n\nThe next line."] {
                let paragraphs: String = signature.iter().map(|line| format!("<p>{line}</p>")).collect();
                let body: String = reply.split("\n\n").map(|line| format!("<p>{line}</p>")).collect();
                let html = format!("{body}<br><{element}>{paragraphs}</div>");
                for gap in ["\n", "\n\n", " "] {
                    let text = format!("{reply}\n\n{}\n", signature.join(gap));
                    assert_eq!(new_text(Some(&text), Some(&html)).unwrap().text, reply, "{text}");
                    variants += 1;
                }
                assert_eq!(of_html(&html), reply);
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn markers_of_helpdesks_begin_history() {
    let mut variants = 0;
    for line in [
        "## Bitte gib deine Antwort oberhalb dieser Zeile ein. ##",
        "##- Please type your reply above this line -##",
        "--- Schreiben Sie Ihre Antwort über dieser Zeile ---",
        "-- Veuillez répondre au-dessus de cette ligne --",
        "## Rispondi sopra questa linea ##",
        "=== Typ je reactie boven deze lijn ===",
        "## Prosimy o odpowiedź powyżej tej linii ##",
        "** Escriba encima de esta línea **",
        "---\n*Vorherige Antworten*",
        "---\nRéponses précédentes",
        "-- Risposte precedenti --",
        "---\n**Eerdere reacties**",
        "----------\nPoprzednie odpowiedzi:",
        "_____\nRespuestas anteriores",
        "*Previous replies*",
        "Please reply above this line",
        "Reply above this line.",
        "Please type your reply above this line:",
        "Bitte antworten Sie oberhalb dieser Zeile.",
        "Veuillez répondre au-dessus de cette ligne",
        "Antwoord boven deze regel",
        "Rispondi sopra questa riga",
        "Svara ovanför den här raden",
        "Ответьте над этой чертой",
        "この行より上に返信",
    ] {
        for reply in ["Here is the log.", "Voilà.\n\nÀ demain"] {
            let text = format!("{reply}\n\n{line}\n\nTicket 12: please send the log.\n");
            assert_eq!(of_text(&text), reply, "{text}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
    for prose in [
        "Please sign above this line and return the form.",
        "Don't reply above this line.",
        "You can reply above this line if you want.",
        "The form says: do not write above this line.",
        "Previous replies",
        "The previous answers were wrong.",
        "Die Summe steht oberhalb dieser Zeile - bitte prüfen.",
    ] {
        let text = format!("Hello,\n\n{prose}\n\nBye for now, see you.\n");
        assert!(of_text(&text).contains("Bye for now"), "{text}");
    }
}

#[test]
fn history_goes_on_below_a_quotation_that_ends_with_its_separator() {
    let mut variants = 0;
    for separator in
        ["-----Original Message-----", "-----Ursprüngliche Nachricht-----", "----- Message d'origine -----"]
    {
        for below in [
            "Original Message processed by Desk\nFrom Cy\nTo Ann\n\nThe first question.",
            "The first question.",
            "From: Cy\nSent: Monday\nTo: Ann\nSubject: Q\n\nThe first question.",
            "Hello,\n\nThe first question.\n\nCy",
        ] {
            for gap in ["\n", "\n\n"] {
                let text = format!(
                    "Yes.\n\nOn Mon, 1 Jan 2024 at 10:00, Ann <ann@a.example> wrote:\n> Shall we?\n>\n> {separator}{gap}{below}\n"
                );
                assert_eq!(of_text(&text), "Yes.", "{text}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 20);
    let below = "On Mon, 1 Jan 2024 at 10:00, Ann <ann@a.example> wrote:\n> Shall we?\n\nYes, on Friday.\n";
    assert_eq!(of_text(below), "Yes, on Friday.");
}

const NOTICE: &str = "The information contained in this communication is confidential. It is intended solely for use by the \
                      recipient. If you are not the recipient, any disclosure, copying or distribution is strictly \
                      prohibited and may be unlawful.";

#[test]
fn the_heading_of_a_notice_is_cut_with_it() {
    let mut variants = 0;
    for heading in [
        "Disclaimer",
        "DISCLAIMER:",
        "*Confidentiality Notice*",
        "Legal notice",
        "Haftungsausschluss",
        "Avis de confidentialité",
        "- Disclaimer -",
    ] {
        for gap in ["\n", "\n\n", "\n\n\n"] {
            let text = format!("The order fails.\n\nAnn\n\n\n{heading}{gap}{NOTICE}\n");
            assert_eq!(words(&of_text(&text)), "The order fails. Ann", "{text}");
            let kept = format!("The order fails.\n\n{heading}{gap}We need a text for this section by Friday.\n");
            assert!(of_text(&kept).contains(heading), "{kept}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn signatures_below_underscores_and_footers_of_lists_are_cut() {
    let mut variants = 0;
    for rule in ["____", "__________", "_______________________________"] {
        for block in ["Ann Doe", "Ann Doe\nHead of Ops\n+1 555 0100", "Dr. Ann Doe\nExample GmbH\nwww.a.example"] {
            let text = format!("Fine by me.\n\n{rule}\n{block}\n");
            assert_eq!(of_text(&text), "Fine by me.", "{text}");
            variants += 1;
        }
        let content = format!("First part.\n\n{rule}\n\nthe second part begins here and goes on.\n");
        assert!(of_text(&content).contains("second part"), "{content}");
        let listed = format!("Fine by me.\n\n{rule} dev mailing list dev@l.example https://l.example/listinfo/dev\n");
        assert_eq!(of_text(&listed), "Fine by me.", "{listed}");
        variants += 1;
    }
    for footer in [
        "You received this message because you are subscribed to the Google Groups \"x\" group.",
        "To unsubscribe, e-mail: dev-unsubscribe@l.example",
        "To unsubscribe from this group and stop receiving emails from it, send an email to x+unsubscribe@l.example.",
        "Vous recevez ce message, car vous êtes abonné au groupe x.",
        "Sie erhalten diese Nachricht, weil Sie in Google Groups die Gruppe x abonniert haben.",
        "Has recibido este mensaje porque estás suscrito al grupo x.",
    ] {
        for reply in ["Fine by me.", "Fine.\n\nSee you then"] {
            let text = format!("{reply}\n\n{footer}\n");
            assert_eq!(of_text(&text), reply, "{text}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
    assert!(of_text("Please tell me how.\n\nTo unsubscribe users we need an API.\n").contains("need an API"));
}
