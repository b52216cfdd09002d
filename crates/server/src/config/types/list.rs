//! Lists of values.

use toml::Value;

use super::{INVALID, InvalidValue, ValueType};
use crate::config::value::{ConfigValue, without_password};

/// Maximum number of items in a list.
const ITEMS_MAX: usize = 1_000;

/// A list of texts. In the environment it is a TOML array, or values separated by commas.
#[derive(Clone, Copy, Debug)]
pub(in crate::config) struct List<K> {
    pub(in crate::config) of: K,
    pub(in crate::config) items_min: usize,
}

/// A list that may be empty.
pub(in crate::config) const fn list_of<K>(of: K) -> List<K> {
    List { of, items_min: 0 }
}

impl<K: ValueType> ValueType for List<K> {
    type Output = Vec<K::Output>;

    fn expected(&self) -> String {
        let size = if self.items_min > 0 { " that is not empty" } else { "" };
        format!("a list{size}, each item {}", self.of.expected())
    }

    fn parse(&self, value: &ConfigValue) -> Result<Vec<K::Output>, InvalidValue> {
        let items = value.items().ok_or(INVALID)?;
        if items.len() > ITEMS_MAX {
            return Err(InvalidValue::because(format!("with at most {ITEMS_MAX} items")));
        }
        if items.len() < self.items_min {
            return Err(INVALID);
        }
        let parse = |item: &Value| {
            self.of.parse(&ConfigValue::from_item(item.clone())).map_err(|InvalidValue(detail)| {
                let shown = item.as_str().map_or_else(|| item.to_string(), without_password);
                let detail = detail.map(|detail| format!(": {detail}")).unwrap_or_default();
                InvalidValue::because(format!("not '{shown}'{detail}"))
            })
        };
        items.iter().map(parse).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{super::SocketAddress, *};

    #[test]
    fn lists_of_the_environment() {
        let sockets = list_of(SocketAddress);
        for text in ["[\"127.0.0.1:1\", \"[::1]:2\"]", "127.0.0.1:1,[::1]:2", " 127.0.0.1:1 , [::1]:2 ,"] {
            let count = sockets.parse(&ConfigValue::from_text(text)).map(|sockets| sockets.len());
            assert_eq!(count, Ok(2), "{text}");
        }
        assert_eq!(sockets.parse(&ConfigValue::from_text("")), Ok(Vec::new()));
        assert!(sockets.parse(&ConfigValue::from_item(Value::String("127.0.0.1:1".into()))).is_err());
    }
}
