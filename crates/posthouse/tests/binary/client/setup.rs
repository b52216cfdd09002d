//! `posthouse agents setup`: files of agents and editors are changed, changed back, and kept.

use std::os::unix::fs::PermissionsExt;

use super::ClientFixture;

const CLIENTS: &[(&str, &str)] = &[
    ("claude", ".config/Claude/claude_desktop_config.json"),
    ("claude-code", ".claude.json"),
    ("codex", ".codex/config.toml"),
    ("cursor", ".cursor/mcp.json"),
    ("vscode", ".config/Code/User/mcp.json"),
    ("windsurf", ".codeium/windsurf/mcp_config.json"),
    ("gemini", ".gemini/settings.json"),
    ("openclaw", ".openclaw/openclaw.json"),
    ("hermes", ".hermes/config.yaml"),
];

#[test]
fn every_client_is_connected_and_disconnected() {
    let client = ClientFixture::logged_in("client-setup");
    for (name, file) in CLIENTS {
        let path = client.sandbox.path("home").join(file);
        let setup = ["agents", "setup", name];
        let asked = client.run(&setup);
        assert!(asked.code == 2 && asked.stderr.contains("--yes"), "{name}: {}", asked.stderr);
        let printed = client.run(&[&setup[..], &["--print"]].concat());
        assert!(printed.code == 0 && printed.stderr.contains("+ "), "{name}: {}", printed.stderr);
        let shown = client.object(&[&setup[..], &["--print", "--json"]].concat());
        assert!(printed.stdout.contains("mcp") && shown["snippet"] == printed.stdout.as_str(), "{name}: {shown}");
        assert!(!path.exists(), "{name}: nothing is written without consent");

        let done = client.object(&[&setup[..], &["--yes", "--profile", "default"]].concat());
        assert_eq!((done["path"].as_str(), done["changed"].as_bool()), (path.to_str(), Some(true)));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("mcp") && text.contains("--profile") && !text.contains(&client.key), "{name}: {text}");
        let again = client.object(&[&setup[..], &["--yes", "--profile", "default"]].concat());
        assert_eq!(again["changed"], false, "{name}");
        client.object(&[&setup[..], &["--remove", "--yes"]].concat());
        assert!(!path.exists(), "{name}: the file that the setup made is gone");
        let made = file.split('/').next().unwrap();
        let is_kept = made == ".config";
        assert_eq!(client.sandbox.path("home").join(made).exists(), is_kept, "{name}: an empty directory is left");
    }
}

#[test]
fn a_file_with_other_entries_stays_without_ours() {
    let client = ClientFixture::logged_in("client-setup-others");
    let path = client.sandbox.path("home/.cursor/mcp.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    for own in ["", "{}", "{ // mine\n}", "{\"mcpServers\": {\"other\": {\"command\": \"other\"}}}"] {
        std::fs::write(&path, own).unwrap();
        for more in ["--yes", "--remove"] {
            client.object(&["agents", "setup", "cursor", "--yes", more][..if more == "--yes" { 4 } else { 5 }]);
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), own);
        let files = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(files, 1, "no copy is left");
    }
}

#[test]
fn a_file_that_a_program_cannot_change_is_left_with_the_next_step() {
    let client = ClientFixture::logged_in("client-setup-comments");
    let path = client.sandbox.path("home/.cursor/mcp.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "{ broken").unwrap();
    for (more, advice) in [("--yes", "add \"posthouse\""), ("--remove", "remove posthouse from mcpServers")] {
        let output = client.run(&["agents", "setup", "cursor", more]);
        assert!(output.code == 1 && output.stderr.contains(advice), "{more}: {}", output.stderr);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{ broken");
    }
}

/// A second setup wrote its own first one over the copy.
#[test]
fn the_copy_is_what_the_person_had() {
    let client = ClientFixture::logged_in("client-setup-copy");
    let path = client.sandbox.path("home/.cursor/mcp.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let own = "{\"mcpServers\": {\"other\": {\"command\": \"other\"}}}";
    std::fs::write(&path, own).unwrap();
    for more in [&[][..], &["--profile-tools", "all"]] {
        client.object(&[&["agents", "setup", "cursor", "--yes"], more].concat());
        let copy = std::fs::read_to_string(path.with_extension("json.before-posthouse")).unwrap();
        assert_eq!(copy, own, "{more:?}");
    }
    client.object(&["agents", "setup", "cursor", "--yes", "--remove"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), own);
}

/// Set-up replaced the user's own entry, and removal left none.
#[test]
fn removal_restores_an_entry_that_set_up_replaced() {
    let client = ClientFixture::logged_in("client-setup-own-entry");
    let path = client.sandbox.path("home/.codex/config.toml");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let own = "model = \"x\"\r\n\r\n[mcp_servers.posthouse]\r\ncommand = \"mine\" # wrapper\r\n\r\n[tui]\r\na = 1";
    std::fs::write(&path, own).unwrap();
    client.object(&["agents", "setup", "codex", "--yes"]);
    assert!(!std::fs::read_to_string(&path).unwrap().contains("mine"));
    client.object(&["agents", "setup", "codex", "--yes", "--remove"]);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), own);
}

/// A link whose file didn't exist yet was replaced by a file.
#[test]
fn a_link_stays_a_link() {
    let client = ClientFixture::logged_in("client-setup-link");
    let home = client.sandbox.path("home");
    std::fs::create_dir_all(home.join("dotfiles")).unwrap();
    std::fs::write(home.join("dotfiles/kept"), "").unwrap();
    for (name, file) in CLIENTS {
        let path = home.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let up = "../".repeat(file.matches('/').count());
        let stored = home.join("dotfiles").join(name);
        std::os::unix::fs::symlink(format!("{up}dotfiles/{name}"), &path).unwrap();
        for own in [None, Some("")] {
            if let Some(text) = own {
                std::fs::write(&stored, text).unwrap();
            }
            client.object(&["agents", "setup", name, "--yes"]);
            assert!(path.is_symlink() && std::fs::read_to_string(&stored).unwrap().contains("mcp"), "{name}");
            client.object(&["agents", "setup", name, "--yes", "--remove"]);
            assert!(path.is_symlink(), "{name}");
            assert_eq!(std::fs::read_to_string(&stored).ok().as_deref(), own, "{name}");
        }
    }
}

/// A file that others could read was private after set-up and after removal.
#[test]
fn a_file_keeps_its_permissions() {
    let client = ClientFixture::logged_in("client-setup-mode");
    let path = client.sandbox.path("home/.cursor/mcp.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    for wanted in [0o644, 0o664, 0o600, 0o440] {
        std::fs::write(&path, "{}").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(wanted)).unwrap();
        for more in [&["--yes"][..], &["--yes", "--remove"]] {
            client.object(&[&["agents", "setup", "cursor"], more].concat());
            assert_eq!(mode(), wanted, "{wanted:o} {more:?}");
        }
        std::fs::remove_file(&path).unwrap();
    }
}
