//! Macros that define body objects, query types and choices with their decoders and schemas.

/// Defines a body object. Unknown members are refused. `check FUNCTION;` after the struct adds a check across members;
/// it gets the undecoded members, so that its problems are reported together with those of single members.
/// `check FUNCTION, schema CONDITION;` also adds what the function `CONDITION` returns to the schema: the same rule as a
/// condition of JSON Schema. It is left out only if JSON Schema can't express the rule.
#[macro_export]
macro_rules! object {
    ($(#[doc = $about:literal])* $vis:vis struct $name:ident { $($(#[doc = $doc:literal])* $field:ident $(= $text:literal)?: $type:ty,)* } $($(check $check:path $(, schema $condition:path)?;)+)?) => {
        $(#[doc = $about])*
        #[derive(Debug)]
        $vis struct $name { $($(#[doc = $doc])* pub $field: $type,)* }

        impl $crate::wire::BodyValue for $name {
            fn schema() -> serde_json::Value {
                #[allow(unused_mut)]
                let mut properties = serde_json::Map::new();
                #[allow(unused_mut)]
                let mut required: Vec<&str> = Vec::new();
                $({
                    let name = $crate::object!(@name $field $($text)?);
                    let mut schema = <$type as $crate::wire::BodyValue>::schema();
                    schema["description"] = concat!($($doc),*).trim().into();
                    properties.insert(name.to_owned(), schema);
                    if <$type as $crate::wire::BodyValue>::absent().is_none() { required.push(name); }
                })*
                #[allow(unused_mut)]
                let mut schema = serde_json::json!({
                    "type": "object", "title": stringify!($name), "description": concat!($($about),*).trim(),
                    "properties": properties, "required": required, "additionalProperties": false,
                });
                $($($($crate::wire::also(&mut schema, $condition());)?)+)?
                schema
            }

            fn decode(value: &serde_json::Value, path: &str, problems: &mut $crate::wire::Problems) -> Option<Self> {
                #[allow(unused_imports)]
                use $crate::wire::{BodyValue, expected, member, unknown};
                const NAMES: &[&str] = &[$($crate::object!(@name $field $($text)?)),*];
                let Some(object) = value.as_object() else { return expected("an object", value, path, problems) };
                for name in object.keys().filter(|name| !NAMES.contains(&name.as_str())) {
                    unknown(name, &member(path, name), NAMES.iter().copied(), problems);
                }
                $(let $field = {
                    let name = $crate::object!(@name $field $($text)?);
                    match object.get(name) {
                        Some(value) => <$type as BodyValue>::decode(value, &member(path, name), problems),
                        None => <$type as BodyValue>::absent().or_else(|| problems.add(&member(path, name), "is required")),
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

/// Defines a query type. Unknown parameters are refused. `with FIELD: TYPE;` after the struct adds the parameters of another
/// query type.
#[macro_export]
macro_rules! query {
    ($(#[doc = $about:literal])* $vis:vis struct $name:ident { $($(#[doc = $doc:literal])* $field:ident $(= $text:literal)?: $type:ty,)* } $(with $more:ident: $more_type:ty;)*) => {
        $(#[doc = $about])*
        #[derive(Debug)]
        $vis struct $name {
            $($(#[doc = $doc])* pub $field: $type,)*
            $(#[doc = "The parameters that other lists have, too."] pub $more: $more_type,)*
        }

        impl $crate::wire::QueryParameters for $name {
            fn parameters() -> Vec<serde_json::Value> {
                let own = vec![$({
                    let mut parameter = serde_json::json!({
                        "name": $crate::object!(@name $field $($text)?),
                        "in": "query",
                        "description": concat!($($doc),*).trim(),
                        "schema": <$type as $crate::wire::QueryValue>::schema(),
                    });
                    if <$type as $crate::wire::QueryValue>::absent().is_none() {
                        parameter["required"] = true.into();
                    }
                    if let Some(explode) = <$type as $crate::wire::QueryValue>::EXPLODE {
                        parameter["style"] = "form".into();
                        parameter["explode"] = explode.into();
                    }
                    parameter
                }),*];
                [own, $(<$more_type as $crate::wire::QueryParameters>::parameters()),*].concat()
            }

            fn names() -> Vec<&'static str> {
                let own = vec![$($crate::object!(@name $field $($text)?)),*];
                [own, $(<$more_type as $crate::wire::QueryParameters>::names()),*].concat()
            }

            fn takes_prefix(name: &str) -> bool {
                false $(|| <$type as $crate::wire::QueryValue>::takes_prefix(name))*
                    $(|| <$more_type as $crate::wire::QueryParameters>::takes_prefix(name))*
            }

            fn take(pairs: &[(String, String)], problems: &mut $crate::wire::Problems) -> Option<Self> {
                $(let $field =
                    <$type as $crate::wire::QueryValue>::take($crate::object!(@name $field $($text)?), pairs, problems);)*
                $(let $more = <$more_type as $crate::wire::QueryParameters>::take(pairs, problems);)*
                Some(Self { $($field: $field?,)* $($more: $more?,)* })
            }
        }
    };
}

/// Defines an enum of named values with its decoder: `choice! { Direction { Inbound = "inbound", Outbound = "outbound"
/// } }`.
#[macro_export]
macro_rules! choice {
    ($(#[doc = $about:literal])* $vis:vis enum $name:ident { $($(#[doc = $doc:literal])* $variant:ident = $text:literal,)* }) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        $vis enum $name { $($(#[doc = $doc])* $variant,)* }

        impl $name {
            /// Returns the name on the wire.
            #[must_use]
            #[allow(dead_code)] // Some choices occur only in requests.
            $vis const fn text(self) -> &'static str { match self { $($name::$variant => $text,)* } }

            fn parse(text: &str) -> Result<Self, String> {
                match text {
                    $($text => Ok($name::$variant),)*
                    _ => Err(format!("must be one of {}", [$($text),*].join(", "))),
                }
            }
        }

        impl $crate::wire::BodyValue for $name {
            fn schema() -> serde_json::Value { serde_json::json!({ "type": "string", "enum": [$($text),*] }) }
            fn decode(value: &serde_json::Value, path: &str, problems: &mut $crate::wire::Problems) -> Option<Self> {
                match value.as_str().map(Self::parse) {
                    Some(Ok(choice)) => Some(choice),
                    Some(Err(problem)) => problems.add(path, problem),
                    None => $crate::wire::expected("a string", value, path, problems),
                }
            }
        }

        impl $crate::wire::QueryValue for $name {
            fn schema() -> serde_json::Value { <Self as $crate::wire::BodyValue>::schema() }
            fn read(text: &str) -> Result<Self, String> { Self::parse(text) }
        }
    };
}
