//! The real binary as a process of its own, for what only a process can show: SIGKILL, exit codes, the ready file.
//!
//! It runs on the machine's clock; a test of it waits for what the process says and never for time.

use std::{
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

use serde_json::Value;

/// The binary that was built beside this test.
///
/// # Panics
/// Where it was not built: `cargo build -p posthouse-server`.
#[must_use]
pub fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("a running program has a path");
    let built = test.ancestors().nth(2).expect("tests run in target/PROFILE/deps").join("posthouse");
    assert!(built.exists(), "{} is missing: run cargo build -p posthouse-server", built.display());
    built
}

/// A running `posthouse serve`. Dropping it kills it.
pub struct Process {
    child: Child,
    /// What the ready file says.
    pub ready: Value,
    /// What it logged until it was ready, one JSON object a line.
    pub logged: String,
}

impl Process {
    /// Starts the service in `dir` with that configuration and waits until it is ready. What it prints for people is in
    /// `terminal.txt` there.
    ///
    /// # Panics
    /// Where it does not become ready; with what it said.
    #[must_use]
    pub fn start(dir: &Path, config_toml: &str) -> Self {
        Self::start_with(dir, config_toml, &[])
    }

    /// [`Process::start`] with further arguments.
    ///
    /// # Panics
    /// As [`Process::start`].
    #[must_use]
    pub fn start_with(dir: &Path, config_toml: &str, arguments: &[&str]) -> Self {
        let (config, ready_file) = (dir.join("posthouse.toml"), dir.join("ready.json"));
        std::fs::write(&config, config_toml).expect("the directory can be written");
        let _ = std::fs::remove_file(&ready_file);
        let terminal = std::fs::File::create(dir.join("terminal.txt")).expect("the directory can be written");
        let mut child = Command::new(binary())
            .arg("serve")
            .args(arguments)
            .args(["--config".as_ref(), config.as_os_str(), "--ready-file".as_ref(), ready_file.as_os_str()])
            .env("POSTHOUSE__LOG__FORMAT", "json")
            .current_dir(dir)
            .stdin(Stdio::null())
            .stdout(terminal)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut said = BufReader::new(child.stderr.take().expect("standard error is piped"));
        let heard = await_ready(&mut said);
        let ready = std::fs::read(&ready_file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let ready = ready.unwrap_or_else(|| panic!("posthouse did not become ready:\n{heard}"));
        // A full pipe would stop the service.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Self { child, ready, logged: heard }
    }

    /// The address of a listener: `http` or `smtp`.
    ///
    /// # Panics
    /// Where the ready file does not name it.
    #[must_use]
    pub fn address(&self, listener: &str) -> SocketAddr {
        let text = self.ready[listener].as_str().unwrap_or_default();
        text.parse().unwrap_or_else(|_| panic!("the ready file has no address for {listener}: {}", self.ready))
    }

    /// SIGKILL: nothing is finished, nothing is flushed.
    ///
    /// # Panics
    /// Where the process had ended by itself.
    pub fn kill(mut self) {
        assert!(self.child.try_wait().expect("a child can be asked").is_none(), "posthouse ended by itself");
        self.child.kill().expect("a child can be killed");
        self.child.wait().expect("a child can be waited for");
    }

    /// SIGTERM, and how the process ended.
    ///
    /// # Panics
    /// Where it cannot be waited for.
    pub fn stop(mut self) -> ExitStatus {
        let told = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(told.is_ok_and(|status| status.success()), "the process cannot be told to stop");
        self.child.wait().expect("a child can be waited for")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads log lines up to the one that says `ready`, or to the end.
fn await_ready(said: &mut BufReader<impl Read>) -> String {
    let mut heard = String::new();
    let mut line = String::new();
    while said.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
        let is_ready = serde_json::from_str::<Value>(&line).is_ok_and(|entry| is_ready(&entry));
        heard.push_str(&line);
        line.clear();
        if is_ready {
            break;
        }
    }
    heard
}

fn is_ready(entry: &Value) -> bool {
    let message = entry["fields"]["message"].as_str().or_else(|| entry["message"].as_str());
    message == Some("ready")
}
