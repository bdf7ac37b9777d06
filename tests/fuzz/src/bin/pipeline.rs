//! See `fuzz::pipeline`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::pipeline(data));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    fuzz::once(fuzz::pipeline)
}
