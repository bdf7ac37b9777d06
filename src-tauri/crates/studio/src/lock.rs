//! Locks on what is known meanwhile.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks; a thread that panicked while holding the lock left nothing half done in these maps.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
