//! Changes of configuration files: twice is once, removal restores every byte, and what a user changed stays.

use clap::ValueEnum;
use proptest::prelude::*;

use super::super::harness::HarnessName;
use super::*;

fn entry() -> Entry {
    Entry {
        command: "/usr/bin/post house".to_owned(),
        args: vec!["mcp".to_owned(), "--profile".to_owned(), "a\"b".to_owned()],
    }
}

fn other_entry() -> Entry {
    Entry { command: "posthouse".to_owned(), args: vec!["mcp".to_owned()] }
}

/// Texts between the tokens of JSON, as people and editors leave them.
fn gap() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", " ", "\n", "\n  ", "\r\n\t", " /* { \"a\": */ ", " // why \"{,\n  ", "\n\n    "])
}

fn json_value(depth: u32) -> BoxedStrategy<String> {
    let leaf = prop::sample::select(vec![
        "1",
        "-2.5e3",
        "true",
        "null",
        "\"\"",
        "\"a \\\" } // b\"",
        "[ ]",
        "[1, {\"x\": 2}]",
    ]);
    if depth == 0 {
        return leaf.prop_map(str::to_owned).boxed();
    }
    let names = vec!["theme", "mcpServers", "servers", "mcp", "other", "a \\\"b"];
    prop_oneof![leaf.prop_map(str::to_owned), json_object(names, depth - 1)].boxed()
}

/// An object with some of these members, each once.
fn json_object(names: Vec<&'static str>, depth: u32) -> BoxedStrategy<String> {
    let count = names.len();
    let member = (gap(), gap(), gap(), json_value(depth), gap());
    let members = prop::collection::vec(member, 0..=count.min(4));
    (prop::sample::subsequence(names, 0..=count).prop_shuffle(), members, gap(), any::<bool>())
        .prop_map(|(names, members, end, comma)| {
            let list: Vec<String> = names
                .iter()
                .zip(&members)
                .map(|(name, (a, b, c, value, d))| format!("{a}\"{name}\"{b}:{c}{value}{d}"))
                .collect();
            let trailing = if comma && !list.is_empty() { "," } else { "" };
            format!("{{{}{trailing}{end}}}", list.join(","))
        })
        .boxed()
}

/// A file of JSON in which the place of the servers is missing, empty or has entries, which may be ours.
fn json_file(servers: &'static [&'static str]) -> BoxedStrategy<String> {
    let entries = json_object(vec!["other", "posthouse", "third"], 1);
    let place =
        (entries, prop::collection::vec((gap(), any::<bool>()), servers.len())).prop_map(move |(inner, around)| {
            servers.iter().rev().zip(around).fold(inner, |inner, (name, (gap, has_more))| {
                let more = if has_more { format!("\"more\": [1],{gap}") } else { String::new() };
                format!("{{{gap}{more}\"{name}\":{gap}{inner}{gap}}}")
            })
        });
    let plain = json_object(vec!["theme", "model", "hooks"], 2);
    let file = (gap(), prop_oneof![place, plain], gap())
        .prop_map(|(before, object, after)| format!("{before}{object}{after}"));
    prop_oneof![9 => file, 1 => prop::sample::select(vec![String::new(), "\n".to_owned()])].boxed()
}

/// Lines, each of which may be there, with one end of lines and with or without the last.
fn lines_of(lines: &'static [&'static str]) -> BoxedStrategy<String> {
    let chosen = prop::collection::vec(any::<bool>(), lines.len());
    (chosen, any::<bool>(), any::<bool>())
        .prop_map(move |(chosen, is_windows, is_closed)| {
            let line_end = if is_windows { "\r\n" } else { "\n" };
            let kept: Vec<&str> = lines.iter().zip(chosen).filter(|(_, is_in)| *is_in).map(|(text, _)| *text).collect();
            let text = kept.join("\n").replace('\n', line_end);
            if is_closed && !text.is_empty() { text + line_end } else { text }
        })
        .boxed()
}

