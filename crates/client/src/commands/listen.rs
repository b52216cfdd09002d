//! `posthouse listen`: events for a program on this machine.

mod exec;
pub(crate) mod forward;

use clap::Args;

use super::tail::SubscriptionOptions;
use crate::{error::ClientError, session::Session};

const EXAMPLES: &str = "\
Examples:
  Post events to a server on this machine, signed as webhooks are:
    posthouse listen --forward-to http://127.0.0.1:3000/hooks/mail
  Run a program for each received message, one at a time:
    posthouse listen --inbox support@agents.example --exec './handle.py'

With --exec, the messages come from the work queue of the inbox. The program
gets one on standard input as JSON. Exit status 0 acks it; any other returns it
to the queue after a pause that grows, ten times at most. The lease is extended
while the program runs.";

/// Options of `posthouse listen`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[group(id = "receiver", required = true, args = ["forward_to", "exec"])]
pub struct Listen {
    /// URL that gets each event as a POST request.
    #[arg(long, value_name = "URL")]
    forward_to: Option<String>,
    /// Secret that signs the requests [default: a new one, which is printed].
    #[arg(long, value_name = "SECRET", requires = "forward_to")]
    secret: Option<String>,
    /// Shell command to run for each message of the work queue.
    #[arg(long, value_name = "COMMAND", requires = "inbox", conflicts_with_all = ["event", "envelope", "since"])]
    exec: Option<String>,
    /// Programs that run at once, 1 to 16.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "exec",
          value_parser = clap::value_parser!(u8).range(1..=16))]
    jobs: u8,
    /// Seconds that a message is hidden from other workers, 30 to 3600; extended
    /// while the program runs.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, requires = "exec",
          value_parser = clap::value_parser!(u32).range(30..=3600))]
    lease: u32,
    #[command(flatten)]
    subscription: SubscriptionOptions,
    /// End after this number of events.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
}

/// Passes events on until the count is reached or the command is interrupted.
pub(crate) async fn run(session: &Session, given: Listen) -> Result<(), ClientError> {
    match (given.forward_to, given.exec) {
        (Some(url), _) => {
            let receiver = forward::Receiver::new(&url, given.secret)?;
            forward::run(session, receiver, given.subscription, given.count).await
        }
        (None, Some(command)) => {
            let work = exec::Work { command, jobs: given.jobs, lease_seconds: given.lease, count: given.count };
            exec::run(session, work, given.subscription.inbox).await
        }
        (None, None) => Err(ClientError::Usage("pass --forward-to URL or --exec COMMAND".to_owned())),
    }
}
