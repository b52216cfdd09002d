//! The published ARC validation suite.

use super::{ArcResult, corpus_text, input, text_records, verify_with};
use saphyr::{LoadableYamlNode, Yaml};

#[test]
fn every_chain_of_the_arc_suite_gets_the_expected_result() {
    let Some(text) = corpus_text("arc/validation-tests.yml") else {
        return;
    };
    let documents = Yaml::load_from_str(&text).expect("valid YAML");
    let (mut count, mut failures) = (0, Vec::new());
    for document in &documents {
        let keys: Vec<(String, String)> = document["txt-records"]
            .as_mapping()
            .into_iter()
            .flatten()
            .filter_map(|(name, text)| Some((name.as_str()?.to_owned(), text.as_str()?.to_owned())))
            .collect();
        for (name, test) in document["tests"].as_mapping().expect("tests") {
            count += 1;
            let message = test["message"].as_str().expect("a message").replace('\n', "\r\n");
            let verdict = verify_with(input(message.as_bytes()), text_records(&keys)).arc;
            let expected = match test["cv"].as_str() {
                Some("Pass") => ArcResult::Pass,
                Some("None") => ArcResult::None,
                // An empty value marks chains whose seals record an earlier failure.
                _ => ArcResult::Fail,
            };
            if verdict.result != expected {
                failures.push(format!("{name:?}: expected {expected:?}, got {verdict:?}"));
            }
        }
    }
    println!("ARC suite: {} of {count} pass", count - failures.len());
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(count >= 108, "only {count} tests found");
}
