//! Runs the commands of the documentation and compares their output with the pages: `README.md` and `docs/guides`.
//!
//! Every `sh` block of a page runs in one bash session against the real binary, a `python` block as a file of Python, a `ts`
//! block as an ES module of Node; a `json` block after it is part of a line of its output, a `text` block lines of it in that
//! order. `py` and `js` blocks are only shown. Ids, times and keys may differ. It must never run another
//! page's commands, nor repair a page's mistakes.

mod internet;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use posthouse_tests::{
    dir::ScratchDir,
    dns::FakeDns,
    name_server,
    ports::ReservedPort,
    process::{ServiceProcess, binary},
    smtp_sink::SmtpSink,
};
use serde_json::Value;

/// Seconds for one page.
const PAGE_SECONDS_MAX: &str = "120";
/// What the pages call the listeners.
const HTTP: &str = "127.0.0.1:8080";
const SMTP: &str = "127.0.0.1:2525";
const SUBMISSION: &str = "127.0.0.1:2587";
/// Where the pages let a receiver of their own listen.
const RECEIVER: &str = "127.0.0.1:9000";
/// What differs from run to run, and its name: `H` a hexadecimal digit, `D` a digit, `A` a letter or digit.
const VOLATILE: &[(&str, &str)] = &[
    ("HHHHHHHH-HHHH-HHHH-HHHH-HHHHHHHHHHHH", "ID"),
    ("DDDD-DD-DDTDD:DD:DD.DDDZ", "TIME"),
    ("ph_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "KEY"),
    ("AAAAAAAAAAAA@tmp.", "NAME@tmp."),
    ("(DDDDDD days)", "DAYS"),
];

/// A run of base64 of so many characters is a key or a proof.
const RANDOM_CHARS_MIN: usize = 30;
/// The end of every RSA key: its exponent.
const RSA_END: &str = "IDAQAB";

#[test]
fn the_readme_runs_as_written() {
    run("README.md");
}

#[test]
fn the_tutorial_runs_as_written() {
    run("docs/tutorial.md");
}

#[test]
fn the_receiving_guide_runs_as_written() {
    run("docs/guides/receiving.md");
}

#[test]
fn the_waiting_guide_runs_as_written() {
    run("docs/guides/waiting.md");
}

#[test]
fn the_queue_guide_runs_as_written() {
    run("docs/guides/queue.md");
}

#[test]
fn the_searching_guide_runs_as_written() {
    run("docs/guides/search.md");
}

#[test]
fn the_sending_guide_runs_as_written() {
    run("docs/guides/sending.md");
}

#[test]
fn the_forwarding_guide_runs_as_written() {
    run("docs/guides/forwarding.md");
}

#[test]
fn the_contacts_guide_runs_as_written() {
    run("docs/guides/contacts.md");
}

#[test]
fn the_lists_guide_runs_as_written() {
    run("docs/guides/lists.md");
}

#[test]
fn the_submission_guide_runs_as_written() {
    run("docs/guides/submission.md");
}

#[test]
fn the_stream_guide_runs_as_written() {
    run("docs/guides/stream.md");
}

#[test]
fn the_mcp_events_guide_runs_as_written() {
    run("docs/guides/mcp-events.md");
}

#[test]
fn the_temporary_inboxes_guide_runs_as_written() {
    run("docs/guides/temporary-inboxes.md");
}

#[test]
fn the_command_line_guide_runs_as_written() {
    run("docs/guides/command-line.md");
}

#[test]
fn the_webhooks_guide_runs_as_written() {
    run("docs/guides/webhooks.md");
}

#[test]
fn the_mcp_guide_runs_as_written() {
    run("docs/guides/mcp.md");
}

#[test]
fn the_drafts_guide_runs_as_written() {
    run("docs/guides/drafts.md");
}

#[test]
fn the_emergency_stop_guide_runs_as_written() {
    run("docs/guides/emergency-stop.md");
}

#[test]
fn the_bounces_guide_runs_as_written() {
    run("docs/guides/bounces.md");
}

#[test]
fn the_domains_by_the_api_guide_runs_as_written() {
    run("docs/guides/domains.md");
}

#[test]
fn the_metrics_guide_runs_as_written() {
    run("docs/guides/metrics.md");
}

#[test]
fn the_own_domain_guide_runs_as_written() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime can be started");
    let stage = Stage::on_the_internet(&runtime);
    stage.play("docs/guides/own-domain.md");
}