const TOML: &[&str] = &[
    "model = \"x\" # why",
    "",
    "notify = [\n  \"a\",\n]",
    "\n",
    "[mcp_servers.other]\ncommand = \"y\"",
    "# about the next",
    "[mcp_servers.posthouse]\ncommand = \"mine\"\nstartup_timeout_sec = 20\n# and",
    "[mcp_servers.posthouse.env]\nA = \"b\"",
    "",
    "[mcp_servers.\"third\"]\nargs = []",
    "[tui]\nnotifications = true",
    "\n\n",
];

const YAML: &[&str] = &[
    "model: x # why",
    "",
    "skills:\n- a\n- b",
    "mcp_servers: # here\n  # about the next\n  other:\n    command: y\n    args: [a]\n  posthouse:\n    command: mine\n\n    env:\n      A: b\n  third: { command: z }",
    "# the end",
    "last:\n  - 1",
    "\n",
];

fn file_of(name: HarnessName) -> BoxedStrategy<String> {
    let harness = Harness::of(name);
    match harness.format {
        Format::Json { .. } => json_file(harness.servers),
        Format::Toml => lines_of(TOML),
        Format::Yaml => {
            let bare = prop::sample::select(vec![
                "mcp_servers:",
                "mcp_servers: {}",
                "mcp_servers:\n  other:\n    command: y\n",
            ]);
            prop_oneof![lines_of(YAML), bare.prop_map(str::to_owned)].boxed()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn set_up_and_removal_give_the_bytes_from_before(
        (name, file) in prop::sample::select(HarnessName::value_variants()).prop_flat_map(|name| (Just(name), file_of(name)))
    ) {
        let harness = Harness::of(name);
        let once = added(&harness, &file, &entry()).map_err(|why| TestCaseError::fail(format!("{why}: {file}")))?;
        prop_assert!(once.contains("/usr/bin/post house"), "{}", once);
        prop_assert_eq!(&added(&harness, &once, &entry()).unwrap(), &once, "twice is once");
        prop_assert_eq!(removed(&harness, &once, Some(&file)).unwrap(), Remains::File(file.clone()), "{}", once);
        let other = added(&harness, &once, &other_entry()).unwrap();
        prop_assert_eq!(removed(&harness, &other, Some(&file)).unwrap(), Remains::File(file.clone()), "{}", other);
        // Without a copy, the file is one that set-up made, if it has nothing else.
        if let Remains::File(rest) = removed(&harness, &once, None).unwrap() {
            prop_assert!(!rest.contains("post house") && !has_entry(&harness, &rest).unwrap(), "{}", rest);
        }
    }

    /// The blank lines and commas that set-up added go, those of the user stay.
    #[test]
    fn a_change_before_or_after_the_entry_comes_back_byte_for_byte(
        (name, file) in prop::sample::select(HarnessName::value_variants()).prop_flat_map(|name| (Just(name), file_of(name))),
        at_start in any::<bool>(), at_end in prop::sample::select(vec!["", "\n", "# mine\n", "\n\n# mine\n\n"]),
    ) {
        let harness = Harness::of(name);
        let is_json = matches!(harness.format, Format::Json { .. });
        prop_assume!(!(has_entry(&harness, &file).unwrap() || is_json && file.trim().is_empty()));
        let end = match harness.format {
            _ if at_end.is_empty() => String::new(),
            Format::Json { .. } => at_end.replace('#', "//"),
            Format::Toml => format!("{at_end}[added]\nx = 1\n"),
            Format::Yaml => format!("{at_end}added: 1\n"),
        };
        let edited = |text: &str| {
            let needs_end = !is_json && !end.is_empty() && !text.is_empty() && !text.ends_with('\n');
            let line_end = if needs_end { line_end(text) } else { "" };
            let text = format!("{text}{line_end}{end}");
            match harness.format {
                _ if !at_start => text,
                Format::Json { .. } => text.replacen('{', "{ \"changed\": 1, ", 1),
                Format::Toml => format!("changed = 1\n\n{text}"),
                Format::Yaml => format!("changed: 1\n\n{text}"),
            }
        };
        let once = edited(&added(&harness, &file, &entry()).unwrap());
        // A parser that can't read the edited file is no concern of ours.
        prop_assume!(has_entry(&harness, &once).is_ok_and(|has| has));
        prop_assert_eq!(removed(&harness, &once, Some(&file)).unwrap(), Remains::File(edited(&file)), "{}", once);
    }

    /// Then the copy isn't what the user had last.
    #[test]
    fn a_file_that_was_changed_loses_the_entry_alone(
        (name, file) in prop::sample::select(HarnessName::value_variants()).prop_flat_map(|name| (Just(name), file_of(name)))
    ) {
        let harness = Harness::of(name);
        let once = added(&harness, &file, &entry()).unwrap();
        let more = match harness.format {
            Format::Json { .. } => once.replacen('{', "{ \"changed\": 1, ", 1),
            Format::Toml => format!("changed = 1\n{once}"),
            Format::Yaml => format!("changed: 1\n{once}"),
        };
        let Remains::File(rest) = removed(&harness, &more, Some(&file)).unwrap() else {
            return Err(TestCaseError::fail("the file is gone"));
        };
        prop_assert!(rest.contains("changed") && !rest.contains("post house"), "{}", rest);
        prop_assert_eq!(has_entry(&harness, &rest).unwrap(), has_entry(&harness, &file).unwrap(), "{}", rest);
        let words = |text: &str| {
            let is_own = |character: char| !character.is_alphanumeric();
            text.split(is_own).filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        for word in words(&file).into_iter().filter(|word| !["mcp", "servers", "mcpServers", "mcp_servers"].contains(&word.as_str())) {
            prop_assert!(words(&rest).contains(&word), "{} is gone: {}", word, rest);
        }
    }
}

#[test]
fn json_keeps_its_layout_and_what_the_user_added() {
    let harness = Harness::of(HarnessName::ClaudeCode);
    let file = "{\n\t\"mcpServers\": {\n\t\t\"posthouse\": {\n\t\t\t\"env\": {\n\t\t\t\t\"A\": \"b\"\n\t\t\t}\n\t\t}\n\t},\n\t\"ids\": [1, 2]\n}\n";
    let with = added(&harness, file, &entry()).unwrap();
    assert!(with.contains("\n\t\t\t\"env\"") && with.contains("\"type\": \"stdio\""), "{with}");
    assert!(with.ends_with(",\n\t\"ids\": [1, 2]\n}\n"), "the rest is untouched: {with}");
    let value: Value = serde_json::from_str(&with).unwrap();
    assert_eq!(value["mcpServers"]["posthouse"]["args"][2], "a\"b");
    let minified = added(&harness, "{\"a\":1,\"mcpServers\":{\"x\":{}}}", &other_entry()).unwrap();
    let wanted = "{\"a\":1,\"mcpServers\":{\"x\":{}, \"posthouse\": {\"type\":\"stdio\",\"command\":\"posthouse\",\"args\":[\"mcp\"]}}}";
    assert_eq!(minified, wanted);
}

#[test]
fn comments_of_an_editor_stay() {
    let harness = Harness::of(HarnessName::Vscode);
    let file = "// mine\n{\n  \"servers\": { // all\n    \"a\": {}, // first\n  },\n}\n";
    let with = added(&harness, file, &other_entry()).unwrap();
    assert!(
        with.starts_with("// mine\n{\n  \"servers\": { // all\n    \"a\": {}, // first\n    \"posthouse\": {\n"),
        "{with}"
    );
    assert_eq!(removed(&harness, &with, Some(file)).unwrap(), Remains::File(file.to_owned()));
}

#[test]
fn toml_and_yaml_mean_what_they_should() {
    let codex = Harness::of(HarnessName::Codex);
    for file in [
        "",
        "model = \"x\"\n",
        "[mcp_servers.posthouse]\ncommand = \"a\"\nargs = [\n1]\n[mcp_servers.posthouse.env]\nA = \"b\"\n",
    ] {
        let table: ::toml::Table = added(&codex, file, &entry()).unwrap().parse().unwrap();
        let server = &table["mcp_servers"]["posthouse"];
        assert_eq!(server["command"].as_str(), Some("/usr/bin/post house"));
        assert_eq!(server["args"][2].as_str(), Some("a\"b"));
        assert_eq!(server.get("env").is_some(), file.contains("env"), "what the user added stays");
    }
    let hermes = Harness::of(HarnessName::Hermes);
    let yaml =
        "model: x\nmcp_servers:\n    # a comment\n    other:\n        command: y\n        args: [a]\nlast:\n- 1\n";
    let yaml = added(&hermes, yaml, &entry()).unwrap();
    let line = "    posthouse: { command: \"/usr/bin/post house\", args: [\"mcp\",\"--profile\",\"a\\\"b\"] }";
    assert!(yaml.lines().any(|found| found == line), "{yaml}");
}

/// A change of an entry in YAML dropped the environment variables that the user had added.
#[test]
fn yaml_keeps_what_the_user_added_to_the_entry() {
    let hermes = Harness::of(HarnessName::Hermes);
    let members = ["command: mine", "args: [a, b]", "env:\n  A: b # secret", "timeout: 20", "args:\n- a\n- b"];
    let (mut block, mut flow) = (Vec::new(), Vec::new());
    for choice in 1..32_usize {
        let chosen: Vec<&str> =
            members.iter().enumerate().filter(|(at, _)| choice & (1 << at) != 0).map(|(_, text)| *text).collect();
        if choice & 2 != 0 && choice & 16 != 0 {
            continue;
        }
        for gap in ["", "# why\n", "\n"] {
            let lines = chosen.join(&format!("\n{gap}")).replace('\n', "\n    ");
            block.push(format!("model: x\nmcp_servers:\n  posthouse: # ours\n    {lines}\n  z: {{ command: z }}\n"));
        }
        let short = chosen.iter().map(|text| match *text {
            "env:\n  A: b # secret" => "env: { A: b }",
            "args:\n- a\n- b" => "args: [a, b]",
            text => text,
        });
        flow.push(format!("mcp_servers:\n  posthouse: {{ {} }}\n", short.collect::<Vec<_>>().join(", ")));
    }
    assert!(block.len() + flow.len() >= 80);
    for file in block.iter().chain(&flow) {
        let with = added(&hermes, file, &entry()).unwrap_or_else(|why| panic!("{why}: {file}"));
        for kept in ["A: b", "timeout: 20", "# secret", "# why", "# ours"] {
            let plain = |text: &str| text.replace('"', "").replace(":b", ": b").replace(":20", ": 20");
            assert_eq!(plain(file).contains(kept), plain(&with).contains(kept), "{kept}\n{file}\n{with}");
        }
        assert!(with.contains("/usr/bin/post house") && !with.contains("mine"), "{with}");
        assert_eq!(added(&hermes, &with, &entry()).unwrap(), with, "twice is once");
        assert_eq!(removed(&hermes, &with, Some(file)).unwrap(), Remains::File(file.clone()), "{with}");
    }
    let tagged = "mcp_servers:\n  posthouse:\n    command: x\n    env: &all { A: b }\n    more: *all\n";
    assert!(added(&hermes, tagged, &entry()).is_err() || added(&hermes, tagged, &entry()).unwrap().contains("&all"));
}

#[test]
fn files_that_a_program_cannot_change_are_left_with_the_way_by_hand() {
    for (name, file) in [
        (HarnessName::Vscode, "{ // comment"),
        (HarnessName::Cursor, "[]"),
        (HarnessName::Cursor, "{\"mcpServers\": 1}"),
        (HarnessName::Cursor, "{\"mcpServers\": {}, \"mcpServers\": {}}"),
        (HarnessName::Codex, "mcp_servers = { a = { command = \"x\" } }\n"),
        (HarnessName::Codex, "[mcp_servers]\nposthouse = { command = \"x\" }\n"),
        (HarnessName::Codex, "not toml"),
        (HarnessName::Hermes, "mcp_servers: {a: {command: x}}\n"),
        (HarnessName::Hermes, "mcp_servers:\n- a\n"),
    ] {
        let harness = Harness::of(name);
        assert!(added(&harness, file, &entry()).is_err(), "{name:?}: {file}");
        let (add, remove) = (by_hand(&harness, Some(&entry())), by_hand(&harness, None));
        assert!(add.starts_with("add ") && add.contains("post house"), "{add}");
        assert!(remove.starts_with("remove ") && !remove.contains("add") && remove.contains("posthouse"), "{remove}");
    }
}

/// YAML that a line-by-line change would break or change: it is refused, and by hand is the way.
#[test]
fn yaml_in_other_forms_is_left_as_it_is() {
    let harness = Harness::of(HarnessName::Hermes);
    let entry = entry();
    for file in [
        "{mcp_servers: {a: {command: x}}}\n",
        "{ model: x }\n",
        "{}\n",
        "--- {model: x}\n",
        "- a\n- b\n",
        "[a, b]\n",
        "- mcp_servers:\n    a: 1\n",
        "just text\n",
        "5\n",
        "---\nmodel: x\n...\n",
        "model: x\n...\n",
        "model: x\n---\nmodel: y\n",
        "---\nmodel: x\n---\nmcp_servers:\n  a: {command: x}\n",
        "\"mcp_servers\":\n  a: {command: x}\n",
        "'mcp_servers': {}\n",
        "mcp_servers : {a: {command: x}}\n",
        "? mcp_servers\n: {a: {command: x}}\n",
        "mcp_servers: &all\n  a: {command: x}\n",
        "mcp_servers: !!map\n  a: {command: x}\n",
        "mcp_servers: |\n  a: text\n",
        " model: x\n",
        "model: [1\n",
        "model: \"x\n",
        "model: x: y\n",
        "model: x\n  other: y\n",
        "model:\n\tother: y\n",
        "model: x\nmodel: y\n",
        "mcp_servers: {posthouse: {command: mine}}\n",
        "{mcp_servers: {posthouse: {command: mine}}}\n",
        "text: \"a\nmcp_servers:\n  b\"\n",
        "model: @x\n",
    ] {
        let why = added(&harness, file, &entry).map(|after| panic!("{file}: {after}")).unwrap_err();
        assert!(why.starts_with("has ") || why.starts_with("is "), "{why}");
        assert!(removed(&harness, file, None).is_err() || !file.contains(NAME), "{file}");
    }
    for file in ["", "# mine\n", "---\n", "--- # mine\nmodel: x\n", "%YAML 1.2\n---\nmodel: x\n", "a: &x 1\nb: *x\n"] {
        let with = added(&harness, file, &entry).unwrap();
        assert!(with.starts_with(file) && has_entry(&harness, &with).unwrap(), "{with}");
        assert_eq!(removed(&harness, &with, Some(file)).unwrap(), Remains::File(file.to_owned()));
    }
}

#[test]
fn a_file_that_the_set_up_made_is_removed() {
    for name in HarnessName::value_variants() {
        let harness = Harness::of(*name);
        let made = added(&harness, "", &entry()).unwrap();
        assert_eq!(removed(&harness, &made, None).unwrap(), Remains::Nothing, "{name:?}: {made}");
        assert_eq!(removed(&harness, &made, Some("")).unwrap(), Remains::File(String::new()), "{name:?}");
    }
    let of = |name| added(&Harness::of(name), "", &entry()).unwrap();
    let value: Value = serde_json::from_str(&of(HarnessName::Openclaw)).unwrap();
    assert_eq!(value["mcp"]["servers"]["posthouse"]["args"][0], "mcp");
    assert!(of(HarnessName::Codex).starts_with("[mcp_servers.posthouse]\ncommand = "));
    assert!(of(HarnessName::Hermes).starts_with("mcp_servers:\n  posthouse: { command: "));
}
