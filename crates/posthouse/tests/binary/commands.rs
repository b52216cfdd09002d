//! Help, global options, completions and manual pages of all commands.

use std::process::{Command, Stdio};

use crate::harness::Sandbox;

/// Every command that can be called, with arguments that are valid up to their values.
const COMMANDS: &[&[&str]] = &[
    &["workspace", "list"],
    &["workspace", "show", "01890a5d-ac96-774b-bcce-b302099a8057"],
    &["workspace", "set", "01890a5d-ac96-774b-bcce-b302099a8057", "--resume"],
    &["workspace", "create", "--name", "A", "--owner", "a@b.example"],
    &["key", "list", "--workspace", "01890a5d-ac96-774b-bcce-b302099a8057"],
    &["key", "create", "--workspace", "01890a5d-ac96-774b-bcce-b302099a8057"],
    &["key", "revoke", "01890a5d-ac96-774b-bcce-b302099a8057"],
    &["domain", "add", "a.example"],
    &["domain", "list"],
    &["domain", "show", "a.example"],
    &["domain", "check", "a.example"],
    &["domain", "set", "a.example", "--status", "disabled"],
    &["directory", "list"],
    &["directory", "suspend", "a@b.example", "--reason", "Spam."],
    &["directory", "restore", "a@b.example"],
    &["signing-key", "list"],
    &["signing-key", "rotate"],
    &["signing-key", "revoke", "kid"],
    &["secret", "rotate"],
    &["migrate"],
    &["check"],
    &["admin", "relabel"],
    &["admin", "analyze"],
    &["backup", "a.tar"],
    &["restore", "a.tar"],
    &["admin", "workspace", "list"],
    &["admin", "key", "list", "--workspace", "01890a5d-ac96-774b-bcce-b302099a8057"],
    &["admin", "domain", "list"],
    &["admin", "secret", "rotate"],
    &["admin", "signing-key", "list"],
    &["admin", "directory", "list"],
    &["admin", "migrate"],
    &["admin", "check"],
    &["admin", "backup", "a.tar"],
    &["admin", "restore", "a.tar"],
    &["serve"],
];

#[test]
fn global_options_work_before_and_after_every_command() {
    let sandbox = Sandbox::new("global-options");
    for command in COMMANDS {
        for position in 0..=command.len() {
            let mut arguments = command.to_vec();
            // A value after an option belongs to that option.
            if position > 0 && command[position - 1].starts_with("--") && command[position - 1] != "--resume" {
                continue;
            }
            arguments.splice(position..position, ["--config", "absent.toml", "--data-dir", "data"]);
            let output = sandbox.run(&arguments);
            let expected = "posthouse: config: absent.toml: the file absent.toml cannot be read";
            assert!(output.stderr.starts_with(expected), "{arguments:?}: {}", output.stderr);
            assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{arguments:?}");
        }
    }
    assert!(!sandbox.path("data").exists());
}

#[test]
fn the_data_directory_is_the_same_before_and_after_the_command() {
    let sandbox = Sandbox::new("global-data-dir");
    let created = sandbox
        .run(&["--data-dir", "one", "workspace", "create", "--name", "A", "--owner", "a@b.example", "--json"])
        .json();
    for arguments in [
        ["workspace", "list", "--json", "--data-dir", "one"],
        ["--data-dir", "one", "workspace", "list", "--json"],
        ["workspace", "--data-dir", "one", "list", "--json"],
    ] {
        let list = sandbox.run(&arguments).json();
        assert_eq!(list["data"][0]["id"], created["workspace_id"], "{arguments:?}");
    }
    assert!(!sandbox.path("data").exists());
}

#[test]
fn the_help_describes_the_product_and_has_examples() {
    let sandbox = Sandbox::new("product-help");
    let output = sandbox.run(&["--help"]);
    let description: Vec<&str> = output.stdout.lines().take_while(|line| !line.starts_with("Usage:")).collect();
    let description = description.join("\n");
    for word in ["email server for AI agents", "HTTP API", "./data", "captures outgoing mail"] {
        assert!(description.contains(word), "{word}: {description}");
    }
    assert!(
        output.stdout.contains("Examples:\n") && output.stdout.contains("Options of serve and admin:\n"),
        "{}",
        output.stdout
    );
    assert!(sandbox.run(&["-h"]).stdout.starts_with("Posthouse is an email server for AI agents"));
    for command in ["serve", "check", "backup", "restore", "completions", "man"] {
        let output = sandbox.run(&[command, "--help"]);
        assert!(output.stdout.contains("Example"), "{command}: {}", output.stdout);
    }
}

#[test]
fn help_fits_a_terminal_of_80_columns() {
    let sandbox = Sandbox::new("help-width");
    for command in COMMANDS.iter().copied().chain([&["--help"][..], &["completions", "bash"], &["man"]]) {
        let is_name =
            |word: &&str| !word.starts_with('-') && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        let names: Vec<&str> = command.iter().copied().take(2).filter(is_name).collect();
        let output = sandbox.run(&[&names[..], &["--help"]].concat());
        assert_eq!(output.code, 0, "{names:?}: {}", output.stderr);
        for line in output.stdout.lines() {
            assert!(line.chars().count() <= 80, "{names:?}: {line}");
        }
    }
}

