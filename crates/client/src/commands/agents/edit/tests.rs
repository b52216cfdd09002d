//! Changes of configuration files: what was there stays, twice is once, and removal restores the file.

use super::super::harness::HarnessName;
use super::*;
use clap::ValueEnum;

fn entry() -> Entry {
    Entry {
        command: "/usr/bin/post house".to_owned(),
        args: vec!["mcp".to_owned(), "--profile".to_owned(), "a\"b".to_owned()],
    }
}

/// Files of each form as people have them.
fn files(format: Format) -> &'static [&'static str] {
    match format {
        Format::Json { .. } => &[
            "",
            "{}\n",
            "{\n    \"theme\": \"dark\",\n    \"mcpServers\": {\n        \"other\": {\n            \"command\": \"x\"\n        }\n    }\n}\n",
            "{\n\t\"mcp\": {\n\t\t\"servers\": {\n\t\t\t\"other\": {}\n\t\t}\n\t},\n\t\"servers\": {}\n}\n",
        ],
        Format::Toml => &[
            "",
            "model = \"x\" # why\n",
            "model = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\"\n\n[tui]\nnotifications = true\n",
        ],
        Format::Yaml => &[
            "",
            "model: x # why\n",
            "model: x\nmcp_servers:\n    # a comment\n    other:\n        command: y\n        args: [a]\nlast:\n- 1\n",
            "mcp_servers:\n  other:\n    command: y\n",
        ],
    }
}

#[test]
fn entries_are_added_once_and_removed_without_a_trace() {
    for name in HarnessName::value_variants() {
        let harness = Harness::of(*name);
        for file in files(harness.format) {
            let added = edited(&harness, file, Some(&entry())).unwrap();
            assert!(added.contains("/usr/bin/post house"), "{name:?}: {added}");
            assert_eq!(edited(&harness, &added, Some(&entry())).unwrap(), added, "{name:?}");
            let removed = edited(&harness, &added, None).unwrap();
            assert!(!removed.contains("post house"), "{name:?}: {removed}");
            for line in file.lines().filter(|line| !line.trim_matches([' ', '\t', '{', '}', ',']).is_empty()) {
                let key = line.trim().trim_end_matches([',', '{', '}', ' ']);
                assert!(added.contains(key) && removed.contains(key), "{name:?}: {line} is gone: {added}");
            }
            assert_eq!(edited(&harness, file, None).unwrap(), *file, "{name:?}: nothing to remove");
        }
    }
}

#[test]
fn json_keeps_its_indentation_and_what_the_user_added() {
    let harness = Harness::of(HarnessName::ClaudeCode);
    let file = "{\n\t\"mcpServers\": {\n\t\t\"posthouse\": {\n\t\t\t\"env\": {\n\t\t\t\t\"A\": \"b\"\n\t\t\t}\n\t\t}\n\t}\n}\n";
    let added = edited(&harness, file, Some(&entry())).unwrap();
    assert!(added.contains("\n\t\t\t\"env\"") && added.contains("\"type\": \"stdio\""), "{added}");
    let value: Value = serde_json::from_str(&added).unwrap();
    assert_eq!(value["mcpServers"]["posthouse"]["args"][2], "a\"b");
}

#[test]
fn toml_and_yaml_mean_what_they_should() {
    let codex = Harness::of(HarnessName::Codex);
    for file in files(Format::Toml) {
        let table: toml::Table = edited(&codex, file, Some(&entry())).unwrap().parse().unwrap();
        let server = &table["mcp_servers"]["posthouse"];
        assert_eq!(server["command"].as_str(), Some("/usr/bin/post house"));
        assert_eq!(server["args"][2].as_str(), Some("a\"b"));
    }
    let hermes = Harness::of(HarnessName::Hermes);
    let yaml = edited(&hermes, files(Format::Yaml)[2], Some(&entry())).unwrap();
    let line = "    posthouse: { command: \"/usr/bin/post house\", args: [\"mcp\",\"--profile\",\"a\\\"b\"] }";
    assert!(yaml.lines().any(|found| found == line), "{yaml}");
}

#[test]
fn files_that_a_program_cannot_change_are_left() {
    for (name, file) in [
        (HarnessName::Vscode, "{ // comment\n}"),
        (HarnessName::Cursor, "[]"),
        (HarnessName::Cursor, "{\"mcpServers\": 1}"),
        (HarnessName::Codex, "mcp_servers = { a = { command = \"x\" } }\n"),
        (HarnessName::Codex, "not toml"),
        (HarnessName::Hermes, "mcp_servers: {a: {command: x}}\n"),
    ] {
        assert!(edited(&Harness::of(name), file, Some(&entry())).is_err(), "{name:?}: {file}");
    }
}

#[test]
fn an_empty_file_becomes_the_entry_alone() {
    let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let of = |name| edited(&Harness::of(name), "", Some(&entry())).unwrap();
    let server = parse(&of(HarnessName::Openclaw))["mcp"]["servers"]["posthouse"].take();
    assert_eq!((server["command"].as_str(), server["args"][0].as_str()), (Some("/usr/bin/post house"), Some("mcp")));
    assert!(of(HarnessName::Codex).starts_with("[mcp_servers.posthouse]\ncommand = "));
    assert!(of(HarnessName::Hermes).starts_with("mcp_servers:\n  posthouse: { command: "));
}

#[test]
fn a_file_is_blank_if_it_has_only_the_place_of_the_entries() {
    for name in HarnessName::value_variants() {
        let harness = Harness::of(*name);
        for (at, file) in files(harness.format).iter().enumerate() {
            let added = edited(&harness, file, Some(&entry())).unwrap();
            assert!(!is_blank(&harness, &added), "{name:?}: {added}");
            let removed = edited(&harness, &added, None).unwrap();
            let is_empty = file.trim().is_empty() || *file == "{}\n";
            assert_eq!(is_blank(&harness, &removed), is_empty, "{name:?} {at}: {removed}");
        }
    }
}
