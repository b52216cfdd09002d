//! `posthouse commands`, and the page that lists every command.

use std::fmt::Write;

use serde_json::Value;

use crate::harness::Sandbox;

const HEAD: &str = "# Commands

Every command of the binary with its arguments; a test prints this page from the command line itself.
`posthouse help COMMAND` shows examples. [Work on the command line](../guides/command-line.md) is the guide, and
[Operations](../OPERATING.md) explains the operator's commands.

Commands that talk to a server accept `--json`, `--table`, `--fields`, `--base-url` and `--profile`; `serve`, `admin`
and `keys` accept `--config` and `--data-dir`. These options also work before the command.
";

/// Options that the head of the page describes once.
const COMMON: &[&str] = &["--json", "--table", "--fields", "--base-url", "--profile", "--config", "--data-dir"];

fn tree(sandbox: &Sandbox) -> Value {
    sandbox.run(&["commands", "--json"]).json()
}

fn section(command: &Value, path: &str, depth: usize, page: &mut String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    writeln!(page, "\n{} `{path}`\n\n{}.", "#".repeat(depth.min(4)), text(&command["about"]).trim_end_matches('.'))
        .unwrap();
    let arguments: Vec<&Value> = command["arguments"].as_array().unwrap().iter().collect();
    let own: Vec<&&Value> =
        arguments.iter().filter(|argument| !COMMON.contains(&text(&argument["name"]).as_str())).collect();
    if !own.is_empty() {
        page.push_str("\n| Argument | Meaning |\n|---|---|\n");
    }
    for argument in own {
        let mut meaning = text(&argument["about"]).replace('\n', " ").replace('|', "\\|");
        if !meaning.ends_with(['.', ']']) {
            meaning.push('.');
        }
        let values: Vec<String> =
            argument["values"].as_array().unwrap().iter().map(|value| format!("`{}`", text(value))).collect();
        if !values.is_empty() {
            write!(meaning, " One of {}.", values.join(", ")).unwrap();
        }
        if argument["required"] == true {
            meaning.push_str(" Required.");
        }
        if let Some(default) = argument["default"].as_str() {
            write!(meaning, " Default: `{default}`.").unwrap();
        }
        writeln!(page, "| `{}` | {meaning} |", text(&argument["name"])).unwrap();
    }
    for below in command["commands"].as_array().unwrap() {
        section(below, &format!("{path} {}", text(&below["name"])), depth + 1, page);
    }
}

#[test]
fn the_page_of_commands_is_the_command_line() {
    let sandbox = Sandbox::new("client-page");
    let mut page = HEAD.to_owned();
    for command in tree(&sandbox)["commands"].as_array().unwrap() {
        section(command, &format!("posthouse {}", command["name"].as_str().unwrap()), 2, &mut page);
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/commands.md");
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(stored == page, "docs/reference/commands.md should be:\n{page}");
}

/// Returns the first words of the commands that a page names between backticks or at the start of a line.
fn commands_of(page: &str) -> Vec<String> {
    let starts = ["`posthouse ", "$ posthouse ", "$(posthouse ", "\nposthouse ", "| posthouse "];
    let after = starts.iter().flat_map(|start| page.match_indices(start).map(|(at, found)| &page[at + found.len()..]));
    let word =
        |text: &str| text.split(|c: char| !c.is_ascii_lowercase() && c != '-').next().unwrap_or_default().to_owned();
    after.map(word).filter(|word| !word.is_empty() && !word.starts_with('-')).collect()
}

#[test]
fn pages_name_commands_that_exist() {
    let sandbox = Sandbox::new("client-named");
    let tree = tree(&sandbox);
    let names: Vec<&str> = tree["commands"].as_array().unwrap().iter().filter_map(|one| one["name"].as_str()).collect();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for page in ["skills/posthouse/SKILL.md", "docs/guides/command-line.md", "README.md"] {
        let named = commands_of(&std::fs::read_to_string(root.join(page)).unwrap());
        assert!(!named.is_empty(), "{page}");
        for name in named.iter().filter(|name| !["help"].contains(&name.as_str())) {
            assert!(names.contains(&name.as_str()), "{page}: posthouse {name}");
        }
    }
}

/// Checks an input against the registry's schema (2025-12-11, `Input`), and that it has no other members.
fn check_input(input: &Value, path: &str) {
    for (name, value) in input.as_object().unwrap_or_else(|| panic!("{path} is an object")) {
        let is_right = match name.as_str() {
            "description" | "placeholder" | "value" | "default" | "name" => value.is_string(),
            "isRequired" | "isSecret" => value.is_boolean(),
            "choices" => value.as_array().is_some_and(|all| all.iter().all(Value::is_string)),
            "variables" => value.as_object().is_some_and(|all| {
                all.iter().for_each(|(name, inner)| check_input(inner, &format!("{path}.{name}")));
                all.keys().all(|name| input["value"].as_str().unwrap().contains(&format!("{{{name}}}")))
            }),
            _ => false,
        };
        assert!(is_right, "{path}.{name}: {value}");
    }
    if let (Some(default), Some(choices)) = (input.get("default"), input["choices"].as_array()) {
        assert!(choices.contains(default), "{path}.default");
    }
}

/// Every rule of the registry's schema (2025-12-11) about what the entry has.
#[test]
fn the_entry_of_the_mcp_registry_fits_its_schema() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let entry: Value = serde_json::from_str(&std::fs::read_to_string(root.join("server.json")).unwrap()).unwrap();
    assert!(entry["$schema"].as_str().unwrap().ends_with("/2025-12-11/server.schema.json"));
    let (space, name) = entry["name"].as_str().unwrap().split_once('/').unwrap();
    let is_name = |text: &str, more: &str| {
        !text.is_empty() && text.chars().all(|one| one.is_ascii_alphanumeric() || more.contains(one))
    };
    assert!(is_name(space, ".-") && is_name(name, "._-") && space.len() + name.len() < 200);
    for text in ["title", "description"] {
        assert!((1..=100).contains(&entry[text].as_str().unwrap().chars().count()), "{text}");
    }
    let repository = &entry["repository"];
    assert!(repository["url"].as_str().unwrap().starts_with("https://") && repository["source"].is_string());
    let known = ["$schema", "name", "title", "description", "version", "repository", "remotes"];
    assert!(entry.as_object().unwrap().keys().all(|name| known.contains(&name.as_str())));
    for remote in entry["remotes"].as_array().unwrap() {
        assert_eq!(remote["type"], "streamable-http");
        for (name, variable) in remote["variables"].as_object().unwrap() {
            check_input(variable, name);
        }
        for header in remote["headers"].as_array().unwrap() {
            assert!(header["name"].is_string(), "{header}");
            check_input(header, "header");
        }
        let known = ["type", "url", "variables", "headers"];
        assert!(remote.as_object().unwrap().keys().all(|name| known.contains(&name.as_str())));
    }
}

