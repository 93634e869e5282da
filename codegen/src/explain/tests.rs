//! What the tables say, shown.
