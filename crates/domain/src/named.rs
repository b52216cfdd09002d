//! Enums whose values have a name on the wire and in the store.

/// A closed set of names.
pub trait Named {
    /// Every name, in the order that they are told in.
    fn names() -> Vec<&'static str>;
}

/// Makes an enum of names that are shown and stored.
macro_rules! named {
    ($($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* })*) => {$(
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every value.
            pub const ALL: &'static [Self] = &[$($name::$variant),*];

            /// The name on the wire and in the store.
            #[must_use]
            pub const fn text(self) -> &'static str { match self { $($name::$variant => $text,)* } }

            /// The value of that name.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> { match text { $($text => Some($name::$variant),)* _ => None } }
        }

        impl $crate::named::Named for $name {
            fn names() -> Vec<&'static str> { Self::ALL.iter().map(|one| one.text()).collect() }
        }
    )*};
}
