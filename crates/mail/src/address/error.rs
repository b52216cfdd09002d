//! Errors of address parsing, with messages for the person who entered the address.
//!
//! The messages don't repeat the whole input, so that they can be logged and shown next to a form field.

/// The reason a text isn't a valid address or mailbox.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The input is empty.
    #[error("the address is empty")]
    Empty,
    /// There is no `@` outside quotes.
    #[error("the address has no @")]
    MissingAt,
    /// There is a second `@` outside quotes.
    #[error("the address has more than one @")]
    SecondAt,
    /// There is nothing before the `@`.
    #[error("the part before the @ is empty")]
    EmptyLocal,
    /// There is nothing after the `@`.
    #[error("the part after the @ is empty")]
    EmptyDomain,
    /// The input contains CR, LF, NUL or another control character, which could inject header fields or SMTP commands.
    #[error("line breaks and control characters are not allowed in an address")]
    ControlCharacter,
    /// The input isn't UTF-8 (RFC 6531 §3.3).
    #[error("the address must be UTF-8")]
    NotUtf8,
    /// The address contains an encoded word (RFC 2047 §5).
    #[error("encoded words are not allowed in an address")]
    EncodedWord,
    /// The address contains unquoted white space.
    #[error("spaces are not allowed in an address")]
    Space,
    /// The address contains an invisible or direction-changing character (RFC 5893, RFC 8264).
    #[error("invisible characters are not allowed in an address")]
    InvisibleCharacter,
    /// The whole address is too long.
    #[error("the address is longer than {bytes_max} bytes")]
    TooLong {
        /// The limit in bytes.
        bytes_max: usize,
    },
    /// The local part is too long (RFC 5321 §4.5.3.1.1).
    #[error("the part before the @ is longer than {bytes_max} bytes")]
    LocalTooLong {
        /// The limit in bytes.
        bytes_max: usize,
    },
    /// The domain is too long (RFC 5321 §4.5.3.1.2).
    #[error("the part after the @ is longer than {bytes_max} bytes")]
    DomainTooLong {
        /// The limit in bytes.
        bytes_max: usize,
    },
    /// The local part contains a character that is only allowed inside quotes, or not at all.
    #[error("the character {0:?} is not allowed before the @ without quotes")]
    LocalCharacter(char),
    /// The local part begins or ends with a dot, or contains two dots in a row.
    #[error("the part before the @ must not begin or end with a dot or contain two dots in a row")]
    Dots,
    /// A quotation mark has no counterpart, or is inside a word.
    #[error("the quotation marks do not match")]
    Quotes,
    /// A domain label is empty, too long, or contains other characters than letters, digits and inner hyphens (RFC 1123
    /// §2.1).
    #[error("the part after the @ is not a valid domain name")]
    Domain,
    /// The internationalized domain is not valid under IDNA (RFC 5891, UTS #46).
    #[error("the part after the @ is not a valid internationalized domain name")]
    DomainIdn,
    /// The last label consists of digits, which no top-level domain does (RFC 3696 §2). Usually an IP address without
    /// brackets.
    #[error("the part after the @ is an IP address or ends in a number, not a domain name")]
    DomainNumeric,
    /// The domain is an address literal where only domain names are accepted, or the literal is malformed.
    #[error("an IP address in brackets is not accepted after the @")]
    Literal,
    /// `<` and `>` don't match, or text follows the `>`.
    #[error("the angle brackets do not match, or text follows them")]
    Brackets,
    /// There is a comma outside quotes where one mailbox is expected.
    #[error("a name with a comma must be in quotation marks")]
    Comma,
    /// The display name is too long.
    #[error("the name is longer than {bytes_max} bytes")]
    NameTooLong {
        /// The limit in bytes.
        bytes_max: usize,
    },
    /// There are more mailboxes than the caller accepts.
    #[error("there are more than {count_max} addresses")]
    TooMany {
        /// The limit.
        count_max: usize,
    },
}
