//! Invalid usage and configuration: exit code 2, with the key, the value and what is allowed.

use crate::harness::Sandbox;

#[test]
fn bad_usage_is_exit_code_2() {
    let sandbox = Sandbox::new("usage");
    let table: &[&[&str]] = &[
        &[],
        &["fly"],
        &["serve", "--roles", "http,postman"],
        &["serve", "--http-listen", "localhost:8080"],
        &["serve", "--http-listen", "127.0.0.1:0,127.0.0.2:0"],
        &["serve", "--smtp-listen", "127.0.0.1"],
        &["serve", "--submission-listen", ""],
        &["serve", "--smtp-listen", "192.0.2.1:25"],
        &["workspace", "create"],
        &["workspace", "create", "--name", "A", "--owner", "nobody"],
        &["workspace", "create", "--name", "", "--owner", "a@b.example"],
        &["workspace", "create", "--name", "A", "--owner", "a@b.example", "--plan", "gold"],
        &["workspace", "show", "x"],
        &["workspace", "set", "01890a5d-ac96-774b-bcce-b302099a8057"],
        &["workspace", "set", "01890a5d-ac96-774b-bcce-b302099a8057", "--daily-send-limit", "-1"],
        &["workspace", "set", "01890a5d-ac96-774b-bcce-b302099a8057", "--notice", "a", "--clear-notice"],
        &["key", "create", "--workspace", "x"],
        &["key", "create", "--workspace", "01890a5d-ac96-774b-bcce-b302099a8057", "--scope", "inbox"],
        &["key", "create", "--workspace", "01890a5d-ac96-774b-bcce-b302099a8057", "--permissions", "fly"],
        &["key", "create", "--workspace", "01890a5d-ac96-774b-bcce-b302099a8057", "--permissions", " , "],
        &["key", "revoke", "x"],
        &["domain"],
        &["domain", "add"],
        &["domain", "show", "a.example", "--zone-file", "--json"],
        &["secret"],
        &["secret", "rotate", "--to", "new.key", "--keep"],
        &["backup"],
        &["backup", "-"],
        &["restore", "-"],
    ];
    for arguments in table {
        let output = sandbox.run(arguments);
        assert_eq!(output.code, 2, "{arguments:?}\n{}{}", output.stdout, output.stderr);
        assert_eq!(output.stdout, "", "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
    assert!(!sandbox.path("data").exists(), "invalid usage must not create files");
}

#[test]
fn an_invalid_listener_error_states_what_is_allowed() {
    let sandbox = Sandbox::new("listener");
    let output = sandbox.run(&["serve", "--smtp-listen", "127.0.0.1:0,mail.example"]);
    assert!(output.stderr.contains("mail.example") && output.stderr.contains("--smtp-listen"), "{}", output.stderr);
    assert!(output.stderr.contains("must be an IP address and a port, such as"), "{}", output.stderr);
    let output = sandbox.run(&["serve", "--http-listen", "0.0.0.0:0"]);
    assert!(
        output.stderr.contains("delivery.mode: is required unless every listener is on loopback"),
        "{}",
        output.stderr
    );
}

#[test]
fn help_and_version_go_to_standard_output() {
    let sandbox = Sandbox::new("help");
    for arguments in [&["--help"][..], &["--version"], &["workspace", "set", "--help"]] {
        let output = sandbox.run(arguments);
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{arguments:?}");
        assert!(!output.stdout.is_empty());
    }
}

#[test]
fn a_bad_configuration_names_key_value_and_what_is_allowed() {
    let sandbox = Sandbox::new("bad-config");
    let config = sandbox.configure("delivery.mode = 'drect'\nsmtp.hostnam = 'x.example'\n");
    for command in ["serve", "check", "migrate"] {
        let output = sandbox.run(&[command, "--config", config.to_str().unwrap()]);
        assert_eq!(output.code, 2, "{command}: {}", output.stderr);
        assert!(
            output.stderr.contains("delivery.mode = \"drect\": must be one of direct, relay, capture"),
            "{}",
            output.stderr
        );
        assert!(output.stderr.contains("smtp.hostnam: is not a key; did you mean smtp.hostname?"), "{}", output.stderr);
        assert_eq!(output.stdout, "");
    }
}

#[test]
fn an_invalid_instance_key_is_a_configuration_error_and_not_shown() {
    let sandbox = Sandbox::new("bad-key");
    for bad in ["c2hvcnQ=", "not base64, not base64, not base64, not bas="] {
        let config = sandbox.configure(&format!("delivery.mode = 'capture'\ninstance_key = '{bad}'\n"));
        for command in ["serve", "check"] {
            let output = sandbox.run(&[command, "--config", config.to_str().unwrap()]);
            assert_eq!(output.code, 2, "{command}: {}", output.stderr);
            assert!(output.stderr.contains("config: instance_key: must be 32 bytes in base64"), "{}", output.stderr);
            assert!(!output.stderr.contains(bad), "{}", output.stderr);
        }
    }
    assert!(!sandbox.path("data").exists(), "an invalid configuration must not create files");
}

#[test]
fn the_environment_is_read_and_checked() {
    let sandbox = Sandbox::new("environment");
    let output =
        sandbox.command().args(["migrate", "--json"]).env("POSTHOUSE__DELIVERY__MODUS", "direct").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("delivery.modus: is not a key"), "{text}");
}
