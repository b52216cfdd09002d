//! What can be wrong with an address, in words for the person who typed it.
//!
//! The texts never repeat the input: they may be logged, and shown beside a form field.

/// Why a text is no address or no mailbox.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Nothing was given.
    #[error("the address is empty")]
    Empty,
    /// No `@` outside quotes.
    #[error("the address has no @")]
    MissingAt,
    /// A second `@` outside quotes.
    #[error("the address has more than one @")]
    SecondAt,
    /// Nothing before the `@`.
    #[error("the part before the @ is empty")]
    EmptyLocal,
    /// Nothing after the `@`.
    #[error("the part after the @ is empty")]
    EmptyDomain,
    /// CR, LF, NUL or another control character: a header or command injection, or an accident.
    #[error("line breaks and control characters are not allowed in an address")]
    ControlCharacter,
    /// Bytes that are not UTF-8 (RFC 6531 §3.3).
    #[error("the address must be UTF-8")]
    NotUtf8,
    /// An encoded word inside an address (RFC 2047 §5).
    #[error("encoded words are not allowed in an address")]
    EncodedWord,
    /// White space where none may be.
    #[error("spaces are not allowed in an address")]
    Space,
    /// An invisible or direction-changing character (RFC 5893, RFC 8264: not for identifiers).
    #[error("invisible characters are not allowed in an address")]
    InvisibleCharacter,
    /// The whole address is too long.
    #[error("the address is longer than {bytes_max} bytes")]
    TooLong {
        /// The limit, in bytes.
        bytes_max: usize,
    },
    /// The local part is too long (RFC 5321 §4.5.3.1.1).
    #[error("the part before the @ is longer than {bytes_max} bytes")]
    LocalTooLong {
        /// The limit, in bytes.
        bytes_max: usize,
    },
    /// The domain is too long (RFC 5321 §4.5.3.1.2).
    #[error("the part after the @ is longer than {bytes_max} bytes")]
    DomainTooLong {
        /// The limit, in bytes.
        bytes_max: usize,
    },
    /// A character that may only stand inside quotes, or nowhere.
    #[error("the character {0:?} is not allowed before the @ without quotes")]
    LocalCharacter(char),
    /// A dot first, last or doubled.
    #[error("the part before the @ must not begin or end with a dot or hold two dots in a row")]
    Dots,
    /// Quotes that do not pair, or stand inside a word.
    #[error("the quotation marks do not match")]
    Quotes,
    /// A domain label is empty, too long, or holds something else than letters, digits and inner hyphens (RFC 1123 §2.1).
    #[error("the part after the @ is not a valid domain name")]
    Domain,
    /// An internationalised domain that IDNA refuses (RFC 5891, UTS #46).
    #[error("the part after the @ is not a valid internationalised domain name")]
    DomainIdn,
    /// The last label is all digits, which no domain is (RFC 3696 §2): mostly an IP address without brackets.
    #[error("the part after the @ is an IP address or ends in a number, not a domain name")]
    DomainNumeric,
    /// An address literal where only domain names are taken, or one that is not well formed.
    #[error("an IP address in brackets is not accepted after the @")]
    Literal,
    /// `<` and `>` do not pair, or text follows the `>`.
    #[error("the angle brackets do not match, or text follows them")]
    Brackets,
    /// A comma outside quotes where one mailbox is expected.
    #[error("a name with a comma must stand in quotation marks")]
    Comma,
    /// The display name is too long.
    #[error("the name is longer than {bytes_max} bytes")]
    NameTooLong {
        /// The limit, in bytes.
        bytes_max: usize,
    },
    /// More mailboxes than the caller takes.
    #[error("there are more than {count_max} addresses")]
    TooMany {
        /// The limit.
        count_max: usize,
    },
}
