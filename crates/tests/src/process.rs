//! The real binary as a separate process, for what only a process can show: SIGKILL, exit codes, the ready file.
//!
//! It uses the real clock, so its tests wait for output and never for time.

use std::{
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
};

use serde_json::Value;

/// Returns the path of the binary that was built beside this test.
///
/// # Panics
/// Panics if it was not built: run `cargo build --bin posthouse`.
#[must_use]
pub fn binary() -> PathBuf {
    let test = std::env::current_exe().expect("a running program has a path");
    let built = test.ancestors().nth(2).expect("tests run in target/PROFILE/deps").join("posthouse");
    assert!(built.exists(), "{} is missing: run cargo build --bin posthouse", built.display());
    built
}

/// A running `posthouse serve`. Dropping it kills it.
pub struct ServiceProcess {
    child: Child,
    /// The content of the ready file.
    pub ready: Value,
    /// The log until the service was ready, one JSON object per line.
    pub log: String,
}

impl ServiceProcess {
    /// Starts the service in `dir` with that configuration and waits until it is ready. Standard output goes to
    /// `terminal.txt` in `dir`.
    ///
    /// # Panics
    /// Panics with the log if the service does not become ready.
    #[must_use]
    pub fn start(dir: &Path, config_toml: &str) -> Self {
        Self::start_with(dir, config_toml, &[])
    }

    /// Starts the service like [`ServiceProcess::start`], with more arguments.
    ///
    /// # Panics
    /// Panics if [`ServiceProcess::start`] does.
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
        let mut stderr = BufReader::new(child.stderr.take().expect("standard error is piped"));
        let output = await_ready(&mut stderr);
        let ready = std::fs::read(&ready_file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let ready = ready.unwrap_or_else(|| panic!("posthouse did not become ready:\n{output}"));
        // The service would block on a full pipe.
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        Self { child, ready, log: output }
    }

    /// Returns the address of a listener: `http` or `smtp`.
    ///
    /// # Panics
    /// Panics if the ready file does not name it.
    #[must_use]
    pub fn address(&self, listener: &str) -> SocketAddr {
        let text = self.ready[listener].as_str().unwrap_or_default();
        text.parse().unwrap_or_else(|_| panic!("the ready file has no address for {listener}: {}", self.ready))
    }

    /// Sends SIGKILL: nothing is finished and nothing is flushed.
    ///
    /// # Panics
    /// Panics if the process had already ended.
    pub fn kill(mut self) {
        assert!(
            self.child.try_wait().expect("the status of a child can be read").is_none(),
            "posthouse had already ended"
        );
        self.child.kill().expect("a child can be killed");
        self.child.wait().expect("a child can be waited for");
    }

    /// Sends SIGSTOP and waits until no thread runs, so that the process changes nothing until it is dropped.
    ///
    /// # Panics
    /// Panics if the process can't be signaled.
    pub fn freeze(&self) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-STOP", &id]).status();
        assert!(sent.is_ok_and(|status| status.success()), "the process can't be signaled");
        let tasks = Path::new("/proc").join(id).join("task");
        while !std::fs::read_dir(&tasks).expect("a process has threads").flatten().all(|task| is_stopped(&task.path()))
        {
            std::thread::yield_now();
        }
    }

    /// Sends SIGTERM and returns the exit status.
    ///
    /// # Panics
    /// Panics if the process can't be signaled or waited for.
    pub fn stop(mut self) -> ExitStatus {
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "the process can't be signaled");
        self.child.wait().expect("a child can be waited for")
    }
}

impl Drop for ServiceProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns whether a thread is stopped. Its state follows its name, which is in parentheses (`man 5 proc`).
fn is_stopped(task: &Path) -> bool {
    let stat = std::fs::read_to_string(task.join("stat")).unwrap_or_default();
    stat.rsplit_once(')').is_none_or(|(_, state)| state.trim_start().starts_with('T'))
}

/// Reads log lines until one has the message `ready`, or until the end.
fn await_ready(stderr: &mut BufReader<impl Read>) -> String {
    let mut output = String::new();
    let mut line = String::new();
    while stderr.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
        let is_ready = serde_json::from_str::<Value>(&line).is_ok_and(|entry| is_ready(&entry));
        output.push_str(&line);
        line.clear();
        if is_ready {
            break;
        }
    }
    output
}

fn is_ready(entry: &Value) -> bool {
    let message = entry["fields"]["message"].as_str().or_else(|| entry["message"].as_str());
    message == Some("ready")
}
