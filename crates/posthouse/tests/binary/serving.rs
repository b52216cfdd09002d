//! `posthouse serve`: the ready file, the first start, commands while it runs, and the stop.

use std::io::{Read, Write};

use serde_json::Value;

use crate::harness::Sandbox;

#[test]
fn only_the_first_start_creates_a_workspace() {
    let sandbox = Sandbox::new("first");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let service = sandbox.serve(&config, &[]);
    assert_eq!(service.ready["pid"].as_u64().map(|pid| pid > 0), Some(true));
    assert_ne!(service.address("http").port(), 0);
    assert_ne!(service.address("smtp").port(), 0);
    assert_ne!(service.address("submission").port(), 0);
    let first = &service.ready["first_run"];
    let key = first["api_key"].as_str().unwrap().to_owned();
    let link = first["sign_in_url"].as_str().unwrap().to_owned();
    let token = link.rsplit_once("/sign-in#token=").unwrap().1.to_owned();
    let digits = token.strip_prefix("pht").unwrap();
    assert!(digits.len() == 37 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()), "{link}");
    let (head, body) = service.get("/v1/account", &format!("authorization: Bearer {key}\r\n"));
    assert!(head.starts_with("http/1.1 200"), "{head}");
    let account: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&account["workspace"]["id"], &account["key"]["scope"]), (&first["workspace_id"], &"org".into()));

    let output = service.stop();
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains("curl ") && output.stdout.contains("swaks "), "{}", output.stdout);
    let secrets = [key.as_str(), "ph_", &token];
    for stream in [&output.stdout, &output.stderr] {
        assert!(secrets.iter().all(|secret| !stream.contains(secret)), "it may be kept by a log: {stream}");
    }
    let file = std::fs::read_to_string(sandbox.path("data/first-start.txt")).unwrap();
    assert!(file.contains(&token), "{file}");
    assert_eq!(file.matches(&key).count(), file.matches("ph_").count(), "only this key is shown: {file}");

    let again = sandbox.serve(&config, &[]);
    assert!(again.ready.get("first_run").is_none());
    let (head, _) = again.get("/v1/account", &format!("authorization: Bearer {key}\r\n"));
    assert!(head.starts_with("http/1.1 200"), "{head}");
    let later = again.stop().stdout;
    assert!(later.contains("key create --workspace ") && !later.contains("ph_"), "{later}");
}

/// Workspace, key and inbox are created in one transaction.
#[test]
fn the_start_after_a_failed_first_start_creates_everything() {
    let sandbox = Sandbox::new("broken-off");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    sandbox.make_store();
    let change = |text: &'static str| {
        let url = posthouse_store::DatabaseUrl::Sqlite(sandbox.path("data/posthouse.db"));
        let store = posthouse_store::Store::open(posthouse_store::StoreConfig::new(url)).unwrap();
        let sql = posthouse_store::Sql::from_fragments("CHANGE", text.to_owned());
        let changed = store.write_blocking(move |tx| tx.exec(&sql, &[])).unwrap();
        assert_eq!(changed, 1, "{text}");
        store.close();
    };
    // The first inbox can't be created, because its address was used before.
    change("INSERT INTO addresses (address, workspace_id, inbox_id) VALUES ('welcome@agents.localhost', x'00', x'00')");
    let broken = sandbox.run(&["serve", "--config", config.to_str().unwrap()]);
    assert_eq!(broken.code, 1);
    assert!(broken.stderr.contains("first inbox"), "{}", broken.stderr);
    change("DELETE FROM addresses WHERE address = 'welcome@agents.localhost'");

    let mut service = sandbox.serve(&config, &[]);
    let key = service.ready["first_run"]["api_key"].as_str().expect("the next start is the first").to_owned();
    service.read_log_until("welcome mail delivered");
    let (_, inboxes) = service.get("/v1/inboxes", &format!("authorization: Bearer {key}\r\n"));
    let inboxes: Value = serde_json::from_str(&inboxes).unwrap();
    assert_eq!(inboxes["data"][0]["address"], "welcome@agents.localhost");
    assert_eq!(service.stop().code, 0);
}

