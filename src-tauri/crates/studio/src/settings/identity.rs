//! Who the person is: a name and an ed25519 key that signs every decision.
//!
//! The secret key lies in the system's key store; where there is none (a server, a bare desktop) in a file that only its
//! owner can read. Name and preferences lie in `person.json` in the configuration folder, never in a project.

use crate::ApiError;
use crate::text::safe;
use ed25519_dalek::{Signer as _, SigningKey, Verifier as _, VerifyingKey};
use engine::{Decision, Evidence, GateOpened, Given, Grounds, Order, Promotion, RunCreated, Signature};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use store::{private, regular};

pub use runtime::desk::HOME_VARIABLE;
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
    Nowhere,
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
        let (folder, key_store) = of_account()?;
        Self::open_in(&folder, key_store)
    }

    /// The person of this account, to look at what others have signed: nothing is made. Where they have no key yet, theirs is one that nobody has
    /// signed with and that is gone afterwards.
    ///
    /// # Errors
    /// The key cannot be read, or is damaged.
    pub fn open_to_look() -> Result<Self, ApiError> {
        let (folder, key_store) = of_account()?;
        Self::looking(&folder, key_store)
    }

    fn looking(folder: &Path, key_store: bool) -> Result<Self, ApiError> {
        match Self::made_before(folder, key_store)? {
            Some(made) => Ok(made),
            None => Ok(Self {
                folder: folder.into(),
                key: SigningKey::from_bytes(&new_secret()?),
                kept: Kept::Nowhere,
            }),
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
        if let Some(made) = Self::made_before(folder, key_store)? {
            return Ok(made);
        }
        let file = key_file(folder);
        let secret = new_secret()?;
        let key = SigningKey::from_bytes(&secret);
        let kept = if key_store && into_key_store(&secret) {
            Kept::KeyStore
        } else {
            Kept::File
        };
        if kept == Kept::File {
            match write_whole(&file, hex::encode(secret).as_bytes()) {
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

    /// The person whose key is there already.
    fn made_before(folder: &Path, key_store: bool) -> Result<Option<Self>, ApiError> {
        let file = key_file(folder);
        let (key, kept) = if file.symlink_metadata().is_ok() {
            (read_key(&file)?, Kept::File)
        } else if key_store && let Some(key) = from_key_store() {
            (key, Kept::KeyStore)
        } else {
            return Ok(None);
        };
        Ok(Some(Self {
            folder: folder.into(),
            key,
            kept,
        }))
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
        let path = self.folder.join("person.json");
        let bytes = serde_json::to_vec_pretty(person).expect("a person is plain data");
        write_replacing(&path, &bytes).map_err(|e| fault("cannot save", &path, &e))
    }

    /// The configuration folder: what is kept of the person.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
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
                key_file(&self.folder).display()
            ),
            Kept::Nowhere => "nowhere: you have not signed anything yet".into(),
        }
    }

    /// Signs a decision on what was asked in the run that was created so: of a rehearsal as one of a rehearsal.
    pub fn sign(&self, run: &RunCreated, opened: &GateOpened, grounds: Grounds, decision: &mut Decision) {
        // Key and grounds are part of what is signed.
        decision.signature = Some(self.unsigned(grounds));
        let statement = decision.statement(run, opened);
        self.put_under(&mut decision.signature, &statement);
    }

    /// Signs that a person raises a record of evidence.
    pub fn sign_promotion(&self, run: &RunCreated, record: &Evidence, grounds: Grounds, promotion: &mut Promotion) {
        promotion.signature = Some(self.unsigned(grounds));
        if let Some(statement) = promotion.statement(run, record) {
            self.put_under(&mut promotion.signature, &statement);
        }
    }

    /// Signs that a person pauses a run, lets it go on or stops it.
    pub fn sign_order(&self, run: &RunCreated, order: Order<'_>, grounds: Grounds, given: &mut Given) {
        given.signature = Some(self.unsigned(grounds));
        if let Some(statement) = order.statement(run, given) {
            self.put_under(&mut given.signature, &statement);
        }
    }

    fn unsigned(&self, grounds: Grounds) -> Signature {
        Signature {
            key: self.public(),
            signature: String::new(),
            grounds: Some(grounds),
        }
    }

    fn put_under(&self, signed: &mut Option<Signature>, statement: &str) {
        if let Some(signed) = signed {
            signed.signature = hex::encode(self.key.sign(statement.as_bytes()).to_bytes());
        }
    }
}

