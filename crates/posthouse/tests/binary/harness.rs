//! A temporary directory for each test, and the binary run in it as a command or as a service.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio},
    time::Duration,
};

use serde_json::Value;

/// Read timeout of a connection to the service, in seconds.
const TIMEOUT_S: u64 = 60;

/// A temporary directory, removed when dropped.
pub(crate) struct Sandbox {
    dir: PathBuf,
}

impl Sandbox {
    pub(crate) fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("posthouse-binary-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        Self { dir }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Returns a command for the binary, without arguments and environment variables.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_posthouse"));
        command.env_clear().current_dir(&self.dir).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> CommandOutput {
        self.run_with(&[], arguments)
    }

    /// Runs the binary with environment variables.
    pub(crate) fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> CommandOutput {
        CommandOutput::of(self.command().envs(variables.iter().copied()).args(arguments).output().unwrap())
    }

    /// Writes a configuration with unused ports, and returns its path.
    pub(crate) fn configure(&self, more: &str) -> PathBuf {
        let path = self.path("posthouse.toml");
        let text = format!(
            "data_dir = '{}'\nhttp.listen = '127.0.0.1:0'\nsmtp.listen = ['127.0.0.1:0']\n\
             submission.listen = ['127.0.0.1:0']\n{more}",
            self.path("data").display()
        );
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Creates the store of [`Sandbox::configure`], without a workspace.
    pub(crate) fn make_store(&self) {
        std::fs::create_dir_all(self.path("data")).unwrap();
        let url = posthouse_store::DatabaseUrl::Sqlite(self.path("data/posthouse.db"));
        posthouse_store::Store::open(posthouse_store::StoreConfig::new(url)).unwrap().close();
    }

    /// Starts the service and waits until it is ready.
    pub(crate) fn serve(&self, config: &Path, arguments: &[&str]) -> ServiceProcess {
        self.serve_with(&[], config, arguments)
    }

    /// [`Sandbox::serve`] with environment variables.
    pub(crate) fn serve_with(&self, variables: &[(&str, &str)], config: &Path, arguments: &[&str]) -> ServiceProcess {
        let ready_file = self.path("ready.json");
        let mut command = self.command();
        command.envs(variables.iter().copied());
        command.arg("serve").arg("--config").arg(config).arg("--ready-file").arg(&ready_file).args(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut service = ServiceProcess { child, log, stdout, seen: String::new(), ready: Value::Null };
        // The service writes the line after the file.
        service.read_log_until("ready");
        service.ready = serde_json::from_slice(&std::fs::read(&ready_file).unwrap()).unwrap();
        std::fs::remove_file(&ready_file).unwrap();
        service
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// The exit code and output of a command.
pub(crate) struct CommandOutput {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl CommandOutput {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Returns the JSON object that a successful command printed.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{}\n{}", self.stdout, self.stderr);
        assert_eq!(self.stdout.lines().count(), 1, "one line: {}", self.stdout);
        let value: Value = serde_json::from_str(&self.stdout).unwrap();
        assert!(value.is_object());
        value
    }
}

/// A running service.
pub(crate) struct ServiceProcess {
    child: Child,
    log: BufReader<ChildStderr>,
    stdout: BufReader<ChildStdout>,
    seen: String,
    pub(crate) ready: Value,
}

impl ServiceProcess {
    /// Returns a field of `/proc/PID/status`.
    pub(crate) fn status(&self, field: &str) -> String {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':')).unwrap();
        line.trim().to_owned()
    }

    pub(crate) fn address(&self, name: &str) -> SocketAddr {
        self.ready[name].as_str().unwrap().parse().unwrap()
    }

    /// Reads the log until one of its events has that message.
    pub(crate) fn read_log_until(&mut self, message: &str) {
        let (text, json) = (format!(" INFO {message}"), format!("\"message\":\"{message}\""));
        while !self.seen.lines().any(|line| line.contains(&text) || line.contains(&json)) {
            let bytes = self.log.read_line(&mut self.seen).unwrap();
            assert!(bytes > 0, "the service ended before it logged {message}:\n{}", self.seen);
        }
    }

    /// Reads the output until a line has that text.
    pub(crate) fn read_line_with(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the service ended before it printed {text}");
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Opens a connection to the API.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address("http")).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(TIMEOUT_S))).unwrap();
        stream
    }

    /// Sends a GET request and returns the lowercase head and the body of the response.
    pub(crate) fn get(&self, path: &str, fields: &str) -> (String, String) {
        let mut stream = self.connect();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{fields}\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_ascii_lowercase(), body.to_owned())
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Stops the service with SIGTERM and returns its exit code, output and log.
    pub(crate) fn stop(mut self) -> CommandOutput {
        self.signal(rustix::process::Signal::TERM);
        let mut stdout = String::new();
        self.stdout.read_to_string(&mut stdout).unwrap();
        self.log.read_to_string(&mut self.seen).unwrap();
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        CommandOutput { code, stdout, stderr: std::mem::take(&mut self.seen) }
    }
}

impl Drop for ServiceProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
