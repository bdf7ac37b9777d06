//! Names whose values decide what is run: one list for every way in which a name gets a value.

/// What decides which programs the shell runs, what it runs besides them, where it stands and how it splits words.
const SHELL: &str = "PATH IFS ENV BASH BASHOPTS SHELLOPTS PS0 PS1 PS2 PS4 PROMPT_COMMAND CDPATH HOME PWD OLDPWD SHELL TMPDIR \
    GLOBIGNORE EXECIGNORE POSIXLY_CORRECT HISTFILE FCEDIT FPATH INPUTRC MAILPATH GCONV_PATH LOCPATH NLSPATH GETCONF_DIR \
    HOSTALIASES MALLOC_TRACE NODE_OPTIONS PYTHONSTARTUP PYTHONPATH PERL5OPT PERL5LIB RUBYOPT JAVA_TOOL_OPTIONS GIT_SSH \
    GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_ASKPASS EDITOR VISUAL PAGER MANPAGER BROWSER LESSOPEN \
    LESSCLOSE RUSTC_WRAPPER MAKEFLAGS";

/// Names whose value the shell evaluates as arithmetic when it is given, and with it what stands in a subscript.
const NUMBERS: &str = "RANDOM SRANDOM SECONDS OPTIND OPTERR HISTCMD LINENO EPOCHSECONDS EPOCHREALTIME BASHPID";

/// Beginnings of such names.
const SHELL_KINDS: &str = "BASH_ LD_ DYLD_ GIT_CONFIG COMP_ DIRSTACK";

/// What decides what other programs run, read or write, once they are given it with their environment.
const PROGRAMS: &str = "AR AS CC CPP CXX FC LD MAKE SED AWK UNZIP UNZIPOPT ZIPOPT GZIP BZIP XZ_OPT WGETRC CURL_HOME PHPRC TERMINFO \
    TERMCAP KUBECONFIG GOBIN GOENV GOFLAGS GOPATH GOPROXY GOROOT GOTOOLCHAIN GOWORK GOSUMDB GONOSUMDB GOTOOLDIR OPENSSL_CONF \
    SSLKEYLOGFILE RM LEX YACC RANLIB NM STRIP OBJCOPY INSTALL PKG_CONFIG M2C \
    PC CO GET LINT TEX TANGLE WEAVE MAKEINFO GOCACHEPROG GOAUTH GOCOVERDIR EXINIT MANOPT CPATH ZDOTDIR TEXTDOMAINDIR";

/// Beginnings of such names, in small letters: each program reads its own.
const PROGRAM_KINDS: &str = "git_ npm_ yarn_ pnpm_ bun_ deno_ node_ python pip_ uv_ perl ruby gem_ bundle_ lua_ php_ java_ _java_ \
    jdk_ maven_ mvn_ gradle_ ant_ cargo rust cgo_ docker_ buildkit_ compose_ kube_ helm_ tf_ terraform_ ansible_ aws_ ssh_ sudo_ less \
    manpa manroff grep_ tar_ rsync_ cvs svn_ hg xdg_ gnupg gpg make gnumake cmake_ ninja_ vim emacs pg mysql_ sqlite http_proxy \
    https_proxy all_proxy ftp_proxy electron_ esbuild_ jest_ webpack_ vite_ eslint_ prettier_ ts_node_ nvm_ asan_ ubsan_ tsan_ lsan_ \
    msan_ gcov_ llvm_ systemd_ dbus_ gtk_ qt_ dotnet_ nuget_ msbuild mix_ erl_ elixir_ r_ julia_ ghc cabal_ stack_ opam ocaml psql openssl_ ccache_ sccache_ distcc_ gcc_ \
    coverage_ config_";

/// Ends of such names, in small letters.
const PROGRAM_ENDS: &str = "_askpass _cmd _command _config _editor _exec _executable flags _hook _init _launcher opts _options _pager _path \
    _plugin _plugins _preload _prog _program _rc _rsh _runner _script _shell _ssh _startup _wrapper _bin _home";

/// Names of these kinds that only say who, when and how much is told.
const HARMLESS: &str = "PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR \
    GIT_TERMINAL_PROMPT GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE \
    AWS_REGION AWS_DEFAULT_REGION NODE_ENV NODE_DEBUG NODE_NO_WARNINGS NODE_DISABLE_COLORS";

fn any(list: &str, fits: impl Fn(&str) -> bool) -> bool {
    list.split_ascii_whitespace().any(fits)
}

/// Whether a name decides what the shell itself does next.
pub(super) fn shell(name: &str) -> bool {
    any(SHELL, |n| n == name) || any(SHELL_KINDS, |k| name.starts_with(k))
}

/// Whether what a name is given is evaluated.
pub(super) fn number(name: &str) -> bool {
    any(NUMBERS, |n| n == name)
}

/// Whether a name decides what a program does that is given it with its environment.
pub(super) fn programs(name: &str) -> bool {
    let small = name.to_ascii_lowercase();
    let of_programs = || {
        any(PROGRAMS, |n| n == name)
            || any(PROGRAM_KINDS, |k| small.starts_with(k))
            || any(PROGRAM_ENDS, |e| small.ends_with(e))
    };
    shell(name) || of_programs() && !any(HARMLESS, |n| n == name)
}
