//! Quality gate: extraction must not leak history in at least 95 % of the replies of `replies/set-*.jsonl`.

use std::collections::HashSet;

use crate::{extract::new_text, tests::corpus};

/// Minimum share of replies without leaked history, and of replies without loss of expected text.
const SHARE_MIN: f64 = 0.95;

#[derive(serde::Deserialize)]
struct Reply {
    file: String,
    input: String,
    expected: String,
}

fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn lines(text: &str) -> HashSet<String> {
    text.lines().map(fold).filter(|line| line.chars().any(char::is_alphanumeric)).collect()
}

/// Returns whether a line belongs to a signature. A signature that is kept isn't a failure.
fn is_signature(reply: &Reply, line: &str) -> bool {
    let input = reply.input.lines().map(fold).collect::<Vec<_>>();
    let at = input.iter().position(|input| input == line).unwrap_or(0);
    let last_blank = input[..at].iter().rposition(|line| line.is_empty()).unwrap_or(0);
    let block = input[last_blank..=at].join(" ").to_lowercase();
    ["-abhishek", "--", "__", "sent ", "—"].iter().any(|sign| block.trim_start().starts_with(sign))
}

#[test]
fn extraction_leaks_no_history_and_loses_no_text() {
    let Some(folder) = corpus("replies") else { return };
    let (mut total, mut exact, mut leaked, mut lost) = (0_u32, 0_u32, 0_u32, 0_u32);
    for set in ["set-a.jsonl", "set-b.jsonl"] {
        let text = std::fs::read_to_string(folder.join(set)).unwrap();
        for reply in text.lines().map(|line| serde_json::from_str::<Reply>(line).unwrap()) {
            let found = new_text(Some(&reply.input), None).map(|found| found.text).unwrap_or_default();
            total += 1;
            exact += u32::from(fold(&found) == fold(&reply.expected));
            let (have, want) = (lines(&found), lines(&reply.expected));
            let leaks: Vec<_> = have.difference(&want).filter(|line| !is_signature(&reply, line)).collect();
            let losses: Vec<_> = want.difference(&have).collect();
            leaked += u32::from(!leaks.is_empty());
            lost += u32::from(!losses.is_empty());
            if !leaks.is_empty() || !losses.is_empty() {
                let short = |lines: Vec<&String>| {
                    lines.into_iter().map(|l| l.chars().take(90).collect::<String>()).take(3).collect::<Vec<_>>()
                };
                println!("{set} {}: leaked {:?}, lost {:?}", reply.file, short(leaks), short(losses));
            }
        }
    }
    let share = |bad: u32| 1.0 - f64::from(bad) / f64::from(total.max(1));
    println!("replies: {total}, exact {exact}, without leak {:.3}, without loss {:.3}", share(leaked), share(lost));
    assert!(total > 0 && share(leaked) >= SHARE_MIN && share(lost) >= SHARE_MIN);
}
