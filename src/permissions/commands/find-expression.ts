import { type KnownArgument, knownValue, type Literal, literal } from "./argument.ts";
import { readCall } from "./program.ts";
import { readOnlyPrograms } from "./read-only-programs.ts";

/** What find may test and print. Everything else asks: `-exec`, `-delete`, `-fprint`, … */
const flags: ReadonlySet<string> = new Set(
  `( ) ! , -a -and -o -or -not -true -false -depth -d -empty -print -print0 -prune -quit -ls -mount -xdev
  -readable -writable -executable -daystart -noleaf -nouser -nogroup -H -P`.split(/\s+/),
);
const withText: ReadonlySet<string> = new Set(
  `-name -iname -path -ipath -wholename -regex -iregex -regextype -type -xtype -size -mtime -mmin
  -atime -amin -ctime -cmin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -printf
  -newermt -fstype`.split(/\s+/),
);
const withPath: ReadonlySet<string> = new Set(["-newer", "-anewer", "-cnewer", "-samefile"]);

interface FoundFiles {
  readonly paths: readonly KnownArgument[];
  /** Set if the content of the files in the folders is shown, and not only their names. */
  readonly folders?: "tree" | "linked-tree";
}

interface Problem {
  readonly problem: string;
}

const unknown: Problem = { problem: "an argument that is not known" };

/** The files that find reads, or the argument that is not known to be harmless. */
export function readFindExpression(words: readonly KnownArgument[]): FoundFiles | Problem {
  const paths: KnownArgument[] = [];
  const queue = [...words];
  let isExpression = false;
  let folders: FoundFiles["folders"];
  for (let word = queue.shift(); word; word = queue.shift()) {
    if (word.type === "unknown") return unknown;
    const { value } = word;
    isExpression ||= /^[-(!,]/.test(value) && !/^-[HP]$/.test(value);
    if (word.isOneOfMany && isExpression) return { problem: value };
    if (!isExpression && !value.startsWith("-")) paths.push(word);
    else if (withText.has(value)) {
      const text = queue.shift();
      if (text?.type === "unknown" && !text.isOneWord) return unknown;
    } else if (withPath.has(value)) paths.push(...queue.splice(0, 1));
    else if (value === "-exec") {
      const shown = readShowing(words.slice(0, -queue.length), queue);
      if ("problem" in shown) return shown;
      paths.push(...shown.paths);
      folders = folders === "linked-tree" ? folders : shown.folders;
    } else if (!flags.has(value)) return { problem: value };
  }
  if (!folders) return { paths };
  return { paths: paths.length > 0 ? paths : [literal(".")], folders };
}

/** Programs that show a file and do no more, whatever its name is. */
const showing: ReadonlySet<string> = new Set(
  "cat grep head tail wc ls stat file md5sum sha1sum sha256sum".split(" "),
);
/** Stands for each file found. There may be several. */
const found = [literal("./{}"), literal("./{}")];

/**
 * Takes the command of `-exec` off the queue, and returns what it reads besides the files found. A
 * found link may lead anywhere, unless `-type f` comes before it.
 */
function readShowing(
  before: readonly KnownArgument[],
  queue: KnownArgument[],
): FoundFiles | Problem {
  const problem = { problem: "-exec" };
  const end = queue.findIndex((word) => /^[;+]$/.test(knownValue(word) ?? ""));
  const command = queue.splice(0, end + 1);
  const values = command.map((word) => (isSure(word) ? word.value : undefined));
  const [name = "", ...rest] = values.slice(0, -1);
  if (values.at(-1) === "+" && rest.at(-1) !== "{}") return problem;
  const program = showing.has(name) ? readOnlyPrograms[name] : undefined;
  if (!program) return problem;
  if (rest.some((value) => value === undefined || /.\{\}|\{\}./s.test(value))) return problem;
  const operands = rest.flatMap((value = "") => (value === "{}" ? found : [literal(value)]));
  const reading = readCall(program, operands);
  if (reading.type === "problem") return reading;
  const isFilesOnly = findsFilesOnly(before.map((word) => knownValue(word) ?? ""));
  return {
    paths: reading.paths.filter((path) => !found.some((each) => each === path)),
    folders: isFilesOnly && reading.folders === undefined ? "tree" : "linked-tree",
  };
}

function isSure(word: KnownArgument): word is Literal {
  return word.type === "literal" && !word.isOneOfMany;
}

function findsFilesOnly(values: readonly string[]): boolean {
  if (values.some((value) => /^(-o|-or|,|\(|\))$/.test(value))) return false;
  return values.some(
    (value, at) =>
      value === "-type" && values[at + 1] === "f" && !/^(!|-not)$/.test(values[at - 1] ?? ""),
  );
}
