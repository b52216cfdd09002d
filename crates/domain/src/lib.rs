//! Product rules: values in, values out. Never I/O, clock, SQL or async.
