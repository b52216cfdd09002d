//! `posthouse domain`, beside a running service and with a name server that both ask.

use posthouse_domain::id::WorkspaceId;
use posthouse_store::Engine;
use posthouse_tests::{
    command::{self, Ran},
    dir::ScratchDir,
    dns::FakeDns,
    http::Api,
    name_server,
    postgres::Cluster,
    process::Process,
    server::engine_of_run,
};
use serde_json::{Value, json};

const DOMAIN: &str = "mail.acme.test";

struct World {
    dir: ScratchDir,
    dns: FakeDns,
    service: Process,
    api: Api,
    workspace: String,
}

impl World {
    fn new() -> Self {
        let (dir, dns) = (ScratchDir::new(), FakeDns::default());
        let database = match engine_of_run() {
            Engine::Sqlite => String::new(),
            Engine::Postgres => format!("database_url = {:?}\n", Cluster::shared().create_database()),
        };
        let config = format!(
            "{database}data_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:0\"]\n\
             submission.listen = [\"127.0.0.1:0\"]\nsmtp.hostname = \"mx.post.test\"\n\
             mail.default_domain = \"agents.post.test\"\ndelivery.mode = \"capture\"\ndns.nameservers = [\"{}\"]\n",
            name_server::serve_records(&dns)
        );
        let service = Process::start(dir.path(), &config);
        let first = &service.ready["first_run"];
        let (key, workspace) = (first["api_key"].as_str().unwrap(), first["workspace_id"].as_str().unwrap().to_owned());
        let api = Api::new(&format!("http://{}", service.address("http"))).with_key(key);
        Self { dir, dns, service, api, workspace }
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        command::run(self.dir.path(), &[&["domain"], arguments].concat())
    }

    /// The domain as the API shows it.
    async fn shown(&self) -> Value {
        self.api.get("/v1/domains").await.expect(200).data()[0].clone()
    }
}

