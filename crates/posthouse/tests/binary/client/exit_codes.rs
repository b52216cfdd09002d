//! Exit codes and error messages.

use std::{
    io::{Read, Write},
    net::TcpListener,
};

use super::ClientFixture;

#[test]
fn usage_errors_name_what_is_near() {
    let client = ClientFixture::start("client-usage");
    for (arguments, text) in [
        (&["inboxs"][..], "inboxes"),
        (&["messages", "lst"], "list"),
        (&["send", "a@b.example"], "--to"),
        (&["wait-code", "a@b.example", "--since", "yesterday"], "such as 10m"),
        (&["wait-code", "a@b.example", "--timeout", "4000"], "3600"),
        (&["listen"], "--forward-to"),
        (&["whoami", "--base-url", "mail.example"], "https://HOST"),
        (&["--config", "x", "whoami"], "no option --config"),
        (&["--json", "workspace", "list"], "no option --json"),
        (&["whoami", "--json", "--table"], "--table"),
    ] {
        let output = client.run(arguments);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{arguments:?}: {}", output.stderr);
        assert!(output.stderr.contains(text), "{arguments:?}: {}", output.stderr);
    }
}

/// Invalid arguments under `--json` had the text `posthouse help COMMAND`, or no next step.
#[test]
fn usage_errors_in_json_have_the_next_step() {
    let client = ClientFixture::logged_in("client-usage-json");
    let address = client.inbox("usage");
    for (arguments, code, fix) in [
        (&["whoami", "--jsn"][..], 2, "--json"),
        (&["drafts", "send"], 2, "posthouse help drafts send."),
        (&["agents", "setup"], 2, "posthouse help agents setup."),
        (&["admin", "key", "create"], 2, "posthouse help admin key create."),
        (&["whoami", "--config", "x"], 2, "whoami."),
        (&["fly"], 2, "posthouse help."),
        (&["drafts"], 2, "posthouse help drafts."),
        (&["tail", "--count", "many"], 2, "posthouse help tail."),
        (&["tail", "--inbox", "nope"], 2, "posthouse inboxes list"),
        (&["tail", "--since", "nope"], 1, "."),
        (&["tail", "--event", "message.eaten"], 1, "."),
        (&["wait-code", &address, "--since", "soon"], 2, "posthouse help wait-code."),
        (&["messages", "list", &address, "--limit", "0"], 2, "posthouse help messages list."),
        (&["messages", "list", &address, "--direction", "up"], 2, "."),
        (&["messages", "get", "nope"], 1, "."),
        (&["drafts", "list", &address, "--status", "lost"], 1, "."),
        (&["inboxes", "create", "--ttl", "x"], 2, "."),
        (&["send", &address, "--to", "a@b.example", "--subject", "s", "--text", "t", "--attach", "none"], 1, "."),
        (&["listen"], 2, "posthouse help listen."),
        (&["whoami", "--base-url", "x"], 2, "https://HOST"),
        (&["whoami", "--fields", "none"], 2, "Use "),
        (&["search"], 2, "posthouse help search."),
        (&["knowledge", "get", "nope"], 1, "."),
        (&["domains", "verify", "none.example"], 1, "posthouse domains list"),
    ] {
        let output = client.run(&[arguments, &["--json"]].concat());
        assert_eq!((output.code, output.stdout.as_str()), (code, ""), "{arguments:?}: {}", output.stderr);
        let error: serde_json::Value = serde_json::from_str(&output.stderr).unwrap();
        let error = &error["error"];
        assert!(error["code"].is_string() && error["message"].is_string(), "{arguments:?}: {error}");
        let found = error["fix"].as_str().unwrap();
        assert!(found.contains(fix) && !found.contains("COMMAND"), "{arguments:?}: {error}");
        assert!(error.get("type").is_none(), "{error}");
    }
}

#[test]
fn a_server_that_does_not_answer_is_one_line_with_the_next_step() {
    let client = ClientFixture::start("client-unreachable");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{closed}");
    let output = client.command(&["whoami", "--base-url", &url]).env("POSTHOUSE_API_KEY", "k").output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains(&url) && text.contains("start the server") && text.contains("--base-url"), "{text}");
}

/// The message was that of the TLS library, and the next step was to start a server that runs.
#[test]
fn the_wrong_scheme_is_named() {
    let client = ClientFixture::start("client-scheme");
    let run = |url: &str| {
        let output = client.command(&["whoami", "--base-url", url]).env("POSTHOUSE_API_KEY", "k").output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, text) = run(&client.base_url().replace("http://", "https://"));
    assert!(
        code == Some(1) && text.lines().count() == 1 && text.contains("not TLS); write its address with http://"),
        "{text}"
    );
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let serve = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 4096];
        let _ = stream.read(&mut head).unwrap();
        // What a TLS server answers to a request in the clear: a fatal alert.
        stream.write_all(&[21, 3, 1, 0, 2, 2, 70]).unwrap();
    });
    let (code, text) = run(&url);
    serve.join().unwrap();
    assert!(code == Some(1) && text.contains("not HTTP); write its address with https://"), "{text}");
}

