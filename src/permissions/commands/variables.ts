import type { Assignment } from "unbash";
import { knownValue } from "./argument.ts";
import { assignedValue, type Variables } from "./evaluate-word.ts";

/** The variables that a command is started with. */
export type ShellEnvironment = Readonly<Record<string, string | undefined>>;

/** Only where every byte below 0x80 is the ASCII character that it looks like: elsewhere a letter can swallow a quote. */
const plainLocale = /^(|C|POSIX|(C|[a-z]{2,3}_[A-Z]{2})\.(UTF-8|utf8))$/;

/**
 * Variables that say how to print and what to test, with the values at which they do no more than
 * that: none is a path, an address or an option.
 */
const harmless: readonly (readonly [names: string, values: RegExp])[] = [
  ["COLUMNS LINES SEED PORT VITEST_MAX_WORKERS", /^\d{1,9}$/],
  [
    `CI NO_COLOR COLOR CLICOLOR VERBOSE V LIVE CARGO_TERM_COLOR PYTHONUNBUFFERED
    PYTHONDONTWRITEBYTECODE UPDATE_SNAPSHOTS CGO_ENABLED RUST_BACKTRACE FORCE_COLOR`,
    /^([0-3]|true|false|yes|no|on|off|always|never|auto|full)?$/,
  ],
  ["NODE_ENV RAILS_ENV RACK_ENV APP_ENV ENVIRONMENT LOG_LEVEL GOOS GOARCH", /^[A-Za-z0-9_]*$/],
  ["DEBUG RUST_LOG", /^[\w:=*,-]*$/],
  ["TERM", /^(dumb|xterm|xterm-(16|256)color|vt100|screen|linux)$/],
  ["LANG LC_ALL LC_CTYPE", plainLocale],
  ["TZ", /^(UTC|GMT|[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+)?$/],
  ["HOST", /^(localhost|127\.0\.0\.1|0\.0\.0\.0)$/],
];

const harmlessValues: ReadonlyMap<string, RegExp> = new Map(
  harmless.flatMap(([names, values]) => names.split(/\s+/).map((name) => [name, values] as const)),
);

/** True when a program given this variable, written `NAME=value`, still does what its words say. */
export function isHarmlessSetting(setting: string): boolean {
  const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(setting) ?? [];
  return harmlessValues.get(name)?.test(value) ?? false;
}

/** The same for what is assigned before a command. */
export function isHarmlessAssignment(assignment: Assignment, variables: Variables): boolean {
  const text = knownValue(assignedValue(assignment, variables));
  return text !== undefined && isHarmlessSetting(`${assignment.name}=${text}`);
}

/**
 * Variables by which the shell or common programs are led to other code, other files or other hosts,
 * and those with which the shell calculates as soon as they are assigned.
 */
const leading =
  /^(RANDOM|SRANDOM|SECONDS|LINENO|HIST.*|EPOCH.*|E?UID|PPID|SHLVL|GROUPS|DIRSTACK|FUNCNAME|PIPESTATUS|COMP_.*|READLINE_.*|MAIL.*|PATH|CDPATH|IFS|ENV|HOME|PWD|OLDPWD|SHELL|SHELLOPTS|BASHOPTS|BASH.*|PS[0-4]|PS_.*|CMD_ENV|UNIX95|PROMPT_COMMAND|POSIX.*|GLOBIGNORE|EXECIGNORE|OPTARG|OPTIND|OPTERR|TMP|TEMP|TMPDIR|TMOUT|TZ|TZDIR|TERM|LANG|LANGUAGE|LC_.*|LOC.*|NLS.*|TEXTDOMAIN.*|OUTPUT_CHARSET|HOSTALIASES|RES_OPTIONS|RESOLV.*|MALLOC_.*|GLIBC_.*|PAGER|.*PAGER|EDITOR|VISUAL|BROWSER|LESS.*|MAN.*|MAGIC|LD_.*|DYLD_.*|GCONV_PATH|TERMINFO.*|TERMCAP|GREP_.*|LS_.*|TREE_.*|GIT_.*|EMAIL|SSH_.*|GPG_.*|GNUPG.*|NODE_.*|NPM_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|JAVA_.*|JDK_.*|_JAVA.*|MAVEN_.*|GRADLE_.*|MAKE.*|MFLAGS|CC|CXX|CPP|LD|AR|.*FLAGS|.*_?OPTS|.*OPTIONS|RUST.*|CARGO.*|GO[A-Z]*|XDG_.*|RIPGREP_.*|JQ_.*|AWK.*|TAR_.*|RSYNC_.*|CURL_.*|WGET.*|DOCKER_.*|KUBE.*|AWS_.*|.*_PROXY|TROUPE.*|ANTHROPIC_.*|OPENAI_.*)$/i;

/**
 * True when assigning this variable may change what later commands of the line run or reach. One
 * that is in the environment already is passed on to every program; others stay in the shell.
 */
export function isLeadingVariable(
  name: string,
  value: string | undefined,
  environment: ShellEnvironment,
): boolean {
  if (value !== undefined && isHarmlessSetting(`${name}=${value}`)) return false;
  return leading.test(name) || environment[name] !== undefined;
}

/** Variables that tell where and how somebody works, and hold no secret. */
const open =
  /^(_|HOME|PATH|PWD|OLDPWD|USER|USERNAME|LOGNAME|SHELL|SHLVL|LANG|LANGUAGE|LC_[A-Z]+|TERM|COLORTERM|COLUMNS|LINES|TZ|TMPDIR|TMP|TEMP|EDITOR|VISUAL|PAGER|HOSTNAME|HOSTTYPE|OSTYPE|MACHTYPE|DISPLAY|CI|NODE_ENV|NODE_VERSION|XDG_[A-Z_]+_(HOME|DIR)|VIRTUAL_ENV|CONDA_PREFIX|CONDA_DEFAULT_ENV|JAVA_HOME|GOPATH|GOROOT|CARGO_HOME|RUSTUP_HOME|PYENV_ROOT|NVM_DIR|EPOCH(SECONDS|REALTIME)|RANDOM|SRANDOM|SECONDS|LINENO|UID|EUID|PPID|GROUPS|BASH|BASH_VERSION|BASHPID|BASH_SUBSHELL|BASH_LINENO|BASH_REMATCH|BASH_SOURCE|FUNCNAME|PIPESTATUS|REPLY|OPTARG|OPTIND|IFS|GIT_PAGER)$/;

export function isOpenVariable(name: string): boolean {
  return open.test(name);
}

/** Names by which people and services call what nobody else should see. */
const secret =
  /TOKEN|SECRET|KEY|PASS|PWD|CRED|AUTH|COOKIE|PRIVATE|SESSION|CERT|SIGN|SALT|DSN|WEBHOOK|CONN|(^|_)(API|URL|URI|PAT|PIN|JWT|OTP|SID)(_|$)|^(AWS|AZURE|ARM|GCP|GCLOUD|GOOGLE|GH|GITHUB|GITLAB|GL|BITBUCKET|NPM|PG|MYSQL|MONGO|REDIS|DATABASE|DB|SMTP|MAIL|SLACK|STRIPE|TWILIO|SENTRY|VAULT|DOCKER|HEROKU|VERCEL|NETLIFY|CLOUDFLARE|CF|DO|DIGITALOCEAN|KUBE|SSH|GPG|TF_VAR|CIRCLE|TRAVIS|JENKINS|ACTIONS|RUNNER|HF|GROQ|MISTRAL|COHERE|GEMINI|OPENROUTER|ANTHROPIC|OPENAI)_/i;

/** True when showing this variable of the environment may show a secret. */
export function isPrivateVariable(name: string, environment: ShellEnvironment): boolean {
  if (open.test(name)) return false;
  return environment[name] !== undefined || secret.test(name);
}

/** Other encodings than these read some bytes of a line as other characters. */
export function isPlainLocale({ LC_ALL, LC_CTYPE, LANG }: ShellEnvironment): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG || "";
  return plainLocale.test(locale) || /\.utf-?8$/i.test(locale);
}
