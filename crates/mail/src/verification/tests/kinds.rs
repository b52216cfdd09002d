//! Codes of other kinds, by their names in many languages: doors, offers, customers, meetings, products.

use crate::verification::{VerificationInput, detect};

fn code(subject: &str, text: &str) -> Option<String> {
    detect(&VerificationInput { subject, text: Some(text), ..VerificationInput::default() })
        .and_then(|found| found.code)
}

/// Sentences with a code of another kind; `{}` is the code.
const OTHER_KINDS: [&str; 54] = [
    "The code for the front door is {}.",
    "The entry code is {}, second floor.",
    "Code for the garage: {}",
    "The code for the building is {}",
    "The safe code is {}",
    "Use offer code {} when ordering",
    "Your student code {}",
    "Employee code: {}",
    "Staff code {}",
    "Partner code: {}",
    "Affiliate code: {}",
    "Agent code: {}",
    "Parking code {}",
    "Bike code {}",
    "HS code {}",
    "NAICS code {}",
    "CPT code {}",
    "SKU code {}",
    "Batch code {}",
    "Airport code {}",
    "Job code: {}",
    "Department code {}",
    "Cost code {}",
    "Project code: {}",
    "Host code {}",
    "PIN for the meeting: {}",
    "Webinar passcode: {}",
    "Der Code für die Haustür ist {}.",
    "Zugangscode für das Tor: {}",
    "Aktionscode {} einlösen",
    "Ihr Kundencode: {}",
    "Votre code avantage {}",
    "Code de la réunion : {}",
    "Code client : {}",
    "Código de cliente: {}",
    "Código do cliente: {}",
    "Código de la reunión: {}",
    "Codice cliente: {}",
    "Codice della riunione: {}",
    "De code van de deur is {}.",
    "Actiecode: {}",
    "Klantcode: {}",
    "Kampanjkod: {}",
    "Kundkod: {}",
    "Kundekode: {}",
    "Kod klienta: {}",
    "Kod domofonu {}",
    "Код клиента: {}",
    "Müşteri kodu: {}",
    "Codul de la poartă este {}.",
    "Κωδικός προσφοράς: {}",
    "현관 비밀번호는 {}입니다.",
    "고객 코드: {}",
    "रेफरल कोड {}",
];

#[test]
fn codes_of_other_kinds_are_not_for_signing_in() {
    for sentence in OTHER_KINDS {
        for number in ["482913", "7719", "K7PX92"] {
            let text = format!("Hi,\n\n{}\n\nBest,\nBob", sentence.replace("{}", number));
            for subject in ["Hello", "Acme"] {
                assert_eq!(code(subject, &text), None, "{text}");
            }
        }
    }
}

#[test]
fn the_code_for_signing_in_is_returned_beside_codes_of_other_kinds() {
    for sentence in OTHER_KINDS {
        let other = sentence.replace("{}", "771904");
        for text in [format!("Your login code is 482913.\n\n{other}"), format!("{other}\n\nYour login code is 482913.")]
        {
            assert_eq!(code("Acme", &text).as_deref(), Some("482913"), "{text}");
        }
    }
}
