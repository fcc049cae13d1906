import type { Assignment } from "unbash";
import { knownValue, patternText } from "./argument.ts";
import { evaluateWord, type Variables } from "./evaluate-word.ts";

/** Variables that say how to print and what to test, and lead no program to other code. */
const harmless: ReadonlySet<string> = new Set(
  `CI NODE_ENV DEBUG FORCE_COLOR NO_COLOR COLOR CLICOLOR TERM COLUMNS LINES LANG LC_ALL LC_CTYPE TZ
  VERBOSE LOG_LEVEL PORT HOST RUST_BACKTRACE RUST_LOG CARGO_TERM_COLOR CGO_ENABLED GOOS GOARCH
  PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE RAILS_ENV RACK_ENV APP_ENV ENVIRONMENT LIVE SEED
  UPDATE_SNAPSHOTS VITEST_MAX_WORKERS V`.split(/\s+/),
);

/** Values that a script which puts them into a command does not take for more than a word. */
const harmlessValue = /^([\w.:/,@+=*][\w.:/,@+=*-]*)?$/;

/** True when a program given this variable, written `NAME=value`, still does what its words say. */
export function isHarmlessSetting(setting: string): boolean {
  const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(setting) ?? [];
  return harmless.has(name) && harmlessValue.test(value);
}

/** The same for what is assigned before a command. */
export function isHarmlessAssignment(assignment: Assignment, variables: Variables): boolean {
  if (assignment.value.type !== "Word") return false;
  const [value, ...others] = evaluateWord(assignment.value, variables);
  if (!value || others.length > 0) return false;
  // An assignment finds no files: the stars in it stand for themselves.
  const text = value.type === "pattern" ? patternText(value) : knownValue(value);
  return text !== undefined && isHarmlessSetting(`${assignment.name}=${text}`);
}

/**
 * Variables by which the shell or common programs are led to other code, other files or other hosts.
 * Others are free to set in a line of their own: they stay in the shell, unless they are in the
 * environment already, and then they are none of these.
 */
const leading =
  /^(PATH|CDPATH|IFS|ENV|HOME|PWD|OLDPWD|SHELL|SHELLOPTS|BASHOPTS|BASH.*|PS[0-4]|PROMPT_COMMAND|POSIXLY_CORRECT|GLOBIGNORE|EXECIGNORE|OPTARG|OPTIND|TMPDIR|PAGER|.*PAGER|EDITOR|VISUAL|BROWSER|LESS.*|MAN.*|LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|TERMINFO.*|GIT_.*|SSH_.*|NODE_.*|NPM_.*|PYTHON.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|JAVA_.*|JDK_.*|_JAVA.*|MAVEN_.*|GRADLE_.*|MAKE.*|MFLAGS|CC|CXX|CPP|LD|AR|.*FLAGS|RUST.*|CARGO.*|GO[A-Z]*|XDG_.*|RIPGREP_.*|JQ_.*|AWK.*|TAR_.*|RSYNC_.*|CURL_.*|WGET.*|DOCKER_.*|KUBE.*|AWS_.*|.*_PROXY|TROUPE.*|ANTHROPIC_.*|OPENAI_.*)$/i;

/** True when setting this variable may change what later commands of the line run or reach. */
export function isLeadingVariable(name: string): boolean {
  return !harmless.has(name) && leading.test(name);
}
