//! Commands that a message suggests, with the options of this process, so that they work on the same store.

use clap::Command;

/// The name of the binary, before a suggested command.
const BINARY: &str = "posthouse ";

/// Returns the text with the options after each command of the binary that it names. `options` begins with a space, or is
/// empty.
pub(super) fn with_options(text: &str, root: &Command, options: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(BINARY) {
        let (before, after) = rest.split_at(at + BINARY.len());
        out.push_str(before);
        let length = command_bytes(after, root);
        out.push_str(&after[..length]);
        // What follows the name of the binary in a sentence is no command.
        if length > 0 {
            out.push_str(options);
        }
        rest = &after[length..];
    }
    out.push_str(rest);
    out
}

/// Returns the length of the names of commands at the start of a text.
fn command_bytes(text: &str, root: &Command) -> usize {
    let (mut command, mut length) = (root, 0);
    loop {
        let rest = &text[length..];
        let skipped = rest.len() - rest.trim_start_matches(' ').len();
        let word: &str =
            rest[skipped..].split(|c: char| !c.is_ascii_lowercase() && c != '-').next().unwrap_or_default();
        match command.find_subcommand(word).filter(|_| !word.is_empty() && word != "help") {
            Some(found) => (command, length) = (found, length + skipped + word.len()),
            None => return length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_follow_each_command() {
        let root = Command::new("posthouse")
            .subcommand(Command::new("workspace").subcommand(Command::new("list")))
            .subcommand(Command::new("signing-key").subcommand(Command::new("list")))
            .subcommand(Command::new("help").subcommand(Command::new("serve")))
            .subcommand(Command::new("serve"));
        for (text, expected) in [
            (
                "there is no workspace X; see posthouse workspace list",
                "there is no workspace X; see posthouse workspace list --config a",
            ),
            (
                "run `posthouse signing-key list`, or posthouse serve.",
                "run `posthouse signing-key list --config a`, or posthouse serve --config a.",
            ),
            ("posthouse is running", "posthouse is running"),
            ("see posthouse help serve", "see posthouse help serve"),
            ("posthouse workspace LIST", "posthouse workspace --config a LIST"),
            ("é posthouse ", "é posthouse "),
        ] {
            assert_eq!(with_options(text, &root, " --config a"), expected);
            assert_eq!(with_options(text, &root, ""), text);
        }
    }
}
