//! What a message is about.

use super::cue::CodeCue;
use super::words::KeywordTable;

/// The topic of a page.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PageTopic {
    /// It mentions sign-in, passwords or accounts.
    pub(super) is_account: bool,
    /// It is about an order, an invoice, an offer or a parcel.
    pub(super) is_trade: bool,
    /// It only reports an event.
    pub(super) is_notice: bool,
    /// It mentions a code.
    pub(super) is_code: bool,
    /// It is sent to many.
    pub(super) is_bulk: bool,
    /// It is sent to many or long, so that what it mentions is rarely its purpose.
    pub(super) is_general: bool,
    /// Its subject is about an account or a code for signing in.
    pub(super) is_subject: bool,
    /// It invites to a meeting with its own numbers.
    pub(super) is_meeting: bool,
    /// It is in a language whose words are in the tables.
    pub(super) is_known: bool,
    /// Number of lines about orders and offers; the subject counts twice.
    pub(super) trade_lines: usize,
    /// Number of frequent words.
    pub(super) common: usize,
    /// Number of words.
    pub(super) words: usize,
}

impl PageTopic {
    /// Adds the tables of a line.
    pub(super) fn add(&mut self, tables: &[KeywordTable], words: usize, is_subject: bool) {
        /// Minimum number of words of a text that shows its language.
        const WORDS_MIN: usize = 8;
        let has = |table| tables.contains(&table);
        self.is_account |= has(KeywordTable::Account) || has(KeywordTable::Strong) || has(KeywordTable::Password);
        self.is_bulk |= has(KeywordTable::Bulk);
        self.is_code |= has(KeywordTable::Code) || has(KeywordTable::Strong);
        self.is_notice |= has(KeywordTable::Notice);
        self.is_meeting |= has(KeywordTable::Meeting);
        self.is_subject |= is_subject && (self.is_account || self.is_code);
        self.words += words;
        self.common += tables.iter().filter(|table| **table == KeywordTable::Common).count();
        // "If you did not make this request": one word for an order and a request in some languages.
        let is_request = has(KeywordTable::Password) || has(KeywordTable::Denial);
        let trade = has(KeywordTable::Other) || has(KeywordTable::Trade) && !is_request;
        if trade && CodeCue::of(tables) < CodeCue::SignIn {
            self.trade_lines += if is_subject { 2 } else { 1 };
        }
        self.is_trade = self.trade_lines >= 2;
        self.is_known = self.common >= 2 || self.words < WORDS_MIN;
    }
}