#[test]
fn the_entry_of_the_mcp_registry_is_of_this_version() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let entry: Value = serde_json::from_str(&std::fs::read_to_string(root.join("server.json")).unwrap()).unwrap();
    assert_eq!(entry["version"], env!("CARGO_PKG_VERSION"));
    assert!(entry["description"].as_str().unwrap().chars().count() <= 100);
    assert_eq!(entry["name"].as_str().unwrap().matches('/').count(), 1);
    let remote = &entry["remotes"][0];
    let url = remote["url"].as_str().unwrap();
    assert!(url.starts_with("https://") && !url.contains(char::is_whitespace));
    for variable in remote["variables"].as_object().unwrap().keys() {
        assert!(url.contains(&format!("{{{variable}}}")), "{variable}");
    }
}

/// The repository is a plugin: for Claude Code, for Gemini CLI, and for the harnesses that read Agent Plugins 1.0. Each
/// manifest starts the same server, and finds the skill below `skills`.
#[test]
fn plugin_manifests_are_of_this_version_and_start_the_server() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read =
        |path: &str| -> Value { serde_json::from_str(&std::fs::read_to_string(root.join(path)).unwrap()).unwrap() };
    for (manifest, servers) in [
        (".claude-plugin/plugin.json", ".claude-plugin/plugin.json"),
        ("gemini-extension.json", "gemini-extension.json"),
        ("plugin.json", "mcp.json"),
    ] {
        let declared = read(manifest);
        assert_eq!((&declared["name"], &declared["version"]), (&"posthouse".into(), &env!("CARGO_PKG_VERSION").into()));
        let server = read(servers)["mcpServers"]["posthouse"].clone();
        assert_eq!(server["command"], "posthouse", "{servers}");
        let sandbox = Sandbox::new("client-plugin");
        let arguments: Vec<&str> =
            server["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
        let started = sandbox.run(&[&arguments[..], &["--help"]].concat());
        assert_eq!(started.code, 0, "{servers}: {}", started.stderr);
    }
    // The schema of Agent Plugins 1.0 has no other members.
    let known =
        ["$schema", "name", "version", "description", "author", "homepage", "repository", "license", "keywords"];
    assert!(read("plugin.json").as_object().unwrap().keys().all(|name| known.contains(&name.as_str())));
    assert_eq!(read(".claude-plugin/marketplace.json")["plugins"][0]["source"], "./");
    assert!(root.join("skills/posthouse/SKILL.md").exists());
}

#[test]
fn every_command_has_help_that_fits_and_is_documented() {
    fn walk(sandbox: &Sandbox, command: &Value, path: &[&str]) {
        let help = sandbox.run(&[path, &["--help"]].concat());
        assert_eq!(help.code, 0, "{path:?}: {}", help.stderr);
        for line in help.stdout.lines() {
            assert!(line.chars().count() <= 80, "{path:?}: {line}");
        }
        assert!(!command["about"].as_str().unwrap().is_empty(), "{path:?}");
        for argument in command["arguments"].as_array().unwrap() {
            assert!(argument["about"].is_string(), "{path:?}: {argument}");
        }
        for below in command["commands"].as_array().unwrap() {
            walk(sandbox, below, &[path, &[below["name"].as_str().unwrap()]].concat());
        }
    }
    let sandbox = Sandbox::new("client-tree");
    let tree = tree(&sandbox);
    walk(&sandbox, &tree, &[]);
    let names: Vec<&str> =
        tree["commands"].as_array().unwrap().iter().map(|command| command["name"].as_str().unwrap()).collect();
    for name in ["serve", "login", "whoami", "inboxes", "listen", "mcp", "agents", "doctor", "admin"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    assert!(!names.contains(&"workspace"), "aliases are not listed: {names:?}");
}