/// Whether a decision's signature holds for the run that was created so and for what was asked in it; `None` when it carries none.
pub fn valid(run: Option<&RunCreated>, opened: Option<&GateOpened>, decision: &Decision) -> Option<bool> {
    let given = decision.signature.as_ref()?;
    let statement = run.zip(opened).map(|(run, opened)| decision.statement(run, opened));
    Some(statement.is_some_and(|statement| is_under(given, &statement)))
}

/// The same of a promotion, for the record that it raised.
pub fn valid_promotion(run: Option<&RunCreated>, record: Option<&Evidence>, promotion: &Promotion) -> Option<bool> {
    let given = promotion.signature.as_ref()?;
    let statement = run
        .zip(record)
        .and_then(|(run, record)| promotion.statement(run, record));
    Some(statement.is_some_and(|statement| is_under(given, &statement)))
}

/// The same of an order.
pub fn valid_order(run: Option<&RunCreated>, order: Order<'_>, given: &Given) -> Option<bool> {
    let signature = given.signature.as_ref()?;
    let statement = run.and_then(|run| order.statement(run, given));
    Some(statement.is_some_and(|statement| is_under(signature, &statement)))
}

/// Whether a signature was made over this text.
fn is_under(given: &Signature, statement: &str) -> bool {
    let check = || {
        let key: [u8; 32] = hex::decode(&given.key).ok()?.try_into().ok()?;
        let signature: [u8; 64] = hex::decode(&given.signature).ok()?.try_into().ok()?;
        let key = VerifyingKey::from_bytes(&key).ok()?;
        key.verify(statement.as_bytes(), &ed25519_dalek::Signature::from_bytes(&signature))
            .ok()
    };
    check().is_some()
}

/// `7F3A…C2`: enough of a key to recognise it.
pub fn short(key: &str) -> String {
    let key = key.to_ascii_uppercase();
    match (key.get(..4), key.get(key.len().saturating_sub(2)..)) {
        (Some(head), Some(tail)) if key.len() > 8 => format!("{head}…{tail}"),
        _ => key,
    }
}

/// The configuration folder of this account, and whether its key lies in the system's key store where there is one.
fn of_account() -> Result<(PathBuf, bool), ApiError> {
    match std::env::var_os(HOME_VARIABLE).filter(|v| !v.is_empty()) {
        // A folder of one's own means: keep everything in it.
        Some(folder) => Ok((whole(Path::new(&folder))?.to_owned(), false)),
        None => Ok((configuration_folder()?, true)),
    }
}

fn key_file(folder: &Path) -> PathBuf {
    folder.join("signing-key")
}

fn new_secret() -> Result<[u8; 32], ApiError> {
    let mut secret = [0u8; 32];
    getrandom::fill(&mut secret)
        .map_err(|e| ApiError::new("internal", format!("The system gave no random numbers for a key: {e}.")))?;
    Ok(secret)
}

/// A path that means the same folder wherever a command is run: else the key would lie in whatever folder that is, a project's too.
fn whole(folder: &Path) -> Result<&Path, ApiError> {
    match folder.is_absolute() {
        true => Ok(folder),
        false => Err(ApiError::new(
            "no_home",
            format!(
                "{HOME_VARIABLE} is “{}”, which is another folder wherever a command is run: your key is not kept in a project.",
                safe::in_quotes(&folder.display().to_string())
            ),
        )
        .hint(format!("Set {HOME_VARIABLE} to a whole path, from the root on."))),
    }
}

