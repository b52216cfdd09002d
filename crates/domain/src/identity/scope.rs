//! Scopes: what an app may learn about an agent.

use std::fmt;

named! {
    /// A scope of an identity token.
    IdentityScope {
        /// That the agent signs in. Every token has it.
        Openid = "openid",
        /// The address of an inbox.
        Email = "email",
        /// The name of the agent.
        Profile = "profile",
        /// The workspace, if it shares its name.
        Workspace = "workspace",
    }
}

/// A set of scopes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct IdentityScopes(u8);

impl IdentityScopes {
    /// The scopes of an app that names none.
    pub const CLIENT_DEFAULT: Self = Self::of(&[IdentityScope::Openid, IdentityScope::Email, IdentityScope::Profile]);
    /// The scopes of a token without a `scope`.
    pub const TOKEN_DEFAULT: Self = Self::of(&[IdentityScope::Openid, IdentityScope::Email]);

    /// Creates a set.
    #[must_use]
    pub const fn of(list: &[IdentityScope]) -> Self {
        let (mut bits, mut at) = (0, 0);
        while at < list.len() {
            bits |= 1 << list[at] as u8;
            at += 1;
        }
        Self(bits)
    }

    /// Parses a list separated by spaces.
    ///
    /// # Errors
    /// Returns the first unknown name.
    pub fn parse(text: &str) -> Result<Self, String> {
        text.split(' ').filter(|name| !name.is_empty()).try_fold(Self::default(), |set, name| {
            IdentityScope::parse(name).map(|scope| set.with(scope)).ok_or_else(|| name.to_owned())
        })
    }

    /// Parses a list separated by spaces, and ignores unknown names (OpenID Connect Core §3.1.2.1).
    #[must_use]
    pub fn known(text: &str) -> Self {
        text.split(' ').filter_map(IdentityScope::parse).fold(Self::default(), Self::with)
    }

    /// Returns the set with one more scope.
    #[must_use]
    pub fn with(self, scope: IdentityScope) -> Self {
        Self(self.0 | 1 << scope as u8)
    }

    /// Returns the set without a scope.
    #[must_use]
    pub fn without(self, scope: IdentityScope) -> Self {
        Self(self.0 & !(1 << scope as u8))
    }

    /// Returns whether the set contains a scope.
    #[must_use]
    pub fn has(self, scope: IdentityScope) -> bool {
        self.0 & (1 << scope as u8) != 0
    }

    /// Returns whether the set contains every scope of another set.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the scopes of both sets.
    #[must_use]
    pub fn both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl fmt::Display for IdentityScopes {
    /// Writes the names, separated by spaces, in a fixed order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            IdentityScope::ALL.iter().filter(|scope| self.has(**scope)).map(|scope| scope.text()).collect();
        f.write_str(&names.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_written_in_one_order() {
        let set = IdentityScopes::parse("profile  openid").expect("known");
        assert_eq!(set.to_string(), "openid profile");
        assert_eq!(IdentityScopes::parse("openid offline_access"), Err("offline_access".to_owned()));
        assert_eq!(IdentityScopes::known("openid offline_access email").to_string(), "openid email");
        assert_eq!(IdentityScopes::CLIENT_DEFAULT.both(set).to_string(), "openid profile");
        assert!(IdentityScopes::CLIENT_DEFAULT.contains(set) && !set.contains(IdentityScopes::TOKEN_DEFAULT));
        assert_eq!(IdentityScopes::default().to_string(), "");
    }
}
