//! `posthouse serve`: the ready file, the first start, commands beside it, and its end.

use std::io::{Read, Write};

use serde_json::Value;

use crate::house::House;

#[test]
fn the_first_start_makes_a_workspace_and_later_ones_do_not() {
    let house = House::new("first");
    let config = house.configure("delivery.mode = 'capture'\n");
    let service = house.serve(&config, &[]);
    assert_eq!(service.ready["pid"].as_u64().map(|pid| pid > 0), Some(true));
    assert_ne!(service.address("http").port(), 0);
    assert_ne!(service.address("smtp").port(), 0);
    assert_ne!(service.address("submission").port(), 0);
    let first = &service.ready["first_run"];
    let key = first["api_key"].as_str().unwrap().to_owned();
    assert_eq!(first["sign_in_url"], Value::Null);
    let (head, body) = service.get("/v1/account", &format!("authorization: Bearer {key}\r\n"));
    assert!(head.starts_with("http/1.1 200"), "{head}");
    let account: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&account["workspace"]["id"], &account["key"]["scope"]), (&first["workspace_id"], &"org".into()));

    let ran = service.stop();
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.out.matches(&key).count(), ran.out.matches("ph_").count(), "only this key is shown");
    assert!(ran.out.contains("curl ") && ran.out.contains("swaks "), "{}", ran.out);
    assert!(!ran.err.contains(&key), "the log must not hold the key");

    let again = house.serve(&config, &[]);
    assert!(again.ready.get("first_run").is_none());
    let (head, _) = again.get("/v1/account", &format!("authorization: Bearer {key}\r\n"));
    assert!(head.starts_with("http/1.1 200"), "{head}");
    assert_eq!(again.stop().out, "");
}

/// Workspace, key and inbox are made together or not at all: a start that breaks off leaves everything to the next.
#[test]
fn a_first_start_that_breaks_off_is_made_whole_by_the_next() {
    let house = House::new("broken-off");
    let config = house.configure("delivery.mode = 'capture'\n");
    assert_eq!(house.run(&["migrate", "--config", config.to_str().unwrap()]).code, 0);
    let change = |text: &'static str| {
        let url = posthouse_store::DatabaseUrl::Sqlite(house.path("data/posthouse.db"));
        let store = posthouse_store::Store::open(posthouse_store::StoreConfig::new(url)).unwrap();
        let sql = posthouse_store::Sql::built("CHANGE", text.to_owned());
        let changed = store.write_blocking(move |tx| tx.exec(&sql, &[])).unwrap();
        assert_eq!(changed, 1, "{text}");
        store.close();
    };
    // The first inbox cannot be made: its name was used before.
    change("INSERT INTO addresses (address, workspace_id, inbox_id) VALUES ('welcome@agents.localhost', x'00', x'00')");
    let broken = house.run(&["serve", "--config", config.to_str().unwrap()]);
    assert_eq!(broken.code, 1);
    assert!(broken.err.contains("first inbox"), "{}", broken.err);
    change("DELETE FROM addresses WHERE address = 'welcome@agents.localhost'");

    let mut service = house.serve(&config, &[]);
    let key = service.ready["first_run"]["api_key"].as_str().expect("the next start is the first").to_owned();
    service.read_log_until("welcome mail delivered");
    let (_, inboxes) = service.get("/v1/inboxes", &format!("authorization: Bearer {key}\r\n"));
    let inboxes: Value = serde_json::from_str(&inboxes).unwrap();
    assert_eq!(inboxes["data"][0]["address"], "welcome@agents.localhost");
    assert_eq!(service.stop().code, 0);
}