#[test]
fn commands_work_while_the_service_runs() {
    let sandbox = Sandbox::new("beside");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let service = sandbox.serve(&config, &[]);
    let config = config.to_str().unwrap();
    let made =
        sandbox.run(&["workspace", "create", "--config", config, "--name", "B", "--owner", "b@b.example", "--json"]);
    let made = made.json();
    let authorization = format!("authorization: Bearer {}\r\n", made["api_key"].as_str().unwrap());
    assert!(service.get("/v1/account", &authorization).0.starts_with("http/1.1 200"));
    let id = made["workspace_id"].as_str().unwrap();
    sandbox.run(&["workspace", "set", id, "--config", config, "--notice", "Grüße", "--json"]).json();
    let (head, _) = service.get("/v1/account", &authorization);
    assert!(head.contains("service-notice: gr%c3%bc%c3%9fe"), "{head}");
    for (path, fields, has_notice) in [
        ("/v1/nowhere", authorization.as_str(), true),
        ("/v1/openapi.json", &authorization, true),
        ("/v1/webhooks/events", &authorization, true),
        ("/v1/webhooks/events", "", false),
        ("/v1/webhooks/events", "authorization: Bearer nobody\r\n", false),
    ] {
        let (head, _) = service.get(path, fields);
        assert_eq!(head.contains("service-notice: "), has_notice, "{path} {fields}: {head}");
    }
    let output = sandbox.run(&["check", "--config", config]);
    assert_eq!(output.code, 0, "{}", output.stdout);
    assert_eq!(service.stop().code, 0);
}

#[test]
fn pages_about_the_service_and_its_log() {
    let sandbox = Sandbox::new("shows");
    let config = sandbox.configure("delivery.mode = 'capture'\nhttp.metrics_token = 'sesame'\nlog.format = 'json'\n");
    let service = sandbox.serve(&config, &[]);
    for (path, content_type) in [
        ("/healthz", "application/json"),
        ("/readyz", "application/json"),
        ("/metrics", "text/plain; version=0.0.4"),
        ("/v1/openapi.json", "application/json"),
        ("/docs", "text/html"),
        ("/llms.txt", "text/plain"),
    ] {
        let (head, body) = service.get(path, "");
        assert!(head.starts_with("http/1.1 200"), "{path}: {head}");
        assert!(head.contains(&format!("content-type: {content_type}")), "{path}: {head}");
        assert!(head.contains("x-request-id: ") && !body.is_empty(), "{path}");
    }
    let (head, _) = service.get("/docs", "");
    assert!(head.contains("content-security-policy: default-src 'none'; style-src 'sha256-"), "{head}");
    let through_a_proxy = "x-forwarded-for: 203.0.113.9\r\n";
    assert!(service.get("/metrics", through_a_proxy).0.starts_with("http/1.1 401"));
    let with_token = format!("{through_a_proxy}authorization: Bearer sesame\r\n");
    assert!(service.get("/metrics", &with_token).0.starts_with("http/1.1 200"));
    let (head, body) = service.get("/nowhere", "");
    assert!(head.starts_with("http/1.1 404") && body.contains("\"not_found\""), "{head} {body}");

    let html = "accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";
    // Every page of the dashboard is the same document.
    for path in ["/", "/sign-in", "/inbox"] {
        let (head, body) = service.get(path, html);
        assert!(head.starts_with("http/1.1 200") && head.contains("\r\ncontent-type: text/html"), "{path}: {head}");
        assert!(head.contains("\r\nvary: accept") && head.contains("x-request-id: "), "{path}: {head}");
        assert!(head.contains("script-src 'self'") && !head.contains("unsafe-inline"), "{path}: {head}");
        assert!(body.contains("<div id=\"app\">"), "{path}: {body}");
    }
    // Programs that check links accept anything.
    for accept in ["", "accept: */*\r\n"] {
        assert!(service.get("/", accept).1.contains("<div id=\"app\">"), "{accept}");
    }
    for (path, accept) in [("/", "accept: application/json\r\n"), ("/contacts", ""), ("/contacts", "accept: */*\r\n")] {
        let (head, body) = service.get(path, accept);
        assert!(head.starts_with("http/1.1 404") && body.contains("\"not_found\""), "{accept}: {head} {body}");
        assert!(path != "/" || body.contains("The reference is at `/docs`"), "{accept}: {body}");
    }
    for path in ["/v1/nowhere", "/platform/nowhere", "/assets/nowhere.js"] {
        assert!(service.get(path, html).0.starts_with("http/1.1 404"), "{path}");
    }

    let output = service.stop();
    for line in output.stderr.lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(line["timestamp"].is_string() && line["level"].is_string());
    }
    let id = head.split("x-request-id: ").nth(1).unwrap().lines().next().unwrap();
    assert!(output.stderr.contains(id), "the log has the request id");
}

#[test]
fn roles_select_the_listeners() {
    let sandbox = Sandbox::new("roles");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let service = sandbox.serve(&config, &["--roles", "smtp"]);
    assert_eq!(service.ready["http"], Value::Null);
    assert!(service.ready.get("first_run").is_none());
    let mut stream = std::net::TcpStream::connect(service.address("smtp")).unwrap();
    let mut greeting = [0; 4];
    stream.read_exact(&mut greeting).unwrap();
    assert_eq!(&greeting, b"220 ");
    assert_eq!(service.stop().code, 0);
}

