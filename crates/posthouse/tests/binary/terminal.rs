//! Output on a terminal and in a pipe: the first start, and the progress of a backup and a restore.

use std::process::{Command, Stdio};

use crate::harness::Sandbox;

/// Runs a command of the binary on a pseudo terminal and returns what the terminal received.
fn on_terminal(sandbox: &Sandbox, arguments: &str) -> String {
    let line = format!("{} {arguments}", env!("CARGO_BIN_EXE_posthouse"));
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    let output = command.current_dir(sandbox.path("")).stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{arguments}: {text}");
    text
}

#[test]
fn the_first_start_prints_a_banner_that_fits_a_terminal() {
    let sandbox = Sandbox::new("banner");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let service = sandbox.serve(&config, &[]);
    let key = service.ready["first_run"]["api_key"].as_str().unwrap().to_owned();
    let addresses = ["http", "smtp", "submission"].map(|listener| service.address(listener).to_string());
    let output = service.stop();
    // A pipe gets the text without secrets; the whole text is in a private file.
    let file = sandbox.path("data/first-start.txt");
    assert!(!output.stdout.contains(&key) && output.stdout.contains("first-start.txt"), "{}", output.stdout);
    assert!(output.stderr.contains("first_start.written"), "{}", output.stderr);
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let whole = std::fs::read_to_string(&file).unwrap();
    assert!(whole.contains("then delete this file") && !whole.contains("only this once"), "{whole}");
    for line in whole.lines() {
        // An address with a port of five digits is one character longer than the default one.
        assert!(line.chars().count() <= 81, "{line}");
    }
    for text in [&key, "/docs", "Save your API key", "captured", "posthouse help"]
        .into_iter()
        .chain(addresses.iter().map(String::as_str))
    {
        assert!(whole.contains(text), "{text}: {whole}");
    }
    let read = output.stdout.lines().find(|line| line.contains("POSTHOUSE_KEY=$(")).expect("how to read the key");
    let echo = format!("{read}\necho $POSTHOUSE_KEY");
    let shell = Command::new("sh").args(["-c", &echo]).current_dir(sandbox.path("")).output().unwrap();
    assert_eq!(String::from_utf8(shell.stdout).unwrap().trim(), key);
    let before_ready = output.stderr.lines().take_while(|line| !line.contains(" ready "));
    let before_ready: Vec<&str> = before_ready.filter(|line| !line.contains("first_start.written")).collect();
    assert_eq!(before_ready, [""; 0], "the log has nothing before the banner");
    assert!(!output.stderr.contains("ph_"), "{}", output.stderr);
}

#[test]
fn backup_and_restore_show_progress_on_a_terminal_only() {
    let sandbox = Sandbox::new("progress");
    sandbox.configure("delivery.mode = 'capture'\n");
    sandbox.make_store();

    let saved = on_terminal(&sandbox, "--config posthouse.toml backup a.tar");
    assert!(saved.contains("\rSaving: 0 of 1 files"), "{saved:?}");
    let restored = on_terminal(&sandbox, "--config posthouse.toml restore a.tar --data-dir restored");
    assert!(restored.contains("\rRestoring: ") && restored.contains(" MiB"), "{restored:?}");
    for text in [&saved, &restored] {
        let last = text.lines().rfind(|line| !line.is_empty()).unwrap();
        let visible = last.rsplit('\r').find(|part| !part.is_empty()).unwrap();
        assert!(visible.starts_with("Saved ") || visible.starts_with("Restored "), "the line is removed: {text:?}");
    }

    for arguments in [&["backup", "b.tar"][..], &["restore", "b.tar", "--data-dir", "piped"]] {
        let output = sandbox.run(&[&["--config", "posthouse.toml"], arguments].concat());
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{arguments:?}");
        assert_eq!(output.stdout.lines().count(), 1, "{arguments:?}: {}", output.stdout);
    }
}