/// The next step named the server of the usual address, and the doctor looked at nothing.
#[test]
fn a_server_without_a_stored_key_is_named_in_the_next_step() {
    let client = ClientFixture::start("client-no-key");
    let url = client.base_url();
    for arguments in
        [&["whoami"][..], &["inboxes", "list"], &["tail"], &["send", "a", "--to", "b", "--subject", "s", "--text", "t"]]
    {
        let output = client.run(&[arguments, &["--base-url", &url, "--profile", "other"]].concat());
        let command = format!("posthouse login --base-url {url} --profile other");
        assert!(output.code == 1 && output.stderr.contains(&command), "{arguments:?}: {}", output.stderr);
    }
    let done = client.run_with_input(&["login", "--base-url", &url], format!("{}\n", client.key));
    assert_eq!(done.code, 0, "{}", done.stderr);
    let elsewhere = url.replace("127.0.0.1", "localhost");
    let checked = client.run(&["doctor", "--base-url", &elsewhere]);
    assert!(checked.code == 1 && checked.stdout.contains(&format!("{elsewhere} answers")), "{}", checked.stdout);
    assert!(checked.stdout.contains("the stored key is for"), "{}", checked.stdout);
}

#[test]
fn errors_of_the_api_are_message_and_fix_or_json() {
    let client = ClientFixture::logged_in("client-api-error");
    let address = client.inbox("sender");
    let send = ["send", &address, "--to", "nobody", "--subject", "s", "--text", "t"];
    let output = client.run(&send);
    assert_eq!(output.code, 1);
    assert_eq!(output.stderr.lines().count(), 2, "{}", output.stderr);
    assert!(!output.stderr.contains("details."), "no member that a person doesn't see: {}", output.stderr);
    assert!(
        output.stderr.starts_with("posthouse: ") && output.stderr.contains("(invalid_request)"),
        "{}",
        output.stderr
    );
    let output = client.run(&[&send[..], &["--json"]].concat());
    let error: serde_json::Value = serde_json::from_str(&output.stderr).unwrap();
    assert_eq!((output.code, output.stdout.as_str()), (1, ""));
    assert!(error["error"]["fix"].is_string() && error["error"]["details"]["fields"].is_array(), "{error}");
    let refused = client.run(&["keys", "list"]);
    assert!(refused.code == 1 && refused.stderr.contains("/keys in the dashboard"), "{}", refused.stderr);
}

#[test]
fn waiting_in_vain_is_exit_code_3() {
    let client = ClientFixture::logged_in("client-timeout");
    let address = client.inbox("waiting");
    client.receive(&address, &["--text", "Your code is 111222."]);
    // Only mail from now on counts, whatever came before.
    let output = client.run(&["wait-code", &address, "--timeout", "1", "--from", "other.example", "--since", "1h"]);
    assert_eq!((output.code, output.stdout.as_str()), (3, ""), "{}", output.stderr);
    assert!(output.stderr.contains("no code or link came") && !output.stderr.contains("--since"), "{}", output.stderr);
}

#[test]
fn text_of_a_hostile_server_is_made_visible() {
    let client = ClientFixture::start("client-hostile-server");
    for (status, body) in [
        (
            "400 Bad Request",
            "{\"error\":{\"code\":\"x\",\"message\":\"a\\u001b[2Jb\\u202ec\",\"fix\":\"d\\u009b1me\\nf\"}}",
        ),
        ("200 OK", "{\"workspace\":{\"name\":\"a\\u001b]0;title\\u0007b\"}}"),
        ("302 Found\r\nlocation: http://x/\x1b[1m", "{}"),
        ("200 OK", "<html>\x1b[2J"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let response = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        let serve = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = [0; 4096];
            let _ = stream.read(&mut head).unwrap();
            stream.write_all(response.as_bytes()).unwrap();
        });
        let mut command = client.command(&["whoami", "--table", "--base-url", &url]);
        let output = command.env("POSTHOUSE_API_KEY", "k").output().unwrap();
        serve.join().unwrap();
        for text in [output.stdout, output.stderr] {
            let text = String::from_utf8(text).unwrap();
            let is_safe = |c: char| c == '\n' || !(c.is_control() || c == '\u{202e}');
            assert!(text.chars().all(is_safe), "{status}: {text:?}");
        }
    }
}
