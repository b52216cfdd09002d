//! `posthouse domain`, beside a running service and with a nameserver that both query.

use posthouse_domain::id::WorkspaceId;
use posthouse_store::Engine;
use posthouse_tests::{
    command::{self, CommandResult},
    dir::ScratchDir,
    dns::FakeDns,
    http::Api,
    name_server,
    postgres::Cluster,
    process::ServiceProcess,
    server::engine_of_run,
};
use serde_json::{Value, json};

const DOMAIN: &str = "mail.acme.test";

struct Fixture {
    dir: ScratchDir,
    dns: FakeDns,
    service: ServiceProcess,
    api: Api,
    workspace: String,
}

impl Fixture {
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
        let service = ServiceProcess::start(dir.path(), &config);
        let first = &service.ready["first_run"];
        let (key, workspace) = (first["api_key"].as_str().unwrap(), first["workspace_id"].as_str().unwrap().to_owned());
        let api = Api::new(&format!("http://{}", service.address("http"))).with_key(key);
        Self { dir, dns, service, api, workspace }
    }

    fn run(&self, arguments: &[&str]) -> CommandResult {
        command::run(self.dir.path(), &[&["domain"], arguments].concat())
    }

    /// Returns the domain as the API shows it.
    async fn domain(&self) -> Value {
        self.api.get("/v1/domains").await.expect(200).data()[0].clone()
    }
}

