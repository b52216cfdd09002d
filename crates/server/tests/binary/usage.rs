//! Bad usage and bad configuration: exit code 2 with the key, the value and what is allowed.

use crate::house::House;

#[test]
fn bad_usage_is_exit_code_2() {
    let house = House::new("usage");
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
        let ran = house.run(arguments);
        assert_eq!(ran.code, 2, "{arguments:?}\n{}{}", ran.out, ran.err);
        assert_eq!(ran.out, "", "{arguments:?}");
        assert!(!ran.err.is_empty(), "{arguments:?}");
    }
    assert!(!house.path("data").exists(), "bad usage must leave nothing behind");
}

#[test]
fn a_bad_listener_is_told_what_is_allowed() {
    let house = House::new("listener");
    let ran = house.run(&["serve", "--smtp-listen", "127.0.0.1:0,mail.example"]);
    assert!(ran.err.contains("mail.example") && ran.err.contains("--smtp-listen"), "{}", ran.err);
    assert!(ran.err.contains("must be an IP address and a port, such as"), "{}", ran.err);
    let ran = house.run(&["serve", "--http-listen", "0.0.0.0:0"]);
    assert!(ran.err.contains("delivery.mode: is required unless every listener is on loopback"), "{}", ran.err);
}

#[test]
fn help_and_version_are_answers() {
    let house = House::new("help");
    for arguments in [&["--help"][..], &["--version"], &["workspace", "set", "--help"]] {
        let ran = house.run(arguments);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{arguments:?}");
        assert!(!ran.out.is_empty());
    }
}

#[test]
fn a_bad_configuration_names_key_value_and_what_is_allowed() {
    let house = House::new("bad-config");
    let config = house.configure("delivery.mode = 'drect'\nsmtp.hostnam = 'x.example'\n");
    for command in ["serve", "check", "migrate"] {
        let ran = house.run(&[command, "--config", config.to_str().unwrap()]);
        assert_eq!(ran.code, 2, "{command}: {}", ran.err);
        assert!(ran.err.contains("delivery.mode = \"drect\": must be one of direct, relay, capture"), "{}", ran.err);
        assert!(ran.err.contains("smtp.hostnam: is not a key; did you mean smtp.hostname?"), "{}", ran.err);
        assert_eq!(ran.out, "");
    }
}

#[test]
fn a_key_for_secrets_that_is_none_is_a_bad_configuration_and_not_shown() {
    let house = House::new("bad-key");
    for bad in ["c2hvcnQ=", "not base64, not base64, not base64, not bas="] {
        let config = house.configure(&format!("delivery.mode = 'capture'\ninstance_key = '{bad}'\n"));
        for command in ["serve", "check"] {
            let ran = house.run(&[command, "--config", config.to_str().unwrap()]);
            assert_eq!(ran.code, 2, "{command}: {}", ran.err);
            assert!(ran.err.contains("config: instance_key: must be 32 bytes in base64"), "{}", ran.err);
            assert!(!ran.err.contains(bad), "{}", ran.err);
        }
    }
    assert!(!house.path("data").exists(), "a bad configuration must leave nothing behind");
}

#[test]
fn the_environment_is_read_and_checked() {
    let house = House::new("environment");
    let output =
        house.command().args(["migrate", "--json"]).env("POSTHOUSE__DELIVERY__MODUS", "direct").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("delivery.modus: is not a key"), "{text}");
}