fn configuration_folder() -> Result<PathBuf, ApiError> {
    runtime::desk::configuration_folder().ok_or_else(|| {
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

/// Makes a new file of this account alone that is there as a whole or not at all.
fn write_whole(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    /// Two threads of one program may make the first key at the same moment.
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let n = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let beside = file.with_extension(format!("{}-{n}.unfinished", std::process::id()));
    let written = private::write_new(&beside, bytes)
        .and_then(|()| std::fs::File::open(&beside)?.sync_all())
        .and_then(|()| std::fs::hard_link(&beside, file));
    let _ = std::fs::remove_file(&beside);
    written
}

/// Writes a file that only this account can read, in the place of the one that is there; its folder is this account's alone too.
pub(crate) fn write_replacing(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    if let Some(folder) = file.parent() {
        private::make_folder(folder)?;
    }
    #[cfg_attr(not(unix), expect(unused_mut, reason = "the mode is set on Unix alone"))]
    let mut options = atomic_write_file::OpenOptions::new();
    #[cfg(unix)]
    {
        use atomic_write_file::unix::OpenOptionsExt as _;
        use std::os::unix::fs::OpenOptionsExt as _;
        options.preserve_mode(false).mode(0o600);
    }
    let mut out = options.open(file)?;
    out.write_all(bytes)?;
    out.commit()
}

pub(crate) fn fault(what: &str, path: &Path, error: &std::io::Error) -> ApiError {
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

    fn asked() -> GateOpened {
        let asked = json!({
            "gate": "flow:step:hitl", "instance": {"step": "step", "visit": 1, "path": []}, "round": 1, "at": "before",
            "requirement": "required", "question": "Order lunch for 12 people?", "why": "explicit human gate", "asks": ["owner"],
            "shown": [{"path": "menu.md", "digest": "ab", "bytes": 2}], "changes_to": "step", "reject_to": null, "approve_to": "next",
        });
        serde_json::from_value(asked).expect("a gate")
    }

    fn grounds() -> Grounds {
        Grounds {
            next: true,
            at: engine::At(1),
            after: 7,
            link: "00".repeat(32),
            register: Some(engine::RegisterMark {
                entries: 3,
                head: "11".repeat(32),
            }),
        }
    }

    fn decision() -> Decision {
        Decision {
            gate: "flow:step:hitl".into(),
            round: 1,
            answer: Answer::Approve,
            by: "Ada".into(),
            comment: "fine".into(),
            seen: vec!["ab".into()],
            undrawn: Vec::new(),
            via: "test".into(),
            lasting: None,
            way: None,
            report: Default::default(),
            key_name: None,
            signature: None,
        }
    }

    #[test]
    fn a_signature_binds_every_field_and_the_run_and_what_was_asked() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let me = Identity::open_in(home.path(), false).expect("a new identity");
        let run = run("run-1", json!({}));
        let asked = asked();
        let mut signed = decision();
        assert_eq!(valid(Some(&run), Some(&asked), &signed), None);
        me.sign(&run, &asked, grounds(), &mut signed);
        assert_eq!(valid(Some(&run), Some(&asked), &signed), Some(true));
        for other in [
            json!({"run_id": "run-2"}),
            json!({"source": "1"}),
            json!({"workflow": "x"}),
            json!({"subject": "somebody else"}),
            json!({"rehearsal": true}),
        ] {
            let other = self::run("run-1", other);
            assert_eq!(valid(Some(&other), Some(&asked), &signed), Some(false), "{other:?}");
        }
        let grounds_of = |d: &mut Decision, change: fn(&mut Grounds)| {
            let grounds = d.signature.as_mut().and_then(|s| s.grounds.as_mut());
            change(grounds.expect("it is of version 2"));
        };
        let changed: [&dyn Fn(&mut Decision); 15] = [
            &|d| d.answer = Answer::Reject,
            &|d| d.by = "Bob".into(),
            &|d| d.comment.push('!'),
            &|d| d.round = 2,
            &|d| d.key_name = Some("Ada Lund".into()),
            &|d| d.seen.clear(),
            &|d| d.undrawn = vec!["ab".into()],
            &|d| d.via = "cli".into(),
            &|d| d.lasting = Some(engine::Lasting::Always),
            &|d| grounds_of(d, |g| g.at = engine::At(2)),
            &|d| grounds_of(d, |g| g.after = 8),
            &|d| grounds_of(d, |g| g.next = false),
            &|d| grounds_of(d, |g| g.link = "01".repeat(32)),
            &|d| grounds_of(d, |g| g.register = None),
            // A signature cannot be made to cover less by calling it older.
            &|d| d.signature.as_mut().expect("signed").grounds = None,
        ];
        for (at, change) in changed.iter().enumerate() {
            let mut other = signed.clone();
            change(&mut other);
            assert_eq!(valid(Some(&run), Some(&asked), &other), Some(false), "{at}: {other:?}");
        }
        let otherwise: [fn(&mut GateOpened); 8] = [
            |o| o.question = "Pay 1 000 000 EUR to Mallory?".into(),
            |o| o.asks.clear(),
            |o| o.shown.clear(),
            |o| o.shown[0].path = "other.md".into(),
            |o| o.shown[0].digest = "cd".into(),
            |o| o.approve_to = Some("elsewhere".into()),
            |o| o.reject_to = Some("elsewhere".into()),
            |o| o.instance.step = "another".into(),
        ];
        for change in otherwise {
            let mut other = asked.clone();
            change(&mut other);
            assert_eq!(valid(Some(&run), Some(&other), &signed), Some(false), "{other:?}");
        }
        assert_eq!(valid(Some(&run), None, &signed), Some(false), "nothing was asked");
    }

    #[test]
    fn what_is_signed_in_a_rehearsal_holds_for_no_run_for_real() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let me = Identity::open_in(home.path(), false).expect("a new identity");
        let (real, rehearsal) = (run("r", json!({})), run("r", json!({"rehearsal": true})));
        let asked = asked();
        let holds = |run: &RunCreated, signed: &Decision| valid(Some(run), Some(&asked), signed);
        let mut signed = decision();
        me.sign(&rehearsal, &asked, grounds(), &mut signed);
        let statement = signed.statement(&rehearsal, &asked);
        assert!(
            statement.starts_with("[\"gatehouse-decision-v2-rehearsal\","),
            "{statement}"
        );
        assert_eq!(holds(&rehearsal, &signed), Some(true));
        assert_eq!(holds(&real, &signed), Some(false));
        me.sign(&real, &asked, grounds(), &mut signed);
        assert_eq!(holds(&rehearsal, &signed), Some(false));
        // Runs that older versions scripted do not carry the mark, and what was signed in them still holds.
        let scripted = run("r", json!({"scenario": {"name": "s", "source": "0"}}));
        assert!(scripted.is_rehearsal());
        assert_eq!(holds(&scripted, &signed), Some(true));
    }

    /// What earlier versions signed is what they signed: the bytes stay, and so does the signature.
    #[test]
    fn a_signature_of_the_first_version_still_holds() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let me = Identity::open_in(home.path(), false).expect("a new identity");
        let run = run("run-1", json!({}));
        let mut old = decision();
        let bytes = r#"["gatehouse-decision-v1","run-1","flow:step:hitl",1,"approve","Ada","fine",["ab"]]"#;
        old.signature = Some(Signature {
            key: me.public(),
            signature: hex::encode(me.key.sign(bytes.as_bytes()).to_bytes()),
            grounds: None,
        });
        assert_eq!(valid(Some(&run), Some(&asked()), &old), Some(true));
        let text = serde_json::to_string(&old).expect("text");
        assert!(!text.contains("grounds"), "it is kept as it was: {text}");
    }

    #[test]
    fn a_signature_binds_what_a_run_was_ordered_to_do() {
        use engine::{Order, OrderKind};
        let home = tempfile::tempdir().expect("a temporary folder");
        let me = Identity::open_in(home.path(), false).expect("a new identity");
        let real = run("run-1", json!({}));
        let stop = Order {
            kind: OrderKind::Stop,
            by: "Ada",
            reason: "Another order came.",
        };
        let mut given = Given {
            via: "cli".into(),
            key_name: None,
            signature: None,
        };
        assert_eq!(valid_order(Some(&real), stop, &given), None, "nobody has signed it");
        me.sign_order(&real, stop, grounds(), &mut given);
        assert_eq!(valid_order(Some(&real), stop, &given), Some(true));
        for other in [
            json!({"run_id": "run-2"}),
            json!({"source": "1"}),
            json!({"rehearsal": true}),
        ] {
            let other = run("run-1", other);
            assert_eq!(valid_order(Some(&other), stop, &given), Some(false), "{other:?}");
        }
        for other in [
            Order::to(OrderKind::Stop, "Ada"),
            Order { by: "Bob", ..stop },
            Order {
                kind: OrderKind::Pause,
                ..stop
            },
        ] {
            assert_eq!(valid_order(Some(&real), other, &given), Some(false), "{other:?}");
        }
        let changed: [fn(&mut Given); 3] = [
            |given| given.via = "desktop".into(),
            |given| given.key_name = Some("Bob".into()),
            |given| given.signature.as_mut().expect("signed").grounds = None,
        ];
        for change in changed {
            let mut other = given.clone();
            change(&mut other);
            assert_eq!(valid_order(Some(&real), stop, &other), Some(false), "{other:?}");
        }
        // What is stored of an order is what was stored before anybody signed one.
        let old = engine::Event::Paused {
            by: "Ada".into(),
            given: None,
        };
        let text = serde_json::to_string(&old).expect("text");
        assert_eq!(text, r#"{"type":"paused","by":"Ada"}"#);
        assert_eq!(serde_json::from_str::<engine::Event>(&text).expect("read"), old);
    }

    #[test]
    fn whoever_only_looks_gets_no_key() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let folder = home.path().join("gatehouse");
        let looking = Identity::looking(&folder, false).expect("somebody");
        assert!(!folder.exists(), "nothing is made");
        let made = Identity::open_in(&folder, false).expect("a new identity").public();
        assert_ne!(made, looking.public());
        assert_eq!(Identity::looking(&folder, false).expect("the same").public(), made);
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
