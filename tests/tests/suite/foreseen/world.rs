//! An empty world for scripts: programs that only leave a mark, a folder that is watched, no way out that a script could find by name.

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use std::collections::BTreeSet;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Values of the environment that can be told from all else.
pub const VARIABLES: &[(&str, &str)] = &[("V1", "value-of-one"), ("V2", "value-of-two")];

/// Real programs that run others, read or write. None of them leaves the group of processes that is ended with the script.
const REAL: &[&str] = &[
    "cat", "env", "nice", "nohup", "xargs", "tee", "touch", "printenv", "sort", "split",
];

/// Programs that only leave a mark.
const MARKED: [&str; 3] = ["m1", "m2", "m3"];

pub struct World {
    root: PathBuf,
    watch: OwnedFd,
}

/// What happened in the world while a script ran.
#[derive(Debug, Default)]
pub struct Happened {
    /// Marked programs that were executed, with their arguments: `m1 a b`, `./evil/m1 a`.
    pub programs: BTreeSet<Vec<String>>,
    /// Files of the working folder that were opened in any way, and written.
    pub opened: BTreeSet<String>,
    pub written: BTreeSet<String>,
    /// Variables whose values were seen outside of the shell.
    pub seen: BTreeSet<&'static str>,
}

/// Scripts that were changed at random write where they like. Those of root are run as nobody, who may write in the world alone.
const NOBODY: u32 = 65_534;

fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

/// Gives files of the world to whoever runs scripts in it.
fn give(files: &[impl AsRef<Path>]) -> std::io::Result<()> {
    if !is_root() {
        return Ok(());
    }
    let mut files = files.iter();
    files.try_for_each(|file| std::os::unix::fs::chown(file, Some(NOBODY), Some(NOBODY)))
}

impl World {
    pub fn new(root: &Path) -> std::io::Result<Self> {
        let world = Self {
            root: root.to_owned(),
            watch: inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?,
        };
        for folder in ["bin", "home", "w"] {
            std::fs::create_dir_all(root.join(folder))?;
        }
        std::fs::set_permissions(root, std::fs::Permissions::from_mode(0o755))?;
        give(&[root, root.join("home").as_path()])?;
        for name in REAL {
            let real = ["/bin", "/usr/bin"]
                .map(|f| Path::new(f).join(name))
                .into_iter()
                .find(|p| p.exists());
            if let Some(real) = real {
                symlink(real, root.join("bin").join(name))?;
            }
        }
        symlink("/bin/bash", root.join("bin/bash"))?;
        symlink("/bin/dash", root.join("bin/sh"))?;
        world.mark("marks", "")?;
        world.mark("marks-evil", "./evil/")?;
        world.put("marks", &root.join("bin"))?;
        Ok(world)
    }

    /// Programs that write down how they were called, still to be put where they can be executed.
    fn mark(&self, folder: &str, shown: &str) -> std::io::Result<()> {
        let folder = self.root.join(folder);
        std::fs::create_dir(&folder)?;
        for name in MARKED {
            let log = self.root.join("log");
            // One write a call: of two that run at once none stands in the middle of the other.
            let text = format!(
                "#!/bin/dash\nIFS=' '\ncall=$(printf '%s\\037' '{shown}{name}' \"$@\"; printf .)\nprintf '%s\\036' \"${{call%.}}\" >> '{}'\n",
                log.display()
            );
            std::fs::write(folder.join(name), text)?;
        }
        Ok(())
    }

    /// Puts them where they are executed. Another process does: what this one has open for writing, a program that another test begins at that
    /// moment has as well, and as long as it does the kernel executes no such file.
    fn put(&self, marks: &str, folder: &Path) -> std::io::Result<()> {
        let from = self.root.join(marks);
        let put = Command::new("/bin/cp")
            .args(MARKED.map(|name| from.join(name)))
            .arg(folder)
            .status()?;
        if !put.success() {
            return Err(std::io::Error::other("the marked programs cannot be copied"));
        }
        let executable = std::fs::Permissions::from_mode(0o755);
        let mut marked = MARKED.iter();
        marked.try_for_each(|name| std::fs::set_permissions(folder.join(name), executable.clone()))
    }