#[test]
fn commands_work_beside_a_running_service() {
    let house = House::new("beside");
    let config = house.configure("delivery.mode = 'capture'\n");
    let service = house.serve(&config, &[]);
    let config = config.to_str().unwrap();
    let made =
        house.run(&["workspace", "create", "--config", config, "--name", "B", "--owner", "b@b.example", "--json"]);
    let made = made.json();
    let authorization = format!("authorization: Bearer {}\r\n", made["api_key"].as_str().unwrap());
    assert!(service.get("/v1/account", &authorization).0.starts_with("http/1.1 200"));
    let id = made["workspace_id"].as_str().unwrap();
    house.run(&["workspace", "set", id, "--config", config, "--notice", "Grüße", "--json"]).json();
    let (head, _) = service.get("/v1/account", &authorization);
    assert!(head.contains("service-notice: gr%c3%bc%c3%9fe"), "{head}");
    for (path, fields, told) in [
        ("/v1/nowhere", authorization.as_str(), true),
        ("/v1/openapi.json", &authorization, true),
        ("/v1/webhooks/events", &authorization, true),
        ("/v1/webhooks/events", "", false),
        ("/v1/webhooks/events", "authorization: Bearer nobody\r\n", false),
    ] {
        let (head, _) = service.get(path, fields);
        assert_eq!(head.contains("service-notice: "), told, "{path} {fields}: {head}");
    }
    let ran = house.run(&["check", "--config", config]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert_eq!(service.stop().code, 0);
}

#[test]
fn what_it_shows_of_itself() {
    let house = House::new("shows");
    let config = house.configure("delivery.mode = 'capture'\nhttp.metrics_token = 'sesame'\nlog.format = 'json'\n");
    let service = house.serve(&config, &[]);
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

    let ran = service.stop();
    for line in ran.err.lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(line["timestamp"].is_string() && line["level"].is_string());
    }
    let id = head.split("x-request-id: ").nth(1).unwrap().lines().next().unwrap();
    assert!(ran.err.contains(id), "the log bears the request's id");
}

#[test]
fn roles_decide_what_is_listened_on() {
    let house = House::new("roles");
    let config = house.configure("delivery.mode = 'capture'\n");
    let service = house.serve(&config, &["--roles", "smtp"]);
    assert_eq!(service.ready["http"], Value::Null);
    assert!(service.ready.get("first_run").is_none());
    let mut stream = std::net::TcpStream::connect(service.address("smtp")).unwrap();
    let mut greeting = [0; 4];
    stream.read_exact(&mut greeting).unwrap();
    assert_eq!(&greeting, b"220 ");
    assert_eq!(service.stop().code, 0);
}

/// It was printed to who had no SMTP listener in the process that there is mail already.
#[test]
fn a_first_start_without_the_mail_exchanger_promises_no_mail() {
    let house = House::new("http-alone");
    let config = house.configure("delivery.mode = 'capture'\n");
    let service = house.serve(&config, &["--roles", "http,http"]);
    assert!(service.ready["first_run"].is_object(), "{}", service.ready);
    let ran = service.stop();
    assert!(ran.out.contains("curl ") && !ran.out.contains("there already"), "{}", ran.out);
    assert!(!ran.out.contains("swaks ") && !ran.out.contains("another process"), "{}", ran.out);
    assert!(ran.err.contains("roles=\"http\"") || ran.err.contains("roles=http "), "{}", ran.err);
}

/// The port of `submission.listen_tls` was picked and told to nobody.
#[test]
fn every_picked_port_is_in_the_ready_file_and_in_the_log() {
    let house = House::new("picked-port");
    let config = house.configure("delivery.mode = 'capture'\nsubmission.listen_tls = ['127.0.0.1:0']\n");
    let service = house.serve(&config, &[]);
    let (clear, tls) = (service.address("submission"), service.address("submission_tls"));
    assert!(tls.port() != 0 && tls != clear);
    std::net::TcpStream::connect(tls).unwrap();
    let ran = service.stop();
    assert!(ran.err.contains(&format!("submission_tls={tls}")), "{}", ran.err);
    let config = house.configure("delivery.mode = 'capture'\n");
    let service = house.serve(&config, &[]);
    assert!(service.ready.as_object().unwrap().contains_key("submission_tls"), "{}", service.ready);
    assert_eq!(service.ready["submission_tls"], Value::Null);
    assert_eq!(service.stop().code, 0);
}

