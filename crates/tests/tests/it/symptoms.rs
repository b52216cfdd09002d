//! One file per bug or RFC trap, named after the symptom it showed.