    /// The working folder as every script finds it.
    fn fresh(&self) -> std::io::Result<PathBuf> {
        let work = self.root.join("w");
        let _ = std::fs::remove_dir_all(&work);
        std::fs::create_dir_all(work.join("evil"))?;
        std::fs::create_dir_all(work.join("d"))?;
        self.put("marks-evil", &work.join("evil"))?;
        std::fs::write(work.join("f1"), "m3 read\n")?;
        std::fs::write(work.join("f2"), "a[$(m2)]\n")?;
        let evil = work.join("evil");
        give(&["", "d", "f1", "f2", "evil"].map(|name| work.join(name)))?;
        give(&MARKED.map(|name| evil.join(name)))?;
        let _ = std::fs::remove_file(self.root.join("log"));
        Ok(work)
    }

    /// Runs a script to its end, or for two seconds.
    pub fn run(&self, shell: &str, script: &str) -> std::io::Result<Happened> {
        let work = self.fresh()?;
        let flags = WatchFlags::OPEN | WatchFlags::CLOSE_WRITE | WatchFlags::CREATE;
        let watched = inotify::add_watch(&self.watch, &work, flags)?;
        let said = std::fs::File::create(self.root.join("said"))?;
        let mut command = Command::new("/bin/dash");
        command
            .args(["-c", "ulimit -t 2 -v 500000 -f 200 -c 0; exec \"$0\" -c \"$1\""])
            .arg(if shell == "bash" { "/bin/bash" } else { "/bin/dash" })
            .arg(script)
            .current_dir(&work)
            .env_clear()
            .env("PATH", self.root.join("bin"))
            .env("HOME", self.root.join("home"))
            .envs(VARIABLES.iter().copied())
            .stdin(Stdio::null())
            .stdout(said)
            .stderr(Stdio::null())
            .process_group(0);
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        let mut child = command.spawn()?;
        let end = Instant::now() + Duration::from_secs(2);
        while child.try_wait()?.is_none() && Instant::now() < end {
            std::thread::sleep(Duration::from_micros(300));
        }
        // Whatever it left behind ends with it.
        let group = format!("-{}", child.id());
        let _ = Command::new("/bin/kill")
            .args(["-9", "--", &group])
            .stderr(Stdio::null())
            .status();
        child.wait()?;
        let mut happened = self.noticed()?;
        inotify::remove_watch(&self.watch, watched)?;
        let _ = self.noticed()?;
        let log = std::fs::read(self.root.join("log")).unwrap_or_default();
        for call in String::from_utf8_lossy(&log).split('\u{1e}').filter(|c| !c.is_empty()) {
            let mut words: Vec<String> = call.split('\u{1f}').map(str::to_owned).collect();
            words.pop();
            happened.programs.insert(words);
        }
        let said = std::fs::read(self.root.join("said")).unwrap_or_default();
        for (name, value) in VARIABLES {
            let is_in = |text: &[u8]| text.windows(value.len()).any(|w| w == value.as_bytes());
            if is_in(&log) || is_in(&said) {
                happened.seen.insert(name);
            }
        }
        Ok(happened)
    }

    fn noticed(&self) -> std::io::Result<Happened> {
        let mut happened = Happened::default();
        let mut room = [MaybeUninit::uninit(); 16 * 1_024];
        let mut reader = Reader::new(&self.watch, &mut room);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(rustix::io::Errno::AGAIN) => return Ok(happened),
                Err(error) => return Err(error.into()),
            };
            let flags = event.events();
            let Some(name) = event.file_name().and_then(|n| n.to_str().ok()) else {
                continue;
            };
            if flags.contains(ReadFlags::ISDIR) {
                continue;
            }
            happened.opened.insert(name.to_owned());
            if flags.intersects(ReadFlags::CLOSE_WRITE | ReadFlags::CREATE) {
                happened.written.insert(name.to_owned());
            }
        }
    }
}
