//! Every key with a good and a bad value, and how the sources are put together.
