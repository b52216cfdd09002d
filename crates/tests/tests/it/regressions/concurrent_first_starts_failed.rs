//! Several processes that started at once on one empty store all tried to create the first workspace, and all but one
//! failed.

use std::thread;

use posthouse_store::Engine;
use posthouse_tests::{dir::ScratchDir, postgres::Cluster, process::ServiceProcess, server::engine_of_run};

/// Number of processes that start at once.
const PROCESSES: usize = 4;

#[test]
fn one_process_creates_the_first_workspace_and_all_become_ready() {
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
        (ServiceProcess::start(dir.path(), &config), dir)
    };
    let all: Vec<(ServiceProcess, ScratchDir)> = thread::scope(|scope| {
        let starting: Vec<_> = (0..PROCESSES).map(|_| scope.spawn(start)).collect();
        starting.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let first = all.iter().filter(|(process, _)| process.ready["first_run"].is_object()).count();
    assert_eq!(first, 1);
    assert!(all.into_iter().all(|(process, _)| process.stop().success()));
}
