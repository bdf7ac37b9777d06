//! Control models.
