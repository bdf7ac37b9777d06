//! Who the person is: a name and an ed25519 key that signs every decision.
//!
//! The secret key lies in the system's key store; where there is none (a server, a bare desktop) in a file that only its
//! owner can read. Name and preferences lie in `person.json` in the configuration folder, never in a project.

use crate::ApiError;
use ed25519_dalek::{Signer as _, SigningKey, Verifier as _, VerifyingKey};
use engine::{Decision, RunCreated, Signature};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use store::{private, regular};

/// Environment variable that names the configuration folder, for tests and portable installations.
pub const HOME_VARIABLE: &str = "GATEHOUSE_HOME";
const SERVICE: &str = "app.gatehouse.studio";
const KEY_NAME: &str = "decision-signing-key";

/// What is kept of a person besides the key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Person {
    /// The name under decisions; empty: not given yet.
    pub name: String,
    /// The roles they answer for, as workflows ask for them: `legal`, `finance`.
    pub roles: Vec<String>,
    /// `system`, `light`, `dark`.
    pub theme: String,
    /// Whether desktop notifications are shown.
    pub notifications: bool,
    /// Whether the window goes on to the next decision by itself after an answer.
    pub auto_next: bool,
}

impl Default for Person {
    fn default() -> Self {
        Self {
            name: String::new(),
            roles: Vec::new(),
            theme: "system".into(),
            notifications: true,
            auto_next: false,
        }
    }
}

/// A person who can sign.
#[derive(Clone)]
pub struct Identity {
    folder: PathBuf,
    key: SigningKey,
    kept: Kept,
}

/// Where the secret key lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    KeyStore,
    File,
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The secret never reaches a log.
        f.debug_struct("Identity")
            .field("folder", &self.folder)
            .field("kept", &self.kept)
            .finish_non_exhaustive()
    }
}

impl Identity {
    /// The person of this account; makes a key at the first call.
    ///
    /// # Errors
    /// The folder or the key file cannot be read or written, or the key is damaged.
    pub fn open() -> Result<Self, ApiError> {
        match std::env::var_os(HOME_VARIABLE).filter(|v| !v.is_empty()) {
            // A folder of one's own means: keep everything in it.
            Some(folder) => Self::open_in(Path::new(&folder), false),
            None => Self::open_in(&configuration_folder()?, true),
        }
    }

    /// The person of a given configuration folder.
    ///
    /// # Errors
    /// See [`Identity::open`].
    pub fn open_in(folder: &Path, key_store: bool) -> Result<Self, ApiError> {
        private::make_folder(folder).map_err(|e| fault("cannot make the folder", folder, &e))?;
        private::close_to_others(folder);
        private::close_to_others(&folder.join("person.json"));
        let file = folder.join("signing-key");
        if file.symlink_metadata().is_ok() {
            return Ok(Self {
                folder: folder.into(),
                key: read_key(&file)?,
                kept: Kept::File,
            });
        }
        if key_store && let Some(key) = from_key_store() {
            return Ok(Self {
                folder: folder.into(),
                key,
                kept: Kept::KeyStore,
            });
        }
        let mut secret = [0u8; 32];
        getrandom::fill(&mut secret)
            .map_err(|e| ApiError::new("internal", format!("The system gave no random numbers for a key: {e}.")))?;
        let key = SigningKey::from_bytes(&secret);
        let kept = if key_store && into_key_store(&secret) {
            Kept::KeyStore
        } else {
            Kept::File
        };
        if kept == Kept::File {
            match write_private(&file, hex::encode(secret).as_bytes()) {
                // Another program made one at the same moment: that is the key of this account.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    return Ok(Self {
                        folder: folder.into(),
                        key: read_key(&file)?,
                        kept,
                    });
                }
                other => other.map_err(|e| fault("cannot write the key", &file, &e))?,
            }
        }
        Ok(Self {
            folder: folder.into(),
            key,
            kept,
        })
    }

    /// Name and preferences; defaults where nothing was saved or the file is damaged.
    pub fn person(&self) -> Person {
        regular::read(&self.folder.join("person.json"), 1 << 20)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default()
    }

    /// Saves name and preferences.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, person: &Person) -> Result<(), ApiError> {
        use std::io::Write;
        let path = self.folder.join("person.json");
        let bytes = serde_json::to_vec_pretty(person).expect("a person is plain data");
        let write = || {
            let mut file = atomic_write_file::AtomicWriteFile::open(&path)?;
            file.write_all(&bytes)?;
            file.commit()?;
            private::close_to_others(&path);
            Ok(())
        };
        write().map_err(|e| fault("cannot save", &path, &e))
    }

    /// Public key, 64 hexadecimal digits.
    pub fn public(&self) -> String {
        hex::encode(self.key.verifying_key().as_bytes())
    }

    /// Where the secret key lies, in words.
    pub fn kept_words(&self) -> String {
        match self.kept {
            Kept::KeyStore => "in the system’s key store".into(),
            Kept::File => format!(
                "in a file that only you can read ({})",
                self.folder.join("signing-key").display()
            ),
        }
    }

    /// Signs a decision of the run that was created so: of a rehearsal as one of a rehearsal.
    pub fn sign(&self, run: &RunCreated, decision: &mut Decision) {
        let signature = self.key.sign(decision.statement(run).as_bytes());
        decision.signature = Some(Signature {
            key: self.public(),
            signature: hex::encode(signature.to_bytes()),
        });
    }
}