/// A fenced block.
struct Block {
    language: String,
    text: String,
    line: usize,
}

/// Commands, and the outputs that the page shows after them.
struct Step {
    commands: Block,
    shown: Vec<Block>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn run(page: &str) {
    // It knows no name: senders of the pages have no policy, and their mail is neither good nor bad.
    let name_server = name_server::serve_records(&FakeDns::default());
    let config = format!("{CONFIG}dns.nameservers = [\"{name_server}\"]\n");
    Stage { dir: ScratchDir::new(), config, names: Vec::new(), said: Vec::new(), _far: None, _ports: Vec::new() }
        .play(page);
}

/// Where a page is played.
struct Stage {
    dir: ScratchDir,
    config: String,
    /// What is there, and what the page calls it.
    names: Vec<(String, &'static str)>,
    /// The same of what is only said, never typed.
    said: Vec<(String, &'static str)>,
    _far: Option<SmtpSink>,
    /// Keeps the ports of the page until its server listens.
    _ports: Vec<ReservedPort>,
}

impl Stage {
    fn play(&self, page: &str) {
        if !have("swaks") || !have("curl") {
            assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "swaks or curl is missing: scripts/need.sh test");
            println!("swaks or curl is missing: {page} was not tried");
            return;
        }
        let (before, steps) = steps(blocks(&std::fs::read_to_string(root().join(page)).expect(page)));
        assert!(!steps.is_empty(), "{page} has no sh block");
        if let Some(program) = missing(&steps) {
            assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{program} is missing: scripts/need.sh test");
            println!("{program} is missing: {page} was not tried");
            return;
        }
        let service = ServiceProcess::start(self.dir.path(), &self.config);
        // What a terminal shows; this process has none.
        let terminal =
            std::fs::read_to_string(self.dir.path().join("data/first-start.txt")).expect("it was the first start");
        for shown in before.iter().filter(|block| block.language == "text") {
            check_text(page, shown, &documented(&terminal, &service));
        }
        let outputs = self.outputs(page, &steps, &service);
        for (step, output) in steps.iter().zip(&outputs) {
            for shown in &step.shown {
                match shown.language.as_str() {
                    "json" => check_json(page, shown, output),
                    "text" => check_text(page, shown, output),
                    _ => {}
                }
            }
        }
        assert!(service.stop().success(), "the service did not stop well after {page}");
    }
    /// Runs the steps in one session; what each of them said.
    fn outputs(&self, page: &str, steps: &[Step], service: &ServiceProcess) -> Vec<String> {
        let mark = |at: usize| format!("=== step {at} ===\n");
        let key = service.ready["first_run"]["api_key"].as_str().expect("a first start has a key");
        let mut script = "exec 2>&1\n".to_owned();
        for (at, step) in steps.iter().enumerate() {
            let commands = normal(&runnable(&step.commands), |name| (name == "KEY").then_some(key));
            script.push_str(&format!("printf '%s' '{}'\n{commands}", mark(at)));
        }
        let real = |name| service.address(name).to_string();
        let receiver = free_address();
        let doors = [
            (HTTP, real("http")),
            (SMTP, real("smtp")),
            (SUBMISSION, real("submission")),
            (RECEIVER, receiver.clone()),
            // As bash, and as Node, write it.
            (&RECEIVER.replace(':', "/"), receiver.replace(':', "/")),
            (&swapped(RECEIVER), swapped(&receiver)),
        ];
        let script = doors.iter().fold(script, |script, (shown, real)| {
            let script = script.replace(shown, real);
            if shown.contains(':') { script.replace(&split(shown), &split(real)) } else { script }
        });
        let script = self.names.iter().fold(script, |script, (real, shown)| script.replace(shown, real));
        let programs =
            [binary().parent().expect("a binary is in a directory").display().to_string(), path_of_programs()];
        let played = Command::new("timeout")
            .args([PAGE_SECONDS_MAX, "bash", "-euo", "pipefail", "-c", &script])
            .env("PATH", programs.join(":"))
            .current_dir(self.dir.path())
            .output()
            .expect("bash runs");
        let said = documented(&String::from_utf8_lossy(&played.stdout), service).replace(&receiver, RECEIVER);
        let said = self.names.iter().chain(&self.said).fold(said, |said, (real, shown)| said.replace(real, shown));
        let mut outputs: Vec<String> = Vec::new();
        let mut rest = said.as_str();
        for at in 0..steps.len() {
            let Some((before, after)) = rest.split_once(&mark(at)) else { break };
            outputs.extend((at > 0).then(|| before.to_owned()));
            rest = after;
        }
        outputs.push(rest.to_owned());
        let failed = &steps[outputs.len() - 1].commands;
        assert!(played.status.success(), "{page}:{}: a command failed: {}\n{said}", failed.line, played.status);
        outputs
    }
}

fn path_of_programs() -> String {
    std::env::var("PATH").unwrap_or_default()
}

/// The loopback profile on free ports.
const CONFIG: &str = r#"
base_url = "http://127.0.0.1:8080"
data_dir = "data"
http.listen = "127.0.0.1:0"
smtp.listen = ["127.0.0.1:0"]
submission.listen = ["127.0.0.1:0"]
smtp.hostname = "localhost"
"#;

fn have(program: &str) -> bool {
    Command::new("sh").args(["-c", &format!("command -v {program}")]).output().is_ok_and(|said| said.status.success())
}

/// Interpreters that may have `httpx`: the first of the `PATH`, and Debian's, whose packages apt installs.
const PYTHONS: &[&str] = &["python3", "/usr/bin/python3"];

/// The Python that can import `httpx`.
fn python() -> Option<&'static str> {
    let can_import = |python: &&str| {
        let import = Command::new(python).args(["-c", "import httpx"]).output();
        import.is_ok_and(|output| output.status.success())
    };
    PYTHONS.iter().copied().find(can_import)
}

/// A program that the steps need and this machine doesn't have.
fn missing(steps: &[Step]) -> Option<&'static str> {
    let has = |language: &str| steps.iter().any(|step| step.commands.language == language);
    let uses = |program: &str| steps.iter().any(|step| step.commands.text.contains(program));
    let needs = [
        ("httpx for Python", has("python") && python().is_none()),
        ("node", has("ts") && !have("node")),
        ("jq", uses("jq ") && !have("jq")),
    ];
    needs.into_iter().find(|(_, is_missing)| *is_missing).map(|(program, _)| program)
}

