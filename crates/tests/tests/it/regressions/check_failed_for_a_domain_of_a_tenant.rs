//! Any tenant made the operator's `posthouse check` fail forever: by adding a domain and publishing nothing, or by removing the
//! records of a verified one. So did an optional record that a domain doesn't have.

use posthouse_store::Engine;
use posthouse_tests::{
    command, dir::ScratchDir, dns::FakeDns, name_server, postgres::Cluster, process::ServiceProcess,
    server::engine_of_run,
};
use serde_json::Value;

/// Returns the status of each line about the domain.
fn lines(dir: &ScratchDir, domain: &str) -> Vec<String> {
    let result = command::run(dir.path(), &["check", "--quick", "--json"]);
    let report: Value = serde_json::from_str(&result.out).unwrap_or_else(|_| panic!("{}{}", result.out, result.err));
    let text = |check: &Value, member: &str| check[member].as_str().unwrap_or_default().to_owned();
    let checks = report["checks"].as_array().unwrap().iter();
    let of_domain = checks.filter(|check| {
        let what = text(check, "check");
        what.starts_with("domain:") && what.contains(domain)
    });
    of_domain.map(|check| text(check, "status")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn only_domains_of_the_operator_fail_the_check() {
    let (dir, dns) = (ScratchDir::new(), FakeDns::default());
    let database = match engine_of_run() {
        Engine::Sqlite => String::new(),
        Engine::Postgres => format!("database_url = {:?}\n", Cluster::shared().create_database()),
    };
    let config = format!(
        "{database}data_dir = \"data\"\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:0\"]\n\
         submission.listen = [\"127.0.0.1:0\"]\nsmtp.hostname = \"mx.post.test\"\nsignup.enabled = true\n\
         mail.default_domain = \"agents.post.test\"\ndelivery.mode = \"direct\"\ndns.nameservers = [\"{}\"]\n",
        name_server::serve_records(&dns)
    );
    let service = ServiceProcess::start(dir.path(), &config);
    let operator = service.ready["first_run"]["workspace_id"].as_str().unwrap().to_owned();
    let run = |arguments: &[&str]| command::run(dir.path(), arguments);
    let tenant = run(&["workspace", "create", "--name", "T", "--owner", "t@x.example", "--json"]).json(0);
    let tenant = tenant["workspace_id"].as_str().unwrap();
    let _ = run(&["domain", "add", "own.test", "--workspace", &operator]).success();
    let _ = run(&["domain", "add", "tenant.test", "--workspace", tenant]).success();
    let every = |found: &[String], status: &str| !found.is_empty() && found.iter().all(|one| one == status);
    let (own, theirs) = (lines(&dir, "own.test"), lines(&dir, "tenant.test"));
    assert!(own.iter().any(|one| one == "failed") && every(&theirs, "warning"), "{own:?} {theirs:?}");
    assert_eq!(run(&["domain", "check", "tenant.test"]).code, 1, "its own check stays strict");

    // Without optional records, a domain works.
    let zone = run(&["domain", "show", "own.test", "--zone-file"]).success();
    let required: Vec<&str> = zone.lines().filter(|line| !line.contains("_dmarc")).collect();
    assert!(required.len() < zone.lines().count(), "{zone}");
    dns.import_zone(&required.join("\n"));
    let own = lines(&dir, "own.test");
    assert!(every(&own, "warning"), "{own:?}");

    // Once it worked, its owner relies on it, but the operator can't repair it.
    dns.import_zone(&run(&["domain", "show", "tenant.test", "--zone-file"]).success());
    let _ = run(&["domain", "check", "tenant.test"]).success();
    dns.remove("tenant.test");
    let theirs = lines(&dir, "tenant.test");
    assert!(every(&theirs, "warning"), "{theirs:?}");
    assert_eq!(run(&["domain", "check", "tenant.test"]).code, 1, "its own check stays strict");
    dns.remove("own.test");
    let own = lines(&dir, "own.test");
    assert!(own.iter().any(|one| one == "failed"), "{own:?}");
    assert!(service.stop().success());
}
