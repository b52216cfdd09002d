//! `posthouse commands`: the tree of commands, for programs that call this one.

use clap::{Arg, Args, Command};
use serde_json::{Value, json};

use crate::{
    error::ClientError,
    output::{Column, column},
    session::Session,
};

/// Options of `posthouse commands`.
#[derive(Args, Debug)]
pub struct Commands {}

const COLUMNS: &[Column] = &[column("Command", "command"), column("What it does", "about")];

/// Prints every command with its arguments: a table for a person, one object for a program.
pub(crate) fn run(session: &Session, _: Commands, tree: fn() -> Command) -> Result<(), ClientError> {
    let mut tree = tree();
    tree.build();
    if session.output.is_table_view() {
        let mut rows = Vec::new();
        rows_of(&tree, tree.get_name(), &mut rows);
        return session.output.items(&rows, COLUMNS);
    }
    let mut whole = command(&tree);
    whole["exit_codes"] = json!({ "0": "done", "1": "failed", "2": "wrong usage", "3": "time is over" });
    session.output.object(&whole, COLUMNS)
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
}

fn rows_of(command: &Command, path: &str, rows: &mut Vec<Value>) {
    for below in shown(command) {
        let path = format!("{path} {}", below.get_name());
        if shown(below).next().is_none() {
            rows.push(json!({ "command": path, "about": about(below) }));
        }
        rows_of(below, &path, rows);
    }
}

fn command(of: &Command) -> Value {
    let arguments: Vec<Value> = of.get_arguments().filter(|arg| is_shown(arg)).map(argument).collect();
    json!({
        "name": of.get_name(),
        "aliases": of.get_visible_aliases().collect::<Vec<_>>(),
        "about": about(of),
        "arguments": arguments,
        "commands": shown(of).map(command).collect::<Vec<_>>(),
    })
}

fn is_shown(arg: &Arg) -> bool {
    !arg.is_hide_set() && !matches!(arg.get_id().as_str(), "help" | "version")
}

fn argument(arg: &Arg) -> Value {
    let values: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let defaults: Vec<String> = arg.get_default_values().iter().map(|value| value.to_string_lossy().into()).collect();
    let takes_value = arg.get_action().takes_values();
    let name = match arg.get_long() {
        Some(long) => format!("--{long}"),
        None => arg.get_value_names().map_or_else(|| arg.get_id().to_string(), |names| names.join(" ")),
    };
    json!({
        "name": name,
        "about": arg.get_help().map(ToString::to_string),
        "required": arg.is_required_set(),
        "takes_value": takes_value,
        "repeatable": matches!(arg.get_action(), clap::ArgAction::Append),
        "values": if takes_value { json!(values) } else { json!([]) },
        "default": if takes_value { json!(defaults.first()) } else { Value::Null },
    })
}

fn about(command: &Command) -> String {
    command.get_about().map(ToString::to_string).unwrap_or_default()
}