/// The values as somebody copies them from the terminal, by the heading of each.
fn copied(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut paragraphs = text.split("\n\n").skip_while(|part| !part.starts_with("The values to publish"));
    paragraphs.next();
    for part in paragraphs.take_while(|part| part.contains(" at ")) {
        let (heading, value) = part.split_once('\n').unwrap();
        found.push((heading.split(' ').next().unwrap().to_owned(), value.split('\n').collect()));
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_goes_from_nothing_to_verified_at_the_terminal() {
    let world = World::new();
    assert_eq!(world.run(&["list"]).well(), "There is no domain yet.\n");
    let added = world.run(&["add", DOMAIN]).well();
    assert!(added.lines().all(|line| line.chars().count() <= 80), "{added}");
    let shown = world.shown().await;
    assert_eq!((&shown["domain"], &shown["status"]), (&json!(DOMAIN), &json!("pending")));
    let records = shown["records"].as_array().unwrap();
    let values: Vec<(String, String)> = records
        .iter()
        .map(|record| (record["key"].as_str().unwrap().to_owned(), record["value"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(copied(&added), values, "{added}");
    for line in [
        "mail.acme.test is pending and takes and sends mail",
        "RECORD        TYPE  NEEDED  FOUND     NAME",
        "verification  TXT   yes     missing   _service-verify.mail.acme.test",
        "mx            MX    yes     missing   mail.acme.test",
        "dkim          TXT   yes     missing   s1._domainkey.mail.acme.test",
        "dmarc         TXT   no      missing   _dmarc.mail.acme.test",
        "dkim TXT at s1._domainkey.mail",
        "Publish them, then look with: posthouse domain check mail.acme.test",
    ] {
        assert!(added.lines().any(|said| said == line), "{line}\n{added}");
    }

    world.dns.mx(DOMAIN, 10, "mx.elsewhere.test");
    let checked = world.run(&["check", DOMAIN]);
    assert_eq!(checked.code, 1, "{}{}", checked.out, checked.err);
    assert!(checked.out.contains("mx            MX    yes     mismatch  mail.acme.test\n"), "{}", checked.out);
    assert!(checked.out.contains("mx: found instead: 10 mx.elsewhere.test\n"), "{}", checked.out);
    assert!(checked.err.contains("4 required records are missing or wrong"), "{}", checked.err);

    let path = format!("/v1/domains/{}", shown["id"].as_str().unwrap());
    let file = world.api.get(&format!("{path}/zone-file")).await.expect(200);
    let zone = world.run(&["show", DOMAIN, "--zone-file"]).well();
    assert_eq!(zone, file.text("content"));
    world.dns.remove(DOMAIN);
    world.dns.import(&zone);
    let verified = world.run(&["check", DOMAIN, "--json"]).json(0);
    assert_eq!((&verified["status"], &verified["workspace_id"]), (&json!("verified"), &json!(world.workspace)));
    assert_eq!(world.shown().await["status"], "verified", "the service knows at once");
    let told = world.api.get("/v1/events?types=domain.verified").await.expect(200);
    assert_eq!(told.data().len(), 1, "and tells of it");
    let text = world.run(&["check", "MAIL.acme.test."]).well();
    assert!(!text.contains("The values to publish"), "there is nothing left to do: {text}");
    assert!(world.run(&["show", shown["id"].as_str().unwrap()]).well().contains("v=DKIM1"));
    assert!(world.service.stop().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_terminal_says_what_it_cannot_do() {
    let world = World::new();
    let made = command::run(world.dir.path(), &["workspace", "create", "--name", "B", "--owner", "b@b.test", "--json"]);
    let other: WorkspaceId = made.json(0)["workspace_id"].as_str().unwrap().parse().unwrap();
    let other = other.to_string();
    assert_eq!(world.run(&["add", DOMAIN]).code, 2, "of two workspaces one must be named");
    for owner in [&world.workspace, &other] {
        let added = world.run(&["add", DOMAIN, "--workspace", owner, "--no-receiving", "--json"]).json(0);
        assert_eq!((&added["receiving"], &added["records"][1]["required"]), (&json!(false), &json!(false)));
    }
    let listed = world.run(&["list", "--json"]).json(0);
    assert_eq!(listed["data"].as_array().unwrap().len(), 2);
    assert_eq!(world.run(&["list", "--workspace", &other, "--json"]).json(0)["data"].as_array().unwrap().len(), 1);
    let listed = world.run(&["list"]).well();
    assert!(listed.contains(&format!("{other}  B\n  ")) && listed.contains("  pending   mail.acme.test"), "{listed}");

    let long = format!("{}example.test", "abcdefgh.".repeat(26));
    let table: [(&[&str], i32, &str); 9] = [
        (&["show", DOMAIN], 2, "several workspaces have mail.acme.test"),
        (&["show", DOMAIN, "--workspace", "x"], 2, "x is not the id of a workspace"),
        (&["show", "absent.test"], 1, "there is no domain absent.test"),
        (&["add", DOMAIN, "--workspace", &other], 1, "is in this workspace already"),
        (&["add", "localhost", "--workspace", &other], 2, "must be a full domain name"),
        (&["add", &long, "--workspace", &other], 2, "must have at most 237 characters"),
        (&["add", "agents.post.test", "--workspace", &other], 2, "belongs to this server"),
        (&["add", "a.test", "--workspace", "01890a5d-ac96-774b-bcce-b302099a8057"], 1, "there is no workspace"),
        (&["show", DOMAIN, "--zone-file", "--json"], 2, "--json"),
    ];
    for (arguments, code, text) in table {
        let ran = world.run(arguments);
        assert_eq!((ran.code, ran.out.as_str()), (code, ""), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(text), "{arguments:?}: {}", ran.err);
    }
    assert!(world.service.stop().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_switches_a_domain_off_and_on_again() {
    let world = World::new();
    let _ = world.run(&["add", DOMAIN]).well();
    world.dns.import(&world.run(&["show", DOMAIN, "--zone-file"]).well());
    let _ = world.run(&["check", DOMAIN]).well();
    let inbox = world.api.post("/v1/inboxes", json!({ "username": "desk", "domain": DOMAIN })).await.expect(201);
    let messages = format!("/v1/inboxes/{}/messages", inbox.text("id"));
    let letter = json!({ "to": "bob@far.test", "subject": "Hello", "text": "Hello." });
    world.api.post(&messages, letter.clone()).await.expect(202);

    let said = world.run(&["set", DOMAIN, "--status", "disabled"]).well();
    assert_eq!(said, "mail.acme.test is disabled and neither takes nor sends mail\n");
    world.api.post(&messages, letter.clone()).await.expect(403).error("domain_not_verified");
    let told = world.api.get("/v1/events?types=domain.failed").await.expect(200);
    assert_eq!(told.data()[0]["data"]["domain"]["status"], "disabled", "{:?}", told.data());
    let id = world.shown().await["id"].as_str().unwrap().to_owned();
    let checked = world.api.post_empty(&format!("/v1/domains/{id}/verify")).await.expect(200);
    assert_eq!(checked.text("status"), "disabled", "its owner cannot switch it on");
    assert_eq!(world.run(&["check", DOMAIN]).code, 1);

    let on = world.run(&["set", DOMAIN, "--status", "active", "--json"]).json(0);
    assert_eq!(on["status"], "verified");
    world.api.post(&messages, letter).await.expect(202);
    assert!(world.service.stop().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_beyond_ascii_is_found_as_it_is_written() {
    let world = World::new();
    let _ = world.run(&["add", "b\u{fc}cher.test"]).well();
    for name in ["b\u{fc}cher.test", "B\u{dc}CHER.test.", "xn--bcher-kva.test"] {
        let shown = world.run(&["show", name]).well();
        assert!(shown.starts_with("xn--bcher-kva.test is pending"), "{name}: {shown}");
    }
    assert!(world.service.stop().success());
}