/// The commands of a block for bash: programs in other languages are saved and run.
fn runnable(block: &Block) -> String {
    let (file, interpreter) = match block.language.as_str() {
        "python" => ("example.py", python().expect("pages with Python run only if an interpreter has httpx")),
        "ts" => ("example.mjs", "node"),
        _ => return block.text.clone(),
    };
    format!("cat >{file} <<'END-OF-EXAMPLE'\n{}END-OF-EXAMPLE\n{interpreter} {file}\n", block.text)
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (line, content) in markdown.lines().enumerate() {
        match (content.strip_prefix("```"), open.as_mut()) {
            (Some(language), None) => {
                open = Some(Block { language: language.to_owned(), text: String::new(), line: line + 1 });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => {
                block.text.push_str(content);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

/// The text before the first commands, and the steps.
fn steps(blocks: Vec<Block>) -> (Vec<Block>, Vec<Step>) {
    let (mut before, mut steps) = (Vec::new(), Vec::<Step>::new());
    for block in blocks {
        match (block.language.as_str(), steps.last_mut()) {
            ("sh" | "python" | "ts", _) => steps.push(Step { commands: block, shown: Vec::new() }),
            (_, Some(step)) => step.shown.push(block),
            (_, None) => before.push(block),
        }
    }
    (before, steps)
}

/// An address as programs take it that want host and port apart: `"127.0.0.1", 2587`.
fn split(address: &str) -> String {
    let (host, port) = address.rsplit_once(':').expect("an address has a port");
    format!("\"{host}\", {port}")
}

/// An address as Node takes it: `9000, "127.0.0.1"`.
fn swapped(address: &str) -> String {
    let (host, port) = address.rsplit_once(':').expect("an address has a port");
    format!("{port}, \"{host}\"")
}

/// An address without a listener.
fn free_address() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("loopback can be listened on");
    listener.local_addr().expect("a bound listener has an address").to_string()
}

/// The text with the addresses that the pages use.
fn documented(text: &str, service: &ServiceProcess) -> String {
    text.replace(&service.address("http").to_string(), HTTP)
        .replace(&service.address("smtp").to_string(), SMTP)
        .replace(&service.address("submission").to_string(), SUBMISSION)
        .replace("  Data      data\n", "  Data      ./data\n")
        .replace(" --data-dir data", "")
}

fn check_json(page: &str, shown: &Block, output: &str) {
    let expected: Value =
        serde_json::from_str(&shown.text).unwrap_or_else(|error| panic!("{page}:{}: {error}", shown.line));
    let mut answers = output.lines().filter_map(|line| serde_json::from_str::<Value>(line.trim()).ok());
    assert!(
        answers.any(|answer| holds(&answer, &expected)),
        "{page}:{}: no answer has these members:\n{}\nbut this was said:\n{output}",
        shown.line,
        shown.text
    );
}

/// Whether what is expected is a part of the answer.
fn holds(answer: &Value, expected: &Value) -> bool {
    match (answer, expected) {
        (Value::Object(answer), Value::Object(expected)) => {
            expected.iter().all(|(name, value)| answer.get(name).is_some_and(|given| holds(given, value)))
        }
        (Value::Array(answer), Value::Array(expected)) => {
            answer.len() == expected.len() && answer.iter().zip(expected).all(|(given, value)| holds(given, value))
        }
        (Value::String(answer), Value::String(expected)) => stable(answer) == stable(expected),
        _ => answer == expected,
    }
}

fn check_text(page: &str, shown: &Block, output: &str) {
    let output = stable(output);
    let mut lines = output.lines().map(str::trim);
    for expected in shown.text.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "…") {
        let wanted = stable(expected);
        assert!(
            lines.any(|line| line == wanted),
            "{page}:{}: this line was not said, or not in this order:\n{expected}\nbut this was said:\n{output}",
            shown.line
        );
    }
}

/// The text with the names of what is volatile in it.
fn stable(text: &str) -> String {
    without_options(&without_keys(&normal(text, Some)))
}

/// The text without the option that names the configuration: the service of a reader may have none.
fn without_options(text: &str) -> String {
    let Some((before, after)) = text.split_once(" --config ") else { return text.to_owned() };
    let end = after.find(|c: char| c.is_whitespace() || matches!(c, '`' | '.' | ',' | ';')).unwrap_or(after.len());
    let end = if after[end..].starts_with(".toml") { end + ".toml".len() } else { end };
    format!("{before}{}", without_options(&after[end..]))
}

/// The text without what is random in keys and proofs: long runs of base64, and the end of an RSA key.
fn without_keys(text: &str) -> String {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let mut out = String::with_capacity(text.len());
    for run in text.split_inclusive(|c| !is_base64(c)) {
        let end = run.find(|c| !is_base64(c)).unwrap_or(run.len());
        let (word, rest) = run.split_at(end);
        out.push_str(if word.len() >= RANDOM_CHARS_MIN || word.ends_with(RSA_END) { "RANDOM" } else { word });
        out.push_str(rest);
    }
    out
}

/// The text with everything volatile replaced by what `with` makes of its name.
fn normal<'a>(text: &str, with: impl Fn(&'static str) -> Option<&'a str>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let found = VOLATILE.iter().find(|(pattern, _)| fits(rest, pattern));
        match found.and_then(|(pattern, name)| Some((pattern.len(), with(name)?))) {
            Some((bytes, instead)) => {
                out.push_str(instead);
                rest = &rest[bytes..];
            }
            None => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    out
}

fn fits(text: &str, pattern: &str) -> bool {
    text.len() >= pattern.len()
        && text.bytes().zip(pattern.bytes()).all(|(byte, wanted)| match wanted {
            b'H' => byte.is_ascii_hexdigit(),
            b'D' => byte.is_ascii_digit(),
            b'A' => byte.is_ascii_alphanumeric(),
            _ => byte == wanted,
        })
}
