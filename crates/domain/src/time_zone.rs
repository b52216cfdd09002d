//! IANA time zones, from the database in the binary.

use jiff::tz::TimeZone;

/// A time zone with its IANA name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedTimeZone {
    /// The name, in the spelling of the database.
    pub name: String,
    /// The rules of the zone.
    pub zone: TimeZone,
}

impl NamedTimeZone {
    /// Finds a zone by its name. Case doesn't matter.
    ///
    /// # Errors
    /// Describes the problem if no zone has that name.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found = TimeZone::get(text).ok().filter(|zone| !zone.is_unknown());
        let zone = found.ok_or_else(|| "must be an IANA time zone, such as UTC or Europe/Berlin".to_owned())?;
        Ok(Self { name: zone.iana_name().unwrap_or(text).to_owned(), zone })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_found_by_name_in_any_case() {
        let named = |text: &str| NamedTimeZone::parse(text).map(|zone| zone.name);
        assert_eq!(named("europe/berlin"), Ok("Europe/Berlin".to_owned()));
        assert_eq!(named("UTC"), Ok("UTC".to_owned()));
        for wrong in ["", "Europe/Posthouse", "+02:00", "Etc/Unknown", "Europe/Berlin ", "../UTC"] {
            assert!(named(wrong).is_err(), "{wrong}");
        }
    }
}
