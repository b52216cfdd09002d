//! The identities that a verification checks: envelope sender, HELO name, author.

use super::*;

fn records(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

#[test]
fn a_null_sender_is_checked_as_postmaster_of_the_helo_name() {
    let records = records(&[
        ("mx.example.org", "v=spf1 exists:%{l}.example.org ip4:192.0.2.1 -all"),
        ("_dmarc.example.org", "v=DMARC1; p=none"),
    ]);
    let results = verify_with(input(b"From: a@example.org\r\n\r\n"), text_records(&records));
    assert_eq!((results.spf.identity, results.spf.result), (SpfIdentity::Helo, SpfResult::Pass));
    assert_eq!(results.spf, results.helo_spf);
    assert_eq!(results.dmarc.result, DmarcResult::Pass);
}

#[test]
fn a_mapped_ipv4_client_is_an_ipv4_client() {
    let records = records(&[("mx.example.org", "v=spf1 ip4:192.0.2.0/24 -all")]);
    let client_ip = "::ffff:192.0.2.1".parse().expect("an address");
    let results = verify_with(AuthInput { client_ip, ..input(b"") }, text_records(&records));
    assert_eq!(results.spf.result, SpfResult::Pass);
}

#[test]
fn only_a_single_author_is_evaluated() {
    let records = records(&[
        ("example.org", "v=spf1 ip4:192.0.2.1 -all"),
        ("_dmarc.example.org", "v=DMARC1; p=none"),
        ("_dmarc.bank.example", "v=DMARC1; p=reject"),
    ]);
    for (from, result, domain) in [
        ("From: a@example.org\r\n", DmarcResult::Pass, "example.org"),
        ("From: a@example.org, b@EXAMPLE.org\r\n", DmarcResult::Fail, ""),
        ("From: a@example.org, ceo@bank.example\r\n", DmarcResult::Fail, ""),
        ("From: a@example.org\r\nFrom: ceo@bank.example\r\n", DmarcResult::Fail, ""),
        ("From: \"a@example.org\" <ceo@bank.example>\r\n", DmarcResult::Fail, "bank.example"),
        ("From: \"ceo@bank.example\" <a@example.org>\r\n", DmarcResult::Pass, "example.org"),
        ("From: b@nopolicy.example\r\n", DmarcResult::None, "nopolicy.example"),
        ("From: nobody\r\n", DmarcResult::Fail, ""),
        ("Subject: none\r\n", DmarcResult::Fail, ""),
        ("Sender: a@example.org\r\n", DmarcResult::Fail, ""),
    ] {
        let raw = format!("{from}\r\n");
        let input = AuthInput { mail_from: "a@example.org", ..input(raw.as_bytes()) };
        let results = verify_with(input, text_records(&records));
        assert_eq!((results.dmarc.result, results.dmarc.domain.as_str()), (result, domain), "{from}");
        assert_eq!(results.auth_failed(), result == DmarcResult::Fail, "{from}");
    }
}

#[test]
fn international_domains_are_compared_as_a_labels() {
    let records = records(&[
        ("xn--bcher-kva.example", "v=spf1 ip4:192.0.2.1 -all"),
        ("_dmarc.xn--bcher-kva.example", "v=DMARC1; p=reject"),
    ]);
    let raw = "From: <a@b\u{fc}cher.example>\r\n\r\n";
    let input = AuthInput { mail_from: "a@B\u{dc}CHER.example", ..input(raw.as_bytes()) };
    assert_eq!(verify_with(input, text_records(&records)).dmarc.result, DmarcResult::Pass);
}

#[test]
fn an_address_literal_in_ehlo_is_not_a_domain() {
    let records = records(&[("[192.0.2.1]", "v=spf1 -all"), ("192.0.2.1", "v=spf1 -all")]);
    for helo in ["[192.0.2.1]", "192.0.2.1"] {
        let results = verify_with(AuthInput { helo, ..input(b"From: a@example.org\r\n\r\n") }, text_records(&records));
        assert_eq!((results.spf.result, results.helo_spf.result), (SpfResult::None, SpfResult::None), "{helo}");
    }
}
