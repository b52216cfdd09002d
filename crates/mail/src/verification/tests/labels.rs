//! What stands directly before a number: labels with an equals sign, bullets, ellipses, and the Indian postal code, which
//! is called PIN.

use crate::verification::{VerificationInput, detect};

fn code(subject: &str, text: &str) -> Option<String> {
    let input = VerificationInput { subject, text: Some(text), ..VerificationInput::default() };
    detect(&input).and_then(|found| found.code)
}

#[test]
fn a_code_behind_a_label_and_an_equals_sign_is_found() {
    let mut variants = 0;
    for label in ["TAN", "mTAN", "OTP", "Code", "code", "Passcode"] {
        for number in ["482913", "7719"] {
            for text in [
                format!("Confirm your transfer.\n\n{label}={number}\n"),
                format!("Your sign-in: {label}={number} is valid for 5 minutes."),
                format!("Log in to your account ({label}={number})."),
            ] {
                assert_eq!(code("Sign in", &text).as_deref(), Some(number), "{text}");
                variants += 1;
            }
            for text in [format!("Sign in at acme.example?{label}={number}"), format!("GET /a?b=1&{label}={number}")] {
                assert_eq!(code("Hello", &text), None, "{text}");
            }
        }
    }
    assert!(variants >= 20);
}

#[test]
fn a_postal_code_is_no_code() {
    let mut variants = 0;
    for number in ["560001", "110001", "600 002", "400-001"] {
        for place in ["Bengaluru", "New Delhi", "Anna Salai, Chennai", "4th Block\nMumbai"] {
            for text in [
                format!("We moved to 12 MG Road, {place}, PIN {number}. Please update your records."),
                format!("A. Rao\n{place} - {number}\nPIN Code: {number}\nIndia\n"),
                format!("Deliver to {place}, Pin code: {number}"),
                format!("We noticed a new sign-in to your account from {place}, PIN {number}."),
            ] {
                assert_eq!(code("Address", &text), None, "{text}");
                variants += 1;
            }
        }
        let text = format!("Your login code is 4821.\n\nRequested from Chrome in Bengaluru, PIN {number}.");
        assert_eq!(code("Sign in", &text).as_deref(), Some("4821"), "{text}");
        let digits = number.replace(' ', "");
        for text in [format!("Your PIN: {number}"), format!("Use PIN {number} to log in."), format!("PIN: {number}")] {
            assert_eq!(code("Sign in to your account", &text).as_deref(), Some(&*digits), "{text}");
        }
    }
    assert!(variants >= 20);
}

#[test]
fn bullets_and_ellipses_mark_a_code_and_mask_a_card() {
    let mut variants = 0;
    for number in ["482913", "77190428", "4 8 2 9 1 3", "482 913"] {
        let digits = number.replace(' ', "");
        for text in
            [format!("Enter this code to sign in:\n\n• {number}\n"), format!("Your login code\n\n• {number}\n\nAcme")]
        {
            assert_eq!(code("Sign in", &text).as_deref(), Some(&*digits), "{text}");
            variants += 1;
        }
    }
    for text in ["Enter this code to sign in:\n\n…482913\n", "Use the following code to log in:\n…77190428"] {
        assert!(code("Sign in", text).is_some(), "{text}");
    }
    for number in ["4829", "7719", "0042"] {
        for mask in ["…", "•••• ", "card •", "card • ", "****"] {
            let text = format!("Your account was charged. Card: {mask}{number}");
            assert_eq!(code("Sign in to your account", &text), None, "{text}");
            variants += 1;
        }
    }
    assert!(variants >= 20);
}

#[test]
fn a_greeting_is_no_code() {
    for greeting in [
        "Salaan", "Sawubona", "Kumusta", "Moien", "Demat", "Tere", "Labas", "Sveiki", "Ahoj", "Bonjou", "Sannu",
        "Mhoro",
    ] {
        for end in [",", "!"] {
            for subject in ["Sign in to your account", "Your login code"] {
                let text = format!("{greeting}{end}\n\nA question about the code.");
                assert_eq!(code(subject, &text), None, "{text}");
                let text = format!("{greeting}{end}\n\n482913\n");
                assert_eq!(code(subject, &text).as_deref(), Some("482913"), "{text}");
            }
        }
    }
}
