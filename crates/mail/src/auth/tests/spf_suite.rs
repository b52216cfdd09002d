//! The published test suite of RFC 7208: every test must give an allowed result and its explanation.

use super::zone::Zone;
use super::{AuthInput, corpus_text, verify_with};
use saphyr::{LoadableYamlNode, Yaml};

/// The suite's marker for "the domain has no explanation of its own".
const DEFAULT_EXPLANATION: &str = "DEFAULT";

#[test]
fn every_test_of_the_spf_suite_passes() {
    let Some(text) = corpus_text("spf/rfc7208-tests.yml") else {
        return;
    };
    let documents = Yaml::load_from_str(&text).expect("valid YAML");
    let (mut count, mut failures) = (0, Vec::new());
    for document in &documents {
        let zone = Zone::read(&document["zonedata"]);
        for (name, test) in document["tests"].as_mapping().expect("tests") {
            count += 1;
            if let Err(failure) = run(test, &zone) {
                failures.push(format!("{}: {failure}", name.as_str().unwrap_or("?")));
            }
        }
    }
    println!("SPF suite: {} of {count} pass", count - failures.len());
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(count >= 120, "only {count} tests found");
}

fn run(test: &Yaml<'_>, zone: &Zone) -> Result<(), String> {
    let text = |name: &str| test[name].as_str().unwrap_or_default();
    let input = AuthInput {
        raw: b"",
        client_ip: text("host").parse().expect("an address"),
        helo: text("helo"),
        mail_from: text("mailfrom"),
        hostname: "mail.example.net",
        now_s: 1_700_000_000,
    };
    let verdict = verify_with(input, |question| zone.resolve(question)).spf;
    let expected = &test["result"];
    let allowed: Vec<&str> = match expected.as_sequence() {
        Some(list) => list.iter().filter_map(Yaml::as_str).collect(),
        None => expected.as_str().into_iter().collect(),
    };
    if !allowed.contains(&verdict.result.as_str()) {
        return Err(format!("expected {allowed:?}, got {verdict:?}"));
    }
    match test.as_mapping_get("explanation").and_then(Yaml::as_str) {
        Some(wanted) if wanted != verdict.explanation.as_deref().unwrap_or(DEFAULT_EXPLANATION) => {
            Err(format!("expected the explanation {wanted:?}, got {verdict:?}"))
        }
        _ => Ok(()),
    }
}