/// Whether a decision's signature holds for the run that was created so; `None` when it carries none.
pub fn valid(run: Option<&RunCreated>, decision: &Decision) -> Option<bool> {
    let given = decision.signature.as_ref()?;
    let check = || {
        let key: [u8; 32] = hex::decode(&given.key).ok()?.try_into().ok()?;
        let signature: [u8; 64] = hex::decode(&given.signature).ok()?.try_into().ok()?;
        let key = VerifyingKey::from_bytes(&key).ok()?;
        key.verify(
            decision.statement(run?).as_bytes(),
            &ed25519_dalek::Signature::from_bytes(&signature),
        )
        .ok()
    };
    Some(check().is_some())
}

/// `7F3A…C2`: enough of a key to recognise it.
pub fn short(key: &str) -> String {
    let key = key.to_ascii_uppercase();
    match (key.get(..4), key.get(key.len().saturating_sub(2)..)) {
        (Some(head), Some(tail)) if key.len() > 8 => format!("{head}…{tail}"),
        _ => key,
    }
}

fn configuration_folder() -> Result<PathBuf, ApiError> {
    let variable = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    variable("XDG_CONFIG_HOME")
        .or_else(|| variable("HOME").map(|home| home.join(".config")))
        .or_else(|| variable("APPDATA"))
        .map(|folder| folder.join("gatehouse"))
        .ok_or_else(|| {
            ApiError::new("no_home", "There is no home folder to keep your name and key in.")
                .hint(format!("Set {HOME_VARIABLE} to a folder of your own."))
        })
}

fn from_key_store() -> Option<SigningKey> {
    let secret = keyring::Entry::new(SERVICE, KEY_NAME).ok()?.get_password().ok()?;
    let bytes: [u8; 32] = hex::decode(secret).ok()?.try_into().ok()?;
    Some(SigningKey::from_bytes(&bytes))
}

/// Stores the key and reads it back: a store that forgets is no store.
fn into_key_store(secret: &[u8; 32]) -> bool {
    let text = hex::encode(secret);
    keyring::Entry::new(SERVICE, KEY_NAME)
        .and_then(|entry| {
            entry.set_password(&text)?;
            entry.get_password()
        })
        .is_ok_and(|read| read == text)
}

fn read_key(file: &Path) -> Result<SigningKey, ApiError> {
    if private::close_to_others(file) {
        tracing::error!(
            "the signing key in {} could be read by other accounts of this machine; it is closed now. Whoever read it before can sign in your name: \
             to be sure, move the file away, and a new key is made",
            file.display()
        );
    }
    let unusable = |why: String| {
        ApiError::new(
            "identity",
            format!("Gatehouse cannot read the key {}: {why}.", file.display()),
        )
        .hint("Check that the file is there and yours.")
    };
    let text = regular::read_text(file, 4096).map_err(|e| unusable(e.to_string()))?;
    if is_open_to_others(file) {
        return Err(unusable(
            "other accounts of this machine can read it, and that cannot be changed from here".to_owned(),
        ));
    }
    let bytes: Option<[u8; 32]> = hex::decode(text.trim()).ok().and_then(|b| b.try_into().ok());
    bytes.map(|b| SigningKey::from_bytes(&b)).ok_or_else(|| {
        ApiError::new("key_damaged", format!("The signing key in {} is damaged.", file.display()))
            .hint("Put back a copy of it. If there is none, move the file away: a new key is made, earlier signatures stay valid under the old one.")
    })
}

