//! A data directory of its own, the binary run in it, and a service that ends with its test.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    process::{Child, ChildStderr, ChildStdout, Command, Output, Stdio},
    time::Duration,
};

use serde_json::Value;

/// How long a service may take to say something, in seconds.
const PATIENCE_S: u64 = 60;

/// A directory that goes with the test.
pub(crate) struct House {
    dir: PathBuf,
}

impl House {
    pub(crate) fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("posthouse-binary-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        Self { dir }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// The binary in an empty environment, before its arguments.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_posthouse"));
        command.env_clear().current_dir(&self.dir).stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(&[], arguments)
    }

    /// Runs it with these variables in its environment.
    pub(crate) fn run_with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
        Ran::of(self.command().envs(variables.iter().copied()).args(arguments).output().unwrap())
    }

    /// Writes a configuration with ports of the machine's choice.
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

    /// Starts the service and waits until it is ready.
    pub(crate) fn serve(&self, config: &Path, arguments: &[&str]) -> Serving {
        self.serve_with(&[], config, arguments)
    }

    /// The same with these variables in its environment.
    pub(crate) fn serve_with(&self, variables: &[(&str, &str)], config: &Path, arguments: &[&str]) -> Serving {
        let ready_file = self.path("ready.json");
        let mut command = self.command();
        command.envs(variables.iter().copied());
        command.arg("serve").arg("--config").arg(config).arg("--ready-file").arg(&ready_file).args(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let out = BufReader::new(child.stdout.take().unwrap());
        let mut service = Serving { child, log, out, seen: String::new(), ready: Value::Null };
        // The line is written behind the file.
        service.read_log_until("ready");
        service.ready = serde_json::from_slice(&std::fs::read(&ready_file).unwrap()).unwrap();
        std::fs::remove_file(&ready_file).unwrap();
        service
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// What a command did.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The one JSON object of a command that did well.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{}\n{}", self.out, self.err);
        assert_eq!(self.out.lines().count(), 1, "one line: {}", self.out);
        let value: Value = serde_json::from_str(&self.out).unwrap();
        assert!(value.is_object());
        value
    }
}

/// A running service.
pub(crate) struct Serving {
    child: Child,
    log: BufReader<ChildStderr>,
    out: BufReader<ChildStdout>,
    seen: String,
    pub(crate) ready: Value,
}

impl Serving {
    pub(crate) fn address(&self, name: &str) -> SocketAddr {
        self.ready[name].as_str().unwrap().parse().unwrap()
    }

    /// Reads the log until one of its events has that message.
    pub(crate) fn read_log_until(&mut self, message: &str) {
        let (text, json) = (format!(" INFO {message}"), format!("\"message\":\"{message}\""));
        while !self.seen.lines().any(|line| line.contains(&text) || line.contains(&json)) {
            let read = self.log.read_line(&mut self.seen).unwrap();
            assert!(read > 0, "the service ended before it said {message}:\n{}", self.seen);
        }
    }

    /// Reads the output until a line has that text.
    pub(crate) fn read_line_with(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.out.read_line(&mut line).unwrap() > 0, "the service never said {text}");
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Opens a connection to the API.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address("http")).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(PATIENCE_S))).unwrap();
        stream
    }

    /// One GET; the head and the body of the answer.
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

    /// Ends the service as an operator does; its exit code, output and log.
    pub(crate) fn stop(mut self) -> Ran {
        self.signal(rustix::process::Signal::TERM);
        let mut out = String::new();
        self.out.read_to_string(&mut out).unwrap();
        self.log.read_to_string(&mut self.seen).unwrap();
        let code = self.child.wait().unwrap().code().unwrap_or(-1);
        Ran { code, out, err: std::mem::take(&mut self.seen) }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
