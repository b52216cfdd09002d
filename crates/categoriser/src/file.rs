//! The model file: a magic, then named sections of little-endian numbers.

use std::fmt;

const MAGIC: &[u8; 8] = b"PHCATEG1";

/// Why a model file can't be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelFileError {
    /// The file doesn't start with the magic of this version.
    Magic,
    /// The file ends inside a section, or a section has an impossible length.
    Length(&'static str),
    /// A section is missing.
    Missing(&'static str),
}

impl fmt::Display for ModelFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => f.write_str("not a model file of this version"),
            Self::Length(name) => write!(f, "section `{name}` of the model file has a wrong length"),
            Self::Missing(name) => write!(f, "the model file has no section `{name}`"),
        }
    }
}

impl std::error::Error for ModelFileError {}

/// The sections of a model file, borrowed.
pub(crate) struct Sections<'a> {
    found: Vec<(&'a [u8], &'a [u8])>,
}

impl<'a> Sections<'a> {
    /// Splits a file. Each section has a name of 16 bytes, a length of 4 and its bytes.
    pub(crate) fn parse(file: &'a [u8]) -> Result<Self, ModelFileError> {
        let mut rest = file.strip_prefix(MAGIC.as_slice()).ok_or(ModelFileError::Magic)?;
        let mut found = Vec::new();
        while !rest.is_empty() {
            let (name, after) = rest.split_at_checked(16).ok_or(ModelFileError::Length("name"))?;
            let (length, after) = after.split_first_chunk::<4>().ok_or(ModelFileError::Length("length"))?;
            let length = u32::from_le_bytes(*length) as usize;
            let (bytes, after) = after.split_at_checked(length).ok_or(ModelFileError::Length("bytes"))?;
            found.push((name, bytes));
            rest = after;
        }
        Ok(Self { found })
    }

    /// The bytes of a section.
    pub(crate) fn bytes(&self, name: &'static str) -> Result<&'a [u8], ModelFileError> {
        let section = self.found.iter().find(|(found, _)| found.trim_ascii_end() == name.as_bytes());
        section.map(|(_, bytes)| *bytes).ok_or(ModelFileError::Missing(name))
    }

    /// A section of 32-bit floats.
    pub(crate) fn floats(&self, name: &'static str) -> Result<Vec<f32>, ModelFileError> {
        let (chunks, rest) = self.bytes(name)?.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(ModelFileError::Length(name));
        }
        Ok(chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect())
    }

    /// A section of 32-bit numbers.
    pub(crate) fn numbers(&self, name: &'static str) -> Result<Vec<u32>, ModelFileError> {
        let (chunks, rest) = self.bytes(name)?.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(ModelFileError::Length(name));
        }
        Ok(chunks.iter().map(|chunk| u32::from_le_bytes(*chunk)).collect())
    }
}