/// Returns the values as an operator copies them from the terminal, with the heading of each.
fn copied_values(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut paragraphs = text.split("\n\n").skip_while(|part| !part.starts_with("Values to publish"));
    paragraphs.next();
    for part in paragraphs.take_while(|part| part.contains(" at ")) {
        let (heading, value) = part.split_once('\n').unwrap();
        found.push((heading.split(' ').next().unwrap().to_owned(), value.split('\n').collect()));
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_domain_is_added_and_verified_at_the_terminal() {
    let fixture = Fixture::new();
    assert_eq!(fixture.run(&["list"]).success(), "There are no domains yet.\n");
    let added = fixture.run(&["add", DOMAIN]).success();
    // A command is as long as its options are.
    let text = added.lines().filter(|line| !line.starts_with("  posthouse domain check mail.acme.test"));
    assert_eq!(text.clone().count() + 1, added.lines().count(), "{added}");
    assert!({ text }.all(|line| line.chars().count() <= 80), "{added}");
    let domain = fixture.domain().await;
    assert_eq!((&domain["domain"], &domain["status"]), (&json!(DOMAIN), &json!("pending")));
    let records = domain["records"].as_array().unwrap();
    let values: Vec<(String, String)> = records
        .iter()
        .map(|record| (record["key"].as_str().unwrap().to_owned(), record["value"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(copied_values(&added), values, "{added}");
    for line in [
        "mail.acme.test is pending and receives and sends mail",
        "RECORD        TYPE  NEEDED  FOUND     NAME",
        "verification  TXT   yes     missing   _service-verify.mail.acme.test",
        "mx            MX    yes     missing   mail.acme.test",
        "dkim          TXT   yes     missing   s1._domainkey.mail.acme.test",
        "dmarc         TXT   no      missing   _dmarc.mail.acme.test",
        "dkim TXT at s1._domainkey.mail",
        "Publish these records, then run:",
    ] {
        assert!(added.lines().any(|output| output == line), "{line}\n{added}");
    }

    fixture.dns.mx(DOMAIN, 10, "mx.elsewhere.test");
    let checked = fixture.run(&["check", DOMAIN]);
    assert_eq!(checked.code, 1, "{}{}", checked.out, checked.err);
    assert!(checked.out.contains("mx            MX    yes     mismatch  mail.acme.test\n"), "{}", checked.out);
    assert!(checked.out.contains("mx: found instead: 10 mx.elsewhere.test\n"), "{}", checked.out);
    assert!(checked.out.contains("mx: Publish `10 mx.post.test`, and delete mx.elsewhere.test"), "{}", checked.out);
    assert!(checked.err.contains("4 required records are missing or wrong"), "{}", checked.err);

    let path = format!("/v1/domains/{}", domain["id"].as_str().unwrap());
    let file = fixture.api.get(&format!("{path}/zone-file")).await.expect(200);
    let zone = fixture.run(&["show", DOMAIN, "--zone-file"]).success();
    assert_eq!(zone, file.text("content"));
    fixture.dns.remove(DOMAIN);
    fixture.dns.import_zone(&zone);
    let verified = fixture.run(&["check", DOMAIN, "--json"]).json(0);
    assert_eq!((&verified["status"], &verified["workspace_id"]), (&json!("verified"), &json!(fixture.workspace)));
    assert_eq!(fixture.domain().await["status"], "verified", "the service sees it at once");
    let events = fixture.api.get("/v1/events?types=domain.verified").await.expect(200);
    assert_eq!(events.data().len(), 1, "and announces it");
    let text = fixture.run(&["check", "MAIL.acme.test."]).success();
    assert!(!text.contains("Values to publish"), "nothing is left to publish: {text}");
    assert!(fixture.run(&["show", domain["id"].as_str().unwrap()]).success().contains("v=DKIM1"));
    assert!(fixture.service.stop().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_domain_commands_are_explained() {
    let fixture = Fixture::new();
    let made =
        command::run(fixture.dir.path(), &["workspace", "create", "--name", "B", "--owner", "b@b.test", "--json"]);
    let other: WorkspaceId = made.json(0)["workspace_id"].as_str().unwrap().parse().unwrap();
    let other = other.to_string();
    assert_eq!(fixture.run(&["add", DOMAIN]).code, 2, "with two workspaces, --workspace is required");
    for owner in [&fixture.workspace, &other] {
        let added = fixture.run(&["add", DOMAIN, "--workspace", owner, "--no-receiving", "--json"]).json(0);
        assert_eq!((&added["receiving"], &added["records"][1]["required"]), (&json!(false), &json!(false)));
    }
    let listed = fixture.run(&["list", "--json"]).json(0);
    assert_eq!(listed["data"].as_array().unwrap().len(), 2);
    assert_eq!(fixture.run(&["list", "--workspace", &other, "--json"]).json(0)["data"].as_array().unwrap().len(), 1);
    let listed = fixture.run(&["list"]).success();
    assert!(listed.contains(&format!("{other}  B\n  ")) && listed.contains("  pending   mail.acme.test"), "{listed}");

    let long = format!("{}example.test", "abcdefgh.".repeat(26));
    let table: [(&[&str], i32, &str); 9] = [
        (&["show", DOMAIN], 2, "several workspaces have mail.acme.test"),
        (&["show", DOMAIN, "--workspace", "x"], 2, "x is not a workspace id"),
        (&["show", "absent.test"], 1, "there is no domain absent.test"),
        (&["add", DOMAIN, "--workspace", &other], 1, "is already in this workspace"),
        (&["add", "localhost", "--workspace", &other], 2, "must be a full domain name"),
        (&["add", &long, "--workspace", &other], 2, "must have at most 237 characters"),
        (&["add", "agents.post.test", "--workspace", &other], 2, "belongs to this server"),
        (&["add", "a.test", "--workspace", "01890a5d-ac96-774b-bcce-b302099a8057"], 1, "there is no workspace"),
        (&["show", DOMAIN, "--zone-file", "--json"], 2, "--json"),
    ];
    for (arguments, code, text) in table {
        let result = fixture.run(arguments);
        assert_eq!((result.code, result.out.as_str()), (code, ""), "{arguments:?}: {}", result.err);
        assert!(result.err.contains(text), "{arguments:?}: {}", result.err);
    }
    assert!(fixture.service.stop().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_disables_and_enables_a_domain() {
    let fixture = Fixture::new();
    let _ = fixture.run(&["add", DOMAIN]).success();
    fixture.dns.import_zone(&fixture.run(&["show", DOMAIN, "--zone-file"]).success());
    let _ = fixture.run(&["check", DOMAIN]).success();
    let inbox = fixture.api.post("/v1/inboxes", json!({ "username": "desk", "domain": DOMAIN })).await.expect(201);
    let messages = format!("/v1/inboxes/{}/messages", inbox.text("id"));
    let message = json!({ "to": "bob@far.test", "subject": "Hello", "text": "Hello." });
    fixture.api.post(&messages, message.clone()).await.expect(202);

    let output = fixture.run(&["set", DOMAIN, "--status", "disabled"]).success();
    assert_eq!(output, "mail.acme.test is disabled and neither receives nor sends mail\n");
    fixture.api.post(&messages, message.clone()).await.expect(403).error("domain_not_verified");
    let new = json!({ "username": "sales", "domain": DOMAIN });
    let refused = fixture.api.post("/v1/inboxes", new).await.error("domain_not_verified");
    assert_eq!(
        refused["error"]["fix"], "Ask the operator of this server to enable the domain.",
        "verifying can't help"
    );
    let events = fixture.api.get("/v1/events?types=domain.failed").await.expect(200);
    assert_eq!(events.data()[0]["data"]["domain"]["status"], "disabled", "{:?}", events.data());
    let id = fixture.domain().await["id"].as_str().unwrap().to_owned();
    let checked = fixture.api.post_empty(&format!("/v1/domains/{id}/verify")).await.expect(200);
    assert_eq!(checked.text("status"), "disabled", "its owner can't enable it");
    assert_eq!(fixture.run(&["check", DOMAIN]).code, 1);

    let on = fixture.run(&["set", DOMAIN, "--status", "active", "--json"]).json(0);
    assert_eq!(on["status"], "verified");
    fixture.api.post(&messages, message).await.expect(202);
    assert!(fixture.service.stop().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_internationalized_domain_is_found_by_both_spellings() {
    let fixture = Fixture::new();
    let _ = fixture.run(&["add", "b\u{fc}cher.test"]).success();
    for name in ["b\u{fc}cher.test", "B\u{dc}CHER.test.", "xn--bcher-kva.test"] {
        let domain = fixture.run(&["show", name]).success();
        assert!(domain.starts_with("xn--bcher-kva.test is pending"), "{name}: {domain}");
    }
    assert!(fixture.service.stop().success());
}
