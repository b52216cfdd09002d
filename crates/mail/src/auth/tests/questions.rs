//! The number of DNS rounds that a verification needs. The SMTP client waits for its 250 during every round.

use super::*;

const MAIL: &[u8] = b"DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=mail.example.org; s=s1; h=from; \
    bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA\r\nFrom: a@example.org\r\n\r\n";

fn names(questions: &[DnsQuestion]) -> Vec<&str> {
    let mut names: Vec<_> = questions.iter().map(|question| question.name.as_str()).collect();
    names.sort_unstable();
    names
}

fn missing(outcome: AuthOutcome) -> Vec<DnsQuestion> {
    match outcome {
        AuthOutcome::NeedsDns(questions) => questions,
        AuthOutcome::Verdicts(results) => panic!("nothing missing: {results:?}"),
    }
}

#[test]
fn independent_questions_are_asked_in_one_round() {
    let mut verification = AuthVerification::begin(AuthInput { mail_from: "a@bounce.example.org", ..input(MAIL) });
    let mut facts = DnsFacts::new();
    let first = missing(verification.evaluate(&facts));
    assert_eq!(
        names(&first),
        ["_dmarc.example.org", "_dmarc.org", "bounce.example.org", "mx.example.org", "s1._domainkey.mail.example.org"]
    );
    for question in first {
        let answer = match question.name.as_str() {
            "bounce.example.org" => DnsAnswer::Records(DnsRecords::Txt(vec![
                b"v=spf1 a include:a.example include:b.example mx:c.example -all redirect=never.example".to_vec(),
            ])),
            "_dmarc.example.org" => DnsAnswer::Records(DnsRecords::Txt(vec![b"v=DMARC1; p=none".to_vec()])),
            _ => DnsAnswer::NoSuchName,
        };
        facts.insert(question, answer);
    }
    let second = missing(verification.evaluate(&facts));
    let expected = ["_dmarc.mail.example.org", "a.example", "b.example", "bounce.example.org", "c.example"];
    assert_eq!(names(&second), expected);
}

#[test]
fn one_shot_and_stepwise_verification_agree() {
    let input = AuthInput { mail_from: "a@bounce.example.org", ..input(MAIL) };
    let results = verify_with(input, |_| DnsAnswer::NoSuchName);
    let mut facts = DnsFacts::new();
    while let AuthOutcome::NeedsDns(questions) = verify(&input, &facts) {
        for question in questions {
            facts.insert(question, DnsAnswer::NoSuchName);
        }
    }
    assert_eq!(verify(&input, &facts), AuthOutcome::Verdicts(Box::new(results)));
}
