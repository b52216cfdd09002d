//! Macros that make an object type, a query type or a choice readable and describable.

/// Defines a body object: fields in the order of their documentation, unknown members refused. `check FUNCTION;` behind
/// it names what looks at several members together, at the members as they came: it speaks with the others, not after them.
macro_rules! object {
    ($(#[doc = $about:literal])* $vis:vis struct $name:ident { $($(#[doc = $doc:literal])* $field:ident $(= $text:literal)?: $type:ty,)* } $($(check $check:path;)+)?) => {
        $(#[doc = $about])*
        #[derive(Debug)]
        $vis struct $name { $($(#[doc = $doc])* pub $field: $type,)* }

        impl $crate::http::wire::Wire for $name {
            fn schema() -> serde_json::Value {
                #[allow(unused_mut)]
                let mut properties = serde_json::Map::new();
                #[allow(unused_mut)]
                let mut required: Vec<&str> = Vec::new();
                $({
                    let name = $crate::http::wire::object!(@name $field $($text)?);
                    let mut schema = <$type as $crate::http::wire::Wire>::schema();
                    schema["description"] = concat!($($doc),*).trim().into();
                    properties.insert(name.to_owned(), schema);
                    if <$type as $crate::http::wire::Wire>::absent().is_none() { required.push(name); }
                })*
                serde_json::json!({
                    "type": "object", "description": concat!($($about),*).trim(),
                    "properties": properties, "required": required, "additionalProperties": false,
                })
            }

            fn decode(value: &serde_json::Value, path: &str, problems: &mut $crate::http::wire::Problems) -> Option<Self> {
                #[allow(unused_imports)]
                use $crate::http::wire::{Wire, expected, member, unknown};
                const NAMES: &[&str] = &[$($crate::http::wire::object!(@name $field $($text)?)),*];
                let Some(object) = value.as_object() else { return expected("an object", value, path, problems) };
                for name in object.keys().filter(|name| !NAMES.contains(&name.as_str())) {
                    unknown(name, &member(path, name), NAMES.iter().copied(), problems);
                }
                $(let $field = {
                    let name = $crate::http::wire::object!(@name $field $($text)?);
                    match object.get(name) {
                        Some(value) => <$type as Wire>::decode(value, &member(path, name), problems),
                        None => <$type as Wire>::absent().or_else(|| problems.add(&member(path, name), "is required")),
                    }
                };)*
                $($($check(object, path, problems);)+)?
                Some(Self { $($field: $field?,)* })
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $text:literal) => { $text };
}

/// Defines a query type: every parameter is optional or has a default, unknown ones are refused.
macro_rules! query {
    ($(#[doc = $about:literal])* $vis:vis struct $name:ident { $($(#[doc = $doc:literal])* $field:ident $(= $text:literal)?: $type:ty,)* }) => {
        $(#[doc = $about])*
        #[derive(Debug)]
        $vis struct $name { $($(#[doc = $doc])* pub $field: $type,)* }

        impl $crate::http::wire::Query for $name {
            fn parameters() -> Vec<serde_json::Value> {
                vec![$(serde_json::json!({
                    "name": <$type as $crate::http::wire::QueryValue>::shown_name($crate::http::wire::object!(@name $field $($text)?)),
                    "in": "query",
                    "required": <$type as $crate::http::wire::QueryValue>::absent().is_none(),
                    "description": concat!($($doc),*).trim(),
                    "schema": <$type as $crate::http::wire::QueryValue>::schema(),
                })),*]
            }

            fn decode(pairs: &[(String, String)], problems: &mut $crate::http::wire::Problems) -> Option<Self> {
                #[allow(unused_imports)]
                use $crate::http::wire::QueryValue;
                #[allow(unused_mut)]
                let mut known: Vec<&str> = Vec::new();
                $(let $field = {
                    let name = $crate::http::wire::object!(@name $field $($text)?);
                    known.push(name);
                    <$type as QueryValue>::take(name, pairs, problems)
                };)*
                $crate::http::wire::query!(@unknown pairs, known, problems, $($type),*);
                Some(Self { $($field: $field?,)* })
            }
        }
    };
    (@unknown $pairs:ident, $known:ident, $problems:ident, $($type:ty),*) => {
        for (name, _) in $pairs {
            let taken = $known.contains(&name.as_str()) $(|| <$type as $crate::http::wire::QueryValue>::takes_prefix(name))*;
            if !taken { $crate::http::wire::unknown(name, name, $known.iter().copied(), $problems); }
        }
    };
}

/// Makes an enum of named values readable: `choice! { Direction { Inbound = "inbound", Outbound = "outbound" } }`.
macro_rules! choice {
    ($(#[doc = $about:literal])* $vis:vis enum $name:ident { $($(#[doc = $doc:literal])* $variant:ident = $text:literal,)* }) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        $vis enum $name { $($(#[doc = $doc])* $variant,)* }

        impl $name {
            /// The name on the wire.
            #[must_use]
            #[allow(dead_code)] // Not every choice is shown again.
            $vis const fn text(self) -> &'static str { match self { $($name::$variant => $text,)* } }

            fn parse(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok($name::$variant),)*
                    _ => Err(format!("must be one of {}", [$($text),*].join(", "))),
                }
            }
        }

        impl $crate::http::wire::Wire for $name {
            fn schema() -> serde_json::Value { serde_json::json!({ "type": "string", "enum": [$($text),*] }) }
            fn decode(value: &serde_json::Value, path: &str, problems: &mut $crate::http::wire::Problems) -> Option<Self> {
                match value.as_str().map(Self::parse) {
                    Some(Ok(choice)) => Some(choice),
                    Some(Err(problem)) => problems.add(path, problem),
                    None => $crate::http::wire::expected("a string", value, path, problems),
                }
            }
        }

        impl $crate::http::wire::QueryValue for $name {
            fn schema() -> serde_json::Value { <Self as $crate::http::wire::Wire>::schema() }
            fn read(text: &str) -> Result<Self, String> { Self::parse(text) }
        }
    };
}

pub(crate) use {choice, object, query};
