//! Seeded random operations with faults and crashes, compared with a small model; a failure prints its seed.
