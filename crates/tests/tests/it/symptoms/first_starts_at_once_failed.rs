//! Several processes that started at once on one empty store all wanted to make the first workspace, and those that came
//! second ended with "the first inbox was not made" (operations.md, roles as separate processes).

use std::thread;

use posthouse_store::Engine;
use posthouse_tests::{dir::ScratchDir, postgres::Cluster, process::Process, server::engine_of_run};

/// Processes that start at once.
const PROCESSES: usize = 4;

#[test]
fn one_of_them_makes_the_first_workspace_and_all_are_ready() {
    let shared = ScratchDir::new();
    let database = match engine_of_run() {
        Engine::Sqlite => String::new(),
        Engine::Postgres => format!("database_url = {:?}\n", Cluster::shared().create_database()),
    };
    let config = format!(
        "{database}data_dir = {:?}\nhttp.listen = \"127.0.0.1:0\"\nsmtp.listen = [\"127.0.0.1:0\"]\n\
         submission.listen = [\"127.0.0.1:0\"]\ndelivery.mode = \"capture\"\ndns.nameservers = [\"127.0.0.1:9\"]\n",
        shared.path().join("data"),
    );
    let start = || {
        let dir = ScratchDir::new();
        (Process::start(dir.path(), &config), dir)
    };
    let all: Vec<(Process, ScratchDir)> = thread::scope(|scope| {
        let starting: Vec<_> = (0..PROCESSES).map(|_| scope.spawn(start)).collect();
        starting.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let first = all.iter().filter(|(process, _)| process.ready["first_run"].is_object()).count();
    assert_eq!(first, 1);
    assert!(all.into_iter().all(|(process, _)| process.stop().success()));
}