/// Without an SMTP listener in the process, the text of the first start announced a welcome mail.
#[test]
fn a_first_start_without_the_mail_exchanger_promises_no_mail() {
    let sandbox = Sandbox::new("http-alone");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let service = sandbox.serve(&config, &["--roles", "http,http"]);
    assert!(service.ready["first_run"].is_object(), "{}", service.ready);
    let output = service.stop();
    assert!(output.stdout.contains("curl ") && !output.stdout.contains("welcome mail"), "{}", output.stdout);
    assert!(!output.stdout.contains("swaks ") && !output.stdout.contains("another process"), "{}", output.stdout);
    assert!(output.stderr.contains("roles=\"http\"") || output.stderr.contains("roles=http "), "{}", output.stderr);
}

/// The selected port of `submission.listen_tls` wasn't reported anywhere.
#[test]
fn the_ready_file_and_the_log_have_every_selected_port() {
    let sandbox = Sandbox::new("picked-port");
    let config = sandbox.configure("delivery.mode = 'capture'\nsubmission.listen_tls = ['127.0.0.1:0']\n");
    let service = sandbox.serve(&config, &[]);
    let (clear, tls) = (service.address("submission"), service.address("submission_tls"));
    assert!(tls.port() != 0 && tls != clear);
    std::net::TcpStream::connect(tls).unwrap();
    let output = service.stop();
    assert!(output.stderr.contains(&format!("submission_tls={tls}")), "{}", output.stderr);
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let service = sandbox.serve(&config, &[]);
    assert!(service.ready.as_object().unwrap().contains_key("submission_tls"), "{}", service.ready);
    assert_eq!(service.ready["submission_tls"], Value::Null);
    assert_eq!(service.stop().code, 0);
}

/// A ready file of the previous run made a failed start look successful.
#[test]
fn the_ready_file_exists_while_the_service_is_ready() {
    let sandbox = Sandbox::new("ready-file");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let file = sandbox.path("data/ready.json");
    let arguments = ["--ready-file", file.to_str().unwrap()];
    std::fs::create_dir(sandbox.path("data")).unwrap();
    std::fs::write(&file, "{\"pid\":1}").unwrap();
    let missing = sandbox.path("absent.toml");
    let failed = sandbox.run(&[&["serve", "--config", missing.to_str().unwrap()][..], &arguments].concat());
    assert_eq!(failed.code, 2, "{}", failed.stderr);
    assert!(!file.exists());
    // A first start creates the directory.
    std::fs::remove_dir(sandbox.path("data")).unwrap();
    let mut child = sandbox.command();
    let mut child = child.args(["serve", "--config", config.to_str().unwrap()]).args(arguments);
    child = child.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
    let mut child = child.spawn().unwrap();
    let log = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut lines = std::io::BufRead::lines(log);
    lines.find(|line| line.as_ref().unwrap().contains(" ready ")).unwrap().unwrap();
    let ready: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(ready["pid"], child.id());
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM).unwrap();
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(!file.exists());
}

/// The first start printed its key and then failed because of the ready file; the next start had no key to show.
#[test]
fn an_unwritable_ready_file_ends_the_start_before_a_key_is_created() {
    let sandbox = Sandbox::new("no-ready-file");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let serve = ["serve", "--config", config.to_str().unwrap(), "--ready-file"];
    std::fs::write(sandbox.path("file"), "").unwrap();
    std::fs::create_dir(sandbox.path("directory")).unwrap();
    std::os::unix::fs::symlink("file", sandbox.path("link")).unwrap();
    for place in ["absent/ready.json", "file/ready.json", "directory", "link"] {
        let path = sandbox.path(place);
        let output = sandbox.run(&[&serve[..], &[path.to_str().unwrap()]].concat());
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{place}: {}", output.stderr);
        assert!(output.stderr.contains(&format!("--ready-file {}", path.display())), "{place}: {}", output.stderr);
        assert!(output.stderr.contains("it must be a file in an existing directory"), "{place}: {}", output.stderr);
    }
    assert!(!sandbox.path("data/posthouse.db").exists(), "nothing was created");
    assert!(sandbox.path("link").is_symlink(), "nothing was removed");
    let service = sandbox.serve(&config, &[]);
    assert!(service.ready["first_run"].is_object(), "{}", service.ready);
    assert_eq!(service.stop().code, 0);
}

#[test]
fn idle_connections_do_not_delay_the_stop() {
    let sandbox = Sandbox::new("idle");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let service = sandbox.serve(&config, &[]);
    let mut silent = service.connect();
    let mut begun = service.connect();
    begun.write_all(b"GET /healthz HTTP/1.1\r\nhost:").unwrap();
    let mut kept = service.connect();
    kept.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut first = [0; 12];
    kept.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let output = service.stop();
    assert_eq!(output.code, 0);
    assert!(output.stderr.contains("stopped") && !output.stderr.contains("cut_off"), "{}", output.stderr);
    let mut rest = Vec::new();
    assert_eq!(silent.read_to_end(&mut rest).unwrap_or(0), 0);
}

