//! Laws that hold for everything of a kind: every route, every error, every list, every statement, every source file.

mod house_rules;
