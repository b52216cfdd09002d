//! The currency of a number format. Often, nothing else in a workbook says it.

use super::decimal;

/// Characters of the name of a currency.
const NAME_CHARS_MAX: usize = 8;

/// A currency, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Currency {
    name: String,
    is_before: bool,
}

impl Currency {
    /// Returns the currency of the code of a format: a sign such as `€`, three capital letters, or what the code marks as one
    /// (`[$Ft-hu]`).
    pub(super) fn of(code: &str) -> Option<Self> {
        let mut chars = code.chars();
        let mut is_before = true;
        while let Some(c) = chars.next() {
            let name = match c {
                ';' => return None,
                '"' => currency(&chars.by_ref().take_while(|c| *c != '"').collect::<String>()),
                '[' => {
                    let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
                    inside.strip_prefix('$').and_then(|marked| marked.split('-').next()).and_then(named)
                }
                '\\' => chars.next().filter(|c| is_sign(*c)).map(String::from),
                '_' | '*' => {
                    chars.next();
                    None
                }
                '0' | '#' | '?' => {
                    is_before = false;
                    None
                }
                c => is_sign(c).then(|| c.to_string()),
            };
            if let Some(name) = name {
                return Some(Self { name, is_before });
            }
        }
        None
    }

    /// Returns an amount in the currency.
    pub(super) fn shown(&self, number: f64, decimals: usize) -> String {
        let amount = decimal(number.abs(), decimals);
        let sign = if number < 0.0 && amount.contains(|c: char| matches!(c, '1'..='9')) { "-" } else { "" };
        let space = if self.name.ends_with(char::is_alphabetic) { " " } else { "" };
        let name = &self.name;
        if self.is_before { format!("{sign}{name}{space}{amount}") } else { format!("{sign}{amount} {name}") }
    }
}

/// Returns the currency in a quoted text.
fn currency(text: &str) -> Option<String> {
    let name = named(text)?;
    let is_code = name.len() == 3 && name.chars().all(|c| c.is_ascii_uppercase());
    (is_code || name.contains(is_sign)).then_some(name)
}

fn named(text: &str) -> Option<String> {
    let name = text.trim();
    ((1..=NAME_CHARS_MAX).contains(&name.chars().count()) && !name.contains(char::is_numeric)).then(|| name.to_owned())
}

/// Returns whether a character is the sign of a currency.
fn is_sign(c: char) -> bool {
    matches!(c, '$' | '¢'..='¥' | '\u{20a0}'..='\u{20cf}' | '￥')
}