/// Whether other accounts may read or write a file.
fn is_open_to_others(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.metadata()
            .is_ok_and(|about| about.permissions().mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        false
    }
}

/// Writes a file that only this account can read. It is there as a whole or not at all, and never replaces another.
fn write_private(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    let beside = file.with_extension(format!("{}.unfinished", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let write = || {
        let mut out = options.open(&beside)?;
        out.write_all(bytes)?;
        out.sync_all()?;
        std::fs::hard_link(&beside, file)
    };
    let written = write();
    let _ = std::fs::remove_file(&beside);
    written
}

fn fault(what: &str, path: &Path, error: &std::io::Error) -> ApiError {
    ApiError::new("identity", format!("Gatehouse {what} {}: {error}.", path.display()))
        .hint("Check that the folder exists and is yours.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Answer;
    use serde_json::{Value, json};

    fn run(id: &str, more: Value) -> RunCreated {
        let mut fields = json!({
            "version": 1, "run_id": id, "workflow": "w", "title": "W", "format": "stepwise", "path": "w.yaml", "source": "0",
            "initiator": "test", "engines": {}, "limits": engine::Limits::default(),
        });
        let more = more.as_object().cloned().unwrap_or_default();
        fields.as_object_mut().expect("an object").extend(more);
        serde_json::from_value(fields).expect("a run")
    }

    fn decision() -> Decision {
        Decision {
            gate: "flow:step:hitl".into(),
            round: 1,
            answer: Answer::Approve,
            by: "Ada".into(),
            comment: "fine".into(),
            seen: vec!["ab".into()],
            via: "test".into(),
            lasting: None,
            key_name: None,
            signature: None,
        }
    }

    #[test]
    fn a_signature_binds_every_field_and_the_run() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let me = Identity::open_in(home.path(), false).expect("a new identity");
        let run = run("run-1", json!({}));
        let mut signed = decision();
        assert_eq!(valid(Some(&run), &signed), None);
        me.sign(&run, &mut signed);
        assert_eq!(valid(Some(&run), &signed), Some(true));
        assert_eq!(valid(Some(&self::run("run-2", json!({}))), &signed), Some(false));
        let changed: [fn(&mut Decision); 6] = [
            |d| d.answer = Answer::Reject,
            |d| d.by = "Bob".into(),
            |d| d.comment.push('!'),
            |d| d.round = 2,
            |d| d.key_name = Some("Ada Lund".into()),
            |d| d.seen.clear(),
        ];
        for change in changed {
            let mut other = signed.clone();
            change(&mut other);
            assert_eq!(valid(Some(&run), &other), Some(false), "{other:?}");
        }
    }

    #[test]
    fn what_is_signed_in_a_rehearsal_holds_for_no_run_for_real() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let me = Identity::open_in(home.path(), false).expect("a new identity");
        let (real, rehearsal) = (run("r", json!({})), run("r", json!({"rehearsal": true})));
        let mut signed = decision();
        me.sign(&rehearsal, &mut signed);
        assert!(
            signed
                .statement(&rehearsal)
                .starts_with("[\"gatehouse-decision-v1-rehearsal\",")
        );
        assert_eq!(valid(Some(&rehearsal), &signed), Some(true));
        assert_eq!(valid(Some(&real), &signed), Some(false));
        me.sign(&real, &mut signed);
        assert_eq!(valid(Some(&rehearsal), &signed), Some(false));
        // Runs that older versions scripted do not carry the mark, and what was signed in them still holds.
        let scripted = run("r", json!({"scenario": {"name": "s", "source": "0"}}));
        assert!(scripted.is_rehearsal());
        assert_eq!(valid(Some(&scripted), &signed), Some(true));
    }

    #[test]
    fn the_key_is_made_once_and_only_its_owner_can_read_it() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let first = Identity::open_in(home.path(), false).expect("a new identity").public();
        assert_eq!(
            Identity::open_in(home.path(), false)
                .expect("the same identity")
                .public(),
            first
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(home.path().join("signing-key"))
                .expect("the key")
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        std::fs::write(home.path().join("signing-key"), "nonsense").expect("damaging it");
        assert_eq!(
            Identity::open_in(home.path(), false).expect_err("damaged").code,
            "key_damaged"
        );
    }
}