/// A ready file of the run before said that a start that failed had succeeded.
#[test]
fn a_ready_file_is_there_while_the_service_is_ready_and_not_longer() {
    let house = House::new("ready-file");
    let config = house.configure("delivery.mode = 'capture'\n");
    let file = house.path("data/told.json");
    let arguments = ["--ready-file", file.to_str().unwrap()];
    std::fs::create_dir(house.path("data")).unwrap();
    std::fs::write(&file, "{\"pid\":1}").unwrap();
    let missing = house.path("absent.toml");
    let failed = house.run(&[&["serve", "--config", missing.to_str().unwrap()][..], &arguments].concat());
    assert_eq!(failed.code, 2, "{}", failed.err);
    assert!(!file.exists());
    // A first start makes the directory.
    std::fs::remove_dir(house.path("data")).unwrap();
    let mut child = house.command();
    let mut child = child.args(["serve", "--config", config.to_str().unwrap()]).args(arguments);
    child = child.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
    let mut child = child.spawn().unwrap();
    let log = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut lines = std::io::BufRead::lines(log);
    lines.find(|line| line.as_ref().unwrap().contains(" ready ")).unwrap().unwrap();
    let told: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(told["pid"], child.id());
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM).unwrap();
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(!file.exists());
}

/// The first start printed its key, ended because of the ready file, and the next one had no key to tell.
#[test]
fn a_ready_file_that_cannot_be_written_ends_the_start_before_there_is_a_key() {
    let house = House::new("no-ready-file");
    let config = house.configure("delivery.mode = 'capture'\n");
    let serve = ["serve", "--config", config.to_str().unwrap(), "--ready-file"];
    std::fs::write(house.path("file"), "").unwrap();
    std::fs::create_dir(house.path("directory")).unwrap();
    std::os::unix::fs::symlink("file", house.path("link")).unwrap();
    for place in ["absent/ready.json", "file/ready.json", "directory", "link"] {
        let path = house.path(place);
        let ran = house.run(&[&serve[..], &[path.to_str().unwrap()]].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{place}: {}", ran.err);
        assert!(ran.err.contains(&format!("--ready-file {}", path.display())), "{place}: {}", ran.err);
        assert!(ran.err.contains("it must be a file in a directory"), "{place}: {}", ran.err);
    }
    assert!(!house.path("data/posthouse.db").exists(), "nothing was made");
    assert!(house.path("link").is_symlink(), "nor taken away");
    let service = house.serve(&config, &[]);
    assert!(service.ready["first_run"].is_object(), "{}", service.ready);
    assert_eq!(service.stop().code, 0);
}

#[test]
fn idle_connections_do_not_hold_the_end_up() {
    let house = House::new("idle");
    let config = house.configure("delivery.mode = 'capture'\n");
    let service = house.serve(&config, &[]);
    let mut silent = service.connect();
    let mut begun = service.connect();
    begun.write_all(b"GET /healthz HTTP/1.1\r\nhost:").unwrap();
    let mut kept = service.connect();
    kept.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut first = [0; 12];
    kept.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let ran = service.stop();
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("stopped") && !ran.err.contains("cut_off"), "{}", ran.err);
    let mut rest = Vec::new();
    assert_eq!(silent.read_to_end(&mut rest).unwrap_or(0), 0);
}

