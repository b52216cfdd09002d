//! Enums whose values have the same name on the wire and in the database.

/// An enum with a fixed set of names.
pub trait NamedEnum {
    /// Returns every name, in declaration order.
    fn names() -> Vec<&'static str>;
}

/// Defines an enum whose values have a name on the wire and in the database.
macro_rules! named {
    ($($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$($name::$variant),*];

            /// Returns the name on the wire and in the database.
            #[must_use]
            pub const fn text(self) -> &'static str { match self { $($name::$variant => $text,)* } }

            /// Parses a name.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> { match text { $($text => Some($name::$variant),)* _ => None } }
        }

        impl $crate::named::NamedEnum for $name {
            fn names() -> Vec<&'static str> { Self::ALL.iter().map(|one| one.text()).collect() }
        }
    )*};
}