#[test]
fn completions_are_scripts_of_their_shells() {
    let sandbox = Sandbox::new("completions");
    for (shell, text) in
        [("bash", "complete -F _posthouse"), ("zsh", "#compdef posthouse"), ("fish", "complete -c posthouse")]
    {
        let output = sandbox.run(&["completions", shell]);
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{shell}");
        for expected in [text, "workspace", "data-dir", "http-listen"] {
            assert!(output.stdout.contains(expected), "{shell}: {expected}");
        }
        let file = sandbox.path(shell);
        std::fs::write(&file, &output.stdout).unwrap();
        // zsh and fish are not installed everywhere.
        let checked = Command::new(shell).arg("-n").arg(&file).stderr(Stdio::piped()).output();
        match checked {
            Ok(checked) => assert!(checked.status.success(), "{shell}: {}", String::from_utf8_lossy(&checked.stderr)),
            Err(error) => assert!(shell != "bash", "bash: {error}"),
        }
    }
    assert_eq!(sandbox.run(&["completions", "tcsh"]).code, 2);
}

#[test]
fn bash_completes_commands_and_options() {
    let sandbox = Sandbox::new("bash-completions");
    std::fs::write(sandbox.path("script"), sandbox.run(&["completions", "bash"]).stdout).unwrap();
    for (words, expected) in [
        ("posthouse adm", "admin"),
        ("posthouse admin workspace cr", "create"),
        ("posthouse inboxes cr", "create"),
        ("posthouse serve --http", "--http-listen"),
    ] {
        let count = words.split(' ').count() - 1;
        let program = format!(
            "source ./script; COMP_WORDS=({words}); COMP_CWORD={count}; _posthouse posthouse \"${{COMP_WORDS[-1]}}\" \
             \"${{COMP_WORDS[-2]}}\"; echo \"${{COMPREPLY[*]}}\""
        );
        let output = Command::new("bash").args(["-c", &program]).current_dir(sandbox.path("")).output().unwrap();
        let replies = String::from_utf8(output.stdout).unwrap();
        assert!(replies.split_whitespace().any(|reply| reply == expected), "{words}: {replies}");
    }
}

#[test]
fn manual_pages_are_printed_and_written() {
    let sandbox = Sandbox::new("man");
    let output = sandbox.run(&["man"]);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert!(
        output.stdout.contains(".SH SYNOPSIS") && output.stdout.contains("posthouse\\-serve(1)"),
        "{}",
        output.stdout
    );

    let directory = sandbox.path("man1");
    let missing = sandbox.run(&["man", "--out", directory.to_str().unwrap()]);
    assert!(missing.code == 1 && missing.stderr.contains("cannot write to --out"), "{}", missing.stderr);
    std::fs::create_dir(&directory).unwrap();
    let output = sandbox.run(&["man", "--out", directory.to_str().unwrap()]);
    assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (0, "", ""));
    let mut names: Vec<String> =
        std::fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    for name in ["posthouse.1", "posthouse-serve.1", "posthouse-admin-workspace-create.1", "posthouse-inboxes-create.1"]
    {
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
    }
    for name in names {
        let page = std::fs::read_to_string(directory.join(&name)).unwrap();
        assert!(page.contains(".TH ") && page.contains(".SH NAME") && page.contains(".SH SYNOPSIS"), "{name}: {page}");
        assert_renders(&directory.join(&name));
    }
}

/// Asserts that `man` formats a page without warnings, if it is installed.
fn assert_renders(page: &std::path::Path) {
    let formatted = Command::new("man").args(["--warnings", "-E", "UTF-8", "-l"]).arg(page).output();
    let Ok(formatted) = formatted else { return };
    let (text, warnings) = (String::from_utf8_lossy(&formatted.stdout), String::from_utf8_lossy(&formatted.stderr));
    assert!(formatted.status.success() && warnings.is_empty(), "{}: {warnings}", page.display());
    assert!(text.contains("NAME") && text.contains("posthouse"), "{}: {text}", page.display());
}

/// `posthouse check 2>&1 | head` ended with a panic.
#[test]
fn a_command_whose_reader_is_gone_ended_with_a_panic() {
    let sandbox = Sandbox::new("closed-reader");
    for arguments in [["check", "--config", "absent.toml"], ["check", "--jsonn", ""], ["absent", "--json", ""]] {
        let (reader, writer) = std::io::pipe().expect("a pipe opens");
        drop(reader);
        let given = arguments.iter().filter(|argument| !argument.is_empty());
        let ended = sandbox.command().args(given).stderr(writer).stdout(Stdio::null()).status().expect("it runs");
        assert_eq!(ended.code(), Some(2), "{arguments:?}");
    }
}
