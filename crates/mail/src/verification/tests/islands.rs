//! Codes in Icelandic and Māori, in the subject, in the body and at all positions of a sentence.

use crate::verification::{VerificationInput, detect};

fn code(subject: &str, text: &str) -> Option<String> {
    let input = VerificationInput { subject, text: Some(text), ..VerificationInput::default() };
    detect(&input).and_then(|found| found.code)
}

/// What mails of one language say.
struct Language {
    subject: &'static str,
    /// Sentences with a code as `{}`: at the start, inside and at the end.
    sentences: [&'static str; 8],
    /// Labels above a code or before it on a line.
    labels: [&'static str; 4],
    closing: &'static str,
}

const LANGUAGES: [Language; 2] = [
    Language {
        subject: "Innskráning",
        sentences: [
            "{} er staðfestingarkóðinn þinn.",
            "{} er kóðinn þinn til innskráningar.",
            "Kóðinn þinn til að skrá þig inn er {}.",
            "Staðfestingarkóðinn þinn hjá Acme er {}.",
            "Notaðu kóðann {} til að skrá þig inn.",
            "Sláðu inn kóðann {} til að staðfesta netfangið þitt.",
            "Öryggiskóði: {}",
            "Skráðu þig inn með kóðanum {} innan 10 mínútna.",
        ],
        labels: ["Kóði", "Staðfestingarkóði", "Sláðu inn þennan kóða", "Öryggiskóðinn þinn"],
        closing: "Ef þú baðst ekki um hann skaltu hunsa þennan póst.",
    },
    Language {
        subject: "Takiuru",
        sentences: [
            "{} tō waehere manatoko.",
            "Ko {} tō waehere takiuru.",
            "Ko tō waehere: {}",
            "Ko tō waehere whakaū ko {}.",
            "Whakamahia te waehere {} ki te takiuru.",
            "Tāurutia te waehere {} hei whakaū i tō īmēra.",
            "Waehere haumaru: {}",
            "Takiuru mā te waehere {} i roto i te 10 meneti.",
        ],
        labels: ["Waehere", "Waehere manatoko", "Tāurutia tēnei waehere", "Tō waehere haumaru"],
        closing: "Ki te kore koe i tono, waihotia noa tēnei karere.",
    },
];

const CODES: [&str; 6] = ["482913", "7719", "48291377", "7K2P9X", "482-913", "LHZ-RBT"];

#[test]
fn codes_in_sentences_are_found_in_subject_and_body() {
    for Language { subject, sentences, closing, .. } in LANGUAGES {
        let mut variants = 0;
        for sentence in sentences {
            for expected in CODES {
                let sentence = sentence.replace("{}", expected);
                for (subject, text) in [
                    (subject, format!("{sentence}\n")),
                    (subject, format!("Acme\n\n{sentence} {closing}\n\nAcme ehf.\n")),
                    (&*sentence, format!("{closing}\n")),
                ] {
                    assert_eq!(code(subject, &text).as_deref(), Some(expected), "{subject}: {text}");
                    variants += 1;
                }
            }
        }
        assert!(variants >= 100);
    }
}

#[test]
fn codes_below_and_behind_labels_are_found() {
    for Language { subject, labels, closing, .. } in LANGUAGES {
        let mut variants = 0;
        for label in labels {
            for expected in CODES {
                for text in [
                    format!("{label}: {expected}\n\n{closing}\n"),
                    format!("{label}:\n\n{expected}\n\n{closing}\n"),
                    format!("{closing}\n\n{label}\n{expected}\n"),
                    format!("Acme\n\n{label}:\n\n    {expected}\n\n{closing}\n\nAcme ehf.\n"),
                ] {
                    assert_eq!(code(subject, &text).as_deref(), Some(expected), "{text}");
                    variants += 1;
                }
            }
        }
        assert!(variants >= 80);
    }
}

#[test]
fn other_numbers_are_not_codes() {
    let mut variants = 0;
    for (subject, text) in [
        ("Pöntun", "Pöntun {} er á leiðinni. Skráðu þig inn til að sjá hana."),
        ("Reikningur", "Reikningur nr. {} er til greiðslu."),
        ("Hringdu", "Hringdu í síma {} ef spurningar vakna."),
        ("Ota", "Ko te tau o tō ota: {}"),
        ("Waea", "Waea mai ki {} mēnā he pātai āu."),
    ] {
        for number in ["482913", "7719", "48291377", "5551234"] {
            let text = text.replace("{}", number);
            assert_eq!(code(subject, &text), None, "{text}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}
