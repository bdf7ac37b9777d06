//! Floor 4: the façade. Everything a client can do goes through [`Studio`]: open, edit, run, answer, replay, report,
//! verify. It knows neither Tauri nor a terminal.

pub mod command;
pub mod error;
pub mod view;

pub use command::dispatch;
pub use error::ApiError;
pub use view::notice::Notice;
