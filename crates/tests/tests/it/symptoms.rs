//! One file per bug or RFC trap, named after the symptom it showed.

mod smtp_client_waits;
mod smtp_mail_is_half_there;
mod smtp_smuggling;
mod smtp_wrong_client_address;