#[test]
fn an_endless_request_is_cut_off_at_the_stop() {
    let sandbox = Sandbox::new("never-ends");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let service = sandbox.serve(&config, &[]);
    let key = service.ready["first_run"]["api_key"].as_str().unwrap().to_owned();
    let mut endless = service.connect();
    write!(
        endless,
        "POST /v1/inboxes HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         content-length: 100\r\n\r\n{{\"username\":"
    )
    .unwrap();
    // After a response on another connection, the service has the first request.
    assert!(service.get("/healthz", "").0.starts_with("http/1.1 200"));
    let output = service.stop();
    assert_eq!(output.code, 0);
    assert!(output.stderr.contains("drain.timed_out") && output.stderr.contains("stopped"), "{}", output.stderr);
    let mut rest = Vec::new();
    assert_eq!(endless.read_to_end(&mut rest).unwrap_or(0), 0, "there was no response");
}

#[test]
fn an_address_in_use_is_an_error_with_its_setting() {
    let sandbox = Sandbox::new("in-use");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let path = sandbox.path("c.toml");
    let data = sandbox.path("data");
    std::fs::write(
        &path,
        format!("delivery.mode = 'capture'\nhttp.listen = '{address}'\ndata_dir = '{}'", data.display()),
    )
    .unwrap();
    let output = sandbox.run(&["serve", "--config", path.to_str().unwrap()]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("http.listen") && output.stderr.contains(&address.to_string()), "{}", output.stderr);
    assert!(
        output
            .stderr
            .contains("stop the program that uses it, or set http.listen (or --http-listen) to another address"),
        "{}",
        output.stderr
    );
}

#[test]
fn the_command_of_the_first_start_shows_the_welcome_mail() {
    let sandbox = Sandbox::new("welcome");
    let config = sandbox.configure("delivery.mode = 'capture'\n");
    let mut service = sandbox.serve(&config, &[]);
    service.read_log_until("welcome mail delivered");
    let key = service.ready["first_run"]["api_key"].as_str().unwrap().to_owned();
    let authorization = format!("authorization: Bearer {key}\r\n");
    let export = service.read_line_with("export POSTHOUSE_KEY=");
    let value = export.trim().strip_prefix("export POSTHOUSE_KEY=").unwrap();
    let shell = std::process::Command::new("sh").args(["-c", &format!("printf %s {value}")]).output().unwrap();
    assert_eq!(String::from_utf8(shell.stdout).unwrap(), key, "{export}");
    service.read_line_with("curl -H \"Authorization: Bearer $POSTHOUSE_KEY\"");
    let url = service.read_line_with("/v1/");
    let path = url.split("/v1/").nth(1).unwrap().trim();
    let (head, body) = service.get(&format!("/v1/{path}"), &authorization);
    assert!(head.starts_with("http/1.1 200"), "{head}");
    let list: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(list["data"][0]["subject"], "Welcome to Posthouse");
    assert_eq!(list["data"][0]["direction"], "inbound");
    assert_eq!(service.stop().code, 0);
}

#[test]
fn listeners_of_the_command_line_override_the_configuration() {
    let sandbox = Sandbox::new("listeners");
    let config = sandbox.path("c.toml");
    let text = "log.level = 'debug'\nhttp.listen = '0.0.0.0:0'\nsubmission.listen = ['0.0.0.0:0']\n";
    std::fs::write(&config, format!("{text}data_dir = '{}'\n", sandbox.path("data").display())).unwrap();
    let variables = [("POSTHOUSE__SMTP__LISTEN", "0.0.0.0:0")];
    let output =
        sandbox.run_with(&variables, &["serve", "--config", config.to_str().unwrap(), "--smtp-listen", "127.0.0.1:0"]);
    assert!(
        output.code == 2 && output.stderr.contains("delivery.mode: is required"),
        "two are not on loopback: {}",
        output.stderr
    );
    let flags = [
        ["--http-listen", "127.0.0.1:0"],
        ["--smtp-listen", "127.0.0.1:0,127.0.0.2:0"],
        ["--smtp-listen", "127.0.0.3:0"],
        ["--submission-listen", "127.0.0.4:0"],
    ];
    let service = sandbox.serve_with(&variables, &config, &flags.concat());
    for (listener, ip) in [("http", "127.0.0.1:"), ("smtp", "127.0.0.1:"), ("submission", "127.0.0.4:")] {
        assert!(service.ready[listener].as_str().unwrap().starts_with(ip), "{}", service.ready);
    }
    let (_, document) = service.get("/v1/openapi.json", "");
    assert!(document.contains("\"/dev/inbound\""), "it is the loopback profile");
    assert_eq!(service.stop().code, 0);
}