#[test]
fn a_request_that_never_ends_is_cut_off() {
    let house = House::new("never-ends");
    let config = house.configure("delivery.mode = 'capture'\n");
    let service = house.serve(&config, &[]);
    let key = service.ready["first_run"]["api_key"].as_str().unwrap().to_owned();
    let mut endless = service.connect();
    write!(
        endless,
        "POST /v1/inboxes HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         content-length: 100\r\n\r\n{{\"username\":"
    )
    .unwrap();
    // An answer on another connection: by now the first request is in.
    assert!(service.get("/healthz", "").0.starts_with("http/1.1 200"));
    let ran = service.stop();
    assert_eq!(ran.code, 0);
    assert!(ran.err.contains("drain.cut_off") && ran.err.contains("stopped"), "{}", ran.err);
    let mut rest = Vec::new();
    assert_eq!(endless.read_to_end(&mut rest).unwrap_or(0), 0, "nothing was answered");
}

#[test]
fn an_address_in_use_is_named() {
    let house = House::new("in-use");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let path = house.path("c.toml");
    let data = house.path("data");
    std::fs::write(
        &path,
        format!("delivery.mode = 'capture'\nhttp.listen = '{address}'\ndata_dir = '{}'", data.display()),
    )
    .unwrap();
    let ran = house.run(&["serve", "--config", path.to_str().unwrap()]);
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("http.listen") && ran.err.contains(&address.to_string()), "{}", ran.err);
    assert!(
        ran.err.contains("stop what listens there, or set http.listen to another address (or give --http-listen)"),
        "{}",
        ran.err
    );
}

#[test]
fn the_welcome_mail_comes_through_the_own_listener_and_the_pasted_line_shows_it() {
    let house = House::new("welcome");
    let config = house.configure("delivery.mode = 'capture'\n");
    let mut service = house.serve(&config, &[]);
    service.read_log_until("welcome mail delivered");
    let key = service.ready["first_run"]["api_key"].as_str().unwrap().to_owned();
    let authorization = format!("authorization: Bearer {key}\r\n");
    let shown = service.read_line_with("curl ");
    let path = shown.split("/v1/").nth(1).unwrap().trim();
    assert!(shown.contains(&key), "{shown}");
    let (head, body) = service.get(&format!("/v1/{path}"), &authorization);
    assert!(head.starts_with("http/1.1 200"), "{head}");
    let list: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(list["data"][0]["subject"], "Welcome to Posthouse");
    assert_eq!(list["data"][0]["direction"], "inbound");
    assert_eq!(service.stop().code, 0);
}

#[test]
fn listeners_of_the_command_line_win_and_loopback_needs_no_mode() {
    let house = House::new("listeners");
    let config = house.path("c.toml");
    let text = "log.level = 'debug'\nhttp.listen = '0.0.0.0:0'\nsubmission.listen = ['0.0.0.0:0']\n";
    std::fs::write(&config, format!("{text}data_dir = '{}'\n", house.path("data").display())).unwrap();
    let variables = [("POSTHOUSE__SMTP__LISTEN", "0.0.0.0:0")];
    let ran =
        house.run_with(&variables, &["serve", "--config", config.to_str().unwrap(), "--smtp-listen", "127.0.0.1:0"]);
    assert!(ran.code == 2 && ran.err.contains("delivery.mode: is required"), "two are not on loopback: {}", ran.err);
    let flags = [
        ["--http-listen", "127.0.0.1:0"],
        ["--smtp-listen", "127.0.0.1:0,127.0.0.2:0"],
        ["--smtp-listen", "127.0.0.3:0"],
        ["--submission-listen", "127.0.0.4:0"],
    ];
    let service = house.serve_with(&variables, &config, &flags.concat());
    for (listener, ip) in [("http", "127.0.0.1:"), ("smtp", "127.0.0.1:"), ("submission", "127.0.0.4:")] {
        assert!(service.ready[listener].as_str().unwrap().starts_with(ip), "{}", service.ready);
    }
    let (_, document) = service.get("/v1/openapi.json", "");
    assert!(document.contains("\"/dev/inbound\""), "it is the loopback profile");
    assert_eq!(service.stop().code, 0);
}
