//! The command-line client against a real service in capture mode (`docs/guides/command-line.md`).

mod exit_codes;
mod hostile_text;
mod keys;
mod listen;
mod mcp;
mod page;
mod reading;
mod rehearse;
mod sending;
mod setup;

use std::{
    io::Write,
    process::{Command, Stdio},
};

use serde_json::Value;

use crate::harness::{CommandOutput, Sandbox, ServiceProcess};

/// A service, a home directory of its own, and a key for it.
pub(crate) struct ClientFixture {
    sandbox: Sandbox,
    service: ServiceProcess,
    key: String,
}

impl ClientFixture {
    /// Starts a service. The client isn't logged in.
    fn start(name: &str) -> Self {
        let sandbox = Sandbox::new(name);
        let config = sandbox.configure("delivery.mode = 'capture'\nsignup.difficulty = 8\n");
        let service = sandbox.serve(&config, &[]);
        let key = service.ready["first_run"]["api_key"].as_str().unwrap().to_owned();
        Self { sandbox, service, key }
    }

    /// [`ClientFixture::start`], and a login.
    fn logged_in(name: &str) -> Self {
        let fixture = Self::start(name);
        let done = fixture.run_with_input(&["login", "--base-url", &fixture.base_url()], format!("{}\n", fixture.key));
        assert_eq!(done.code, 0, "{}", done.stderr);
        fixture
    }

    fn base_url(&self) -> String {
        format!("http://{}", self.service.address("http"))
    }

    /// Returns a command with a home of its own.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.command();
        command.envs([
            ("HOME", self.sandbox.path("home")),
            ("XDG_CONFIG_HOME", self.sandbox.path("home/.config")),
            ("PATH", std::env::var_os("PATH").unwrap_or_default().into()),
        ]);
        command.args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::of(self.command(arguments).output().unwrap())
    }

    fn run_with_input(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> CommandOutput {
        let mut command = self.command(arguments);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_ref()).unwrap();
        CommandOutput::of(child.wait_with_output().unwrap())
    }

    /// Runs a command that succeeds, and returns its standard output without the last line break.
    fn text(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.code, 0, "{arguments:?}: {}", output.stderr);
        output.stdout.trim_end().to_owned()
    }

    /// Runs a command that succeeds, and returns the JSON object of each line.
    fn lines(&self, arguments: &[&str]) -> Vec<Value> {
        self.text(arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Runs a command that succeeds and prints one object.
    fn object(&self, arguments: &[&str]) -> Value {
        let mut lines = self.lines(arguments);
        assert_eq!(lines.len(), 1, "{arguments:?}: {lines:?}");
        lines.remove(0)
    }

    /// Runs a command on a pseudo terminal and returns what the terminal received.
    fn on_terminal(&self, arguments: &[&str]) -> String {
        let line: Vec<String> = arguments.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
        let line = format!("{} {}", env!("CARGO_BIN_EXE_posthouse"), line.join(" "));
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        command.env_clear().envs(self.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("TERM", "xterm").current_dir(self.sandbox.path("")).stdin(Stdio::null());
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    }

    /// Creates an inbox and returns its address.
    fn inbox(&self, username: &str) -> String {
        self.text(&["inboxes", "create", "--username", username])
    }

    /// Creates a draft in an inbox, to the inbox itself, and returns its id.
    fn draft(&self, address: &str) -> String {
        let inboxes = self.lines(&["inboxes", "list"]);
        let inbox = inboxes.iter().find(|inbox| inbox["address"] == address).unwrap();
        let body = serde_json::json!({ "to": address, "subject": "Plan", "text": "Here it is." }).to_string();
        let mut stream = self.service.connect();
        write!(
            stream,
            "POST /v1/inboxes/{}/drafts HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            inbox["id"].as_str().unwrap(),
            self.key,
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        std::io::Read::read_to_string(&mut stream, &mut answer).unwrap();
        let draft: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
        draft["id"].as_str().unwrap().to_owned()
    }

    /// Delivers a mail to an inbox and returns the id of the message.
    fn receive(&self, address: &str, options: &[&str]) -> String {
        let arguments = [&["trigger", "message.received", "--inbox", address], options].concat();
        self.object(&arguments)["message_ids"][0].as_str().unwrap().to_owned()
    }
}
