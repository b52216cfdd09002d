//! The header field `Agent-Disclosure`: mail says that an agent wrote it, and for whom.
//!
//! It resembles a structured field (RFC 8941): `agent=?1; on-behalf-of="Acme"; operator="Acme"`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The name of the header field.
pub const FIELD: &str = "Agent-Disclosure";
/// The name in a header map.
pub const FIELD_LOWER: &str = "agent-disclosure";
/// Longest value of the field, in characters.
pub const VALUE_CHARS_MAX: usize = 300;
/// Longest name of a party, in characters; longer names are cut. Two of them fit in the field even if every character is escaped.
pub const PARTY_CHARS_MAX: usize = 60;
/// The visible line of workspaces that have no text of their own.
pub const DEFAULT_LINE: &str = "This message was written by an AI agent.";

/// The parties that a message names.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct DisclosureParties {
    /// The domain or workspace for which the agent acts.
    pub on_behalf_of: Option<String>,
    /// The workspace that operates the agent.
    pub operator: Option<String>,
}

impl DisclosureParties {
    /// Returns the value of the header field. It is ASCII.
    #[must_use]
    pub fn header(&self) -> String {
        let mut value = "agent=?1".to_owned();
        for (name, party) in [("on-behalf-of", &self.on_behalf_of), ("operator", &self.operator)] {
            let text = party.as_deref().map(quotable).filter(|text| !text.is_empty());
            if let Some(text) = text {
                value.push_str(&format!("; {name}=\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")));
            }
        }
        value
    }

    /// Returns the claim of a delivery signature.
    #[must_use]
    pub fn claim(&self) -> Value {
        let mut claim = json!({ "agent": true, "operator": self.operator });
        if let Some(party) = &self.on_behalf_of {
            claim["on_behalf_of"] = Value::from(party.as_str());
        }
        claim
    }

    /// Returns the parties as the header field shows them.
    #[must_use]
    pub fn shown(&self) -> Self {
        let shown = |party: &Option<String>| party.as_deref().map(quotable).filter(|text| !text.is_empty());
        Self { on_behalf_of: shown(&self.on_behalf_of), operator: shown(&self.operator) }
    }
}

/// Returns the part of a name that a quoted string of ASCII can hold. Other characters become question marks. Runs of blanks,
/// which folding would change, become one, and nothing looks like an encoded word (RFC 2047 §2).
fn quotable(name: &str) -> String {
    let printable = |c: char| if (' '..='~').contains(&c) { c } else { '?' };
    let shown: String = name.trim().chars().take(PARTY_CHARS_MAX).map(printable).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ").replace("=?", "=")
}

/// What a message says about its author.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Disclosure {
    /// Whether it says that an agent wrote it.
    pub agent: bool,
    /// The parties that it names.
    pub parties: DisclosureParties,
    /// Whether the mail is known to come from a sender of this service.
    pub verified: bool,
    /// The value of the header field, up to [`VALUE_CHARS_MAX`] characters.
    pub header: String,
}

impl Disclosure {
    /// Reads the value of the header field. Anything that can't be read counts as absent.
    #[must_use]
    pub fn parse(value: &str, verified: bool) -> Self {
        let header: String = value.trim().chars().take(VALUE_CHARS_MAX).collect();
        let (mut agent, mut parties) = (false, DisclosureParties::default());
        for (name, item) in members(&header) {
            match name.as_str() {
                "agent" => agent = item == "?1" || item.is_empty(),
                "on-behalf-of" => parties.on_behalf_of = Some(item),
                "operator" => parties.operator = Some(item),
                _ => {}
            }
        }
        Self { agent, parties, verified, header }
    }
}

/// Returns the members of a field: names in lower case with their values, quotes removed. Members are separated by
/// semicolons or commas outside quotes.
fn members(value: &str) -> Vec<(String, String)> {
    let (mut members, mut current, mut is_quoted, mut is_escaped) = (Vec::new(), String::new(), false, false);
    let mut text = String::new();
    let mut name: Option<String> = None;
    for c in value.chars().chain([';']) {
        match c {
            _ if is_escaped => {
                text.push(c);
                is_escaped = false;
            }
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ';' | ',' if !is_quoted => {
                let key = name.take().unwrap_or_else(|| std::mem::take(&mut text));
                current.push_str(key.trim());
                if !current.is_empty() {
                    members.push((current.to_ascii_lowercase(), text.trim().to_owned()));
                }
                current.clear();
                text.clear();
            }
            '=' if !is_quoted && name.is_none() => name = Some(std::mem::take(&mut text)),
            _ => text.push(c),
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parties(on_behalf_of: Option<&str>, operator: Option<&str>) -> DisclosureParties {
        DisclosureParties { on_behalf_of: on_behalf_of.map(str::to_owned), operator: operator.map(str::to_owned) }
    }

    #[test]
    fn what_is_written_is_read() {
        let cases = [
            (parties(None, None), "agent=?1"),
            (parties(Some("acme.example"), None), "agent=?1; on-behalf-of=\"acme.example\""),
            (
                parties(Some("A \"B\" \\ C"), Some("x; y=1")),
                r#"agent=?1; on-behalf-of="A \"B\" \\ C"; operator="x; y=1""#,
            ),
        ];
        for (given, header) in cases {
            assert_eq!(given.header(), header);
            let read = Disclosure::parse(header, true);
            assert_eq!(read, Disclosure { agent: true, parties: given, verified: true, header: header.to_owned() });
        }
    }

    #[test]
    fn header_is_one_short_line_of_ascii() {
        let hostile = parties(Some(&"\"\\\r\n".repeat(500)), Some("Bücher\u{202e}"));
        let header = hostile.header();
        assert!(header.chars().count() <= VALUE_CHARS_MAX, "{}", header.len());
        assert!(header.chars().all(|c| (' '..='~').contains(&c)));
        assert_eq!(Disclosure::parse(&header, false).parties, hostile.shown());
        assert_eq!(hostile.shown().operator.as_deref(), Some("B?cher?"));
    }

    #[test]
    fn foreign_fields_are_read_leniently() {
        for (value, agent) in [
            ("agent", true),
            ("AGENT = ?1", true),
            ("agent=?0", false),
            ("agent=yes", false),
            ("", false),
            ("on-behalf-of=\"x", false),
            ("operator=acme, agent=?1", true),
        ] {
            let read = Disclosure::parse(value, false);
            assert_eq!((read.agent, read.verified), (agent, false), "{value}");
        }
        assert_eq!(Disclosure::parse("operator=acme, agent=?1", false).parties.operator.as_deref(), Some("acme"));
        assert_eq!(Disclosure::parse(&"a".repeat(1_000), false).header.len(), VALUE_CHARS_MAX);
    }
}
