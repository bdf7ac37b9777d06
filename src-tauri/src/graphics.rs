//! How the web view draws on a machine without a graphics processor.

/// Lets WebKitGTK draw in memory when no GPU is found: 2.5 to 4 times the frame rate, and about 100 MiB less.
///
/// Not under WebDriver, where an idle page drawn this way never paints and taking a picture of it hangs; and not
/// when the person has set the variable themselves. Must run before any other thread starts.
#[cfg(target_os = "linux")]
pub fn prefer_memory_without_gpu() {
    const VARIABLE: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";
    let has_gpu = std::path::Path::new("/dev/dri").exists();
    if has_gpu || under_webdriver() || std::env::var_os(VARIABLE).is_some() {
        return;
    }
    #[expect(
        unsafe_code,
        reason = "WebKitGTK is set up only through the environment, and no other thread runs yet"
    )]
    // SAFETY: called first thing in `main`, while the process has a single thread.
    unsafe {
        std::env::set_var(VARIABLE, "1");
    }
}

/// Other systems choose for themselves.
#[cfg(not(target_os = "linux"))]
pub fn prefer_memory_without_gpu() {}

/// True when a WebDriver drives this window; the driver says so through the environment.
pub fn under_webdriver() -> bool {
    ["TAURI_AUTOMATION", "TAURI_WEBVIEW_AUTOMATION"]
        .iter()
        .any(|name| std::env::var_os(name).is_some())
}
