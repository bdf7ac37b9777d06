//! See `fuzz::stepspec`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::stepspec(data));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    fuzz::once(fuzz::stepspec)
}
