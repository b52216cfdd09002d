//! Codes that approve payments, next to numbers of accounts, cards and phones in one sentence.

use crate::verification::{VerificationInput, detect};

fn code(text: &str) -> Option<String> {
    let input = VerificationInput { subject: "Acme Bank", text: Some(text), ..VerificationInput::default() };
    detect(&input).and_then(|found| found.code)
}

/// Numbers that are never a code, as people write them.
const ACCOUNTS: [&str; 13] = [
    "DE89 3704 0044 0532 0130 00",
    "DE89370400440532013000",
    "DE89-3704-0044-0532-0130-00",
    "DE89 37040044 0532013000",
    "AT61 1904 3002 3457 3201",
    "GB29 NWBK 6016 1331 9268 19",
    "FR14 2004 1010 0505 0001 3M02 606",
    "RO49 AAAA 1B31 0075 9384 0000",
    "NO93 8601 1117 947",
    "4111 1111 1111 1111",
    "+49 30 901820",
    "**** 4829",
    "XXXX XXXX XXXX 4829",
];

/// Sentences with a number as `@` and a code as `#`.
const SENTENCES: [&str; 29] = [
    "To confirm your transfer to IBAN @ with TAN #",
    "Use TAN # to release the payment to @.",
    "TAN # for your payment of EUR 250.00 to @",
    "# is the TAN for your payment to @.",
    "Enter code # to confirm the payment to @.",
    "Confirm the payment to @ with the passcode #.",
    "Your OTP for the payment to @ is #.",
    "OTP # approves the payment from @ today.",
    "Use PIN # to confirm your payment from @.",
    "Mit TAN # geben Sie die Zahlung an @ frei.",
    "Bestätigen Sie die Überweisung an @ mit der TAN #.",
    "Die Überweisung an @ bestätigen Sie mit dem Code # in der App.",
    "smsTAN # für Überweisung EUR 1.250,00 auf @",
    "Utilisez le code # pour valider le virement vers @.",
    "Pour valider le virement vers @, saisissez le code #.",
    "Gebruik code # om de overboeking naar @ te bevestigen.",
    "Bevestig de overboeking naar @ met TAN #.",
    "Use el código # para confirmar la transferencia a @.",
    "Confirme la transferencia a @ con el PIN #.",
    "Conferma il bonifico verso @ con il codice #.",
    "Use o código # para confirmar a transferência para @.",
    "Potwierdź przelew na @ kodem #.",
    "Kod # do przelewu na @",
    "Ange kod # för att bekräfta betalningen till @.",
    "Brug kode # til at bekræfte overførslen til @.",
    "Potvrďte platbu na @ kódem #.",
    "Код # для подтверждения перевода на @",
    "向 @ 转账的验证码为 #，请勿泄露。",
    "@ への送金の認証コードは # です。",
];

#[test]
fn a_named_code_wins_over_the_numbers_of_its_sentence() {
    let mut variants = 0;
    for sentence in SENTENCES {
        for account in ACCOUNTS {
            for expected in ["771204", "7712", "77120433"] {
                let text = sentence.replace('@', account).replace('#', expected);
                assert_eq!(code(&text).as_deref(), Some(expected), "{text}");
                variants += 1;
            }
        }
    }
    assert!(variants >= 1000);
}

#[test]
fn a_named_code_wins_over_a_number_of_the_same_form() {
    let mut variants = 0;
    for (sentence, number) in [
        ("Confirm transfer @ with code # today in the app", "48291377"),
        ("Transfer @ to Miller with TAN #", "482913"),
        ("# is the TAN for transfer @ to Miller", "482913"),
        ("Pay order @ with TAN #.", "482913"),
        ("Zahlung @ an Miller: die TAN ist #", "48291377"),
        ("Log in with the code # or call @", "0800 482913"),
        ("TAN: # Konto: @", "482913"),
    ] {
        for expected in ["771204", "7712", "77120433", "771 204"] {
            let text = sentence.replace('@', number).replace('#', expected);
            assert_eq!(code(&text), Some(expected.replace(' ', "")), "{text}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn account_numbers_without_a_code_are_not_codes() {
    let mut variants = 0;
    for account in ACCOUNTS {
        for sentence in [
            "Log in to your account to see the payment to @.",
            "Your code word for account @ was changed.",
            "Sign in and confirm the payment to @",
            "Your login code for @ expires soon.",
            "Melden Sie sich an und geben Sie den Code für die Zahlung an @ ein.",
        ] {
            let text = sentence.replace('@', account);
            assert_eq!(code(&text), None, "{text}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn a_name_with_another_meaning_counts_in_capitals_next_to_a_number() {
    let mut variants = 0;
    for number in ["482913", "7719", "48291377", "2019"] {
        for text in
            ["Boots, tan {}, ship today", "Tan {} como siempre", "A tan of {} hours", "Her TAN. She won {} today"]
        {
            let text = format!("{} in your account.", text.replace("{}", number));
            assert_eq!(code(&text), None, "{text}");
            variants += 1;
        }
        for text in ["TAN {}", "(TAN {})", "TAN\n\n{}", "Ihre TAN:\n{}", "{} als TAN"] {
            let text = text.replace("{}", number);
            let is_year = number == "2019";
            assert!(is_year || code(&text).as_deref() == Some(number), "{text}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}
