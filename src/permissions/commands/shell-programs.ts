import { type KnownArgument, knownValue } from "./argument.ts";
import type { ParsedArguments } from "./options.ts";
import { anything, files, nothing, type ReadOnlyProgram, texts } from "./program.ts";
import { isPrivateVariable } from "./variables.ts";

/** Builtins of the shell, and programs that report on the system: all of them only read. */
export const shellPrograms: Readonly<Record<string, ReadOnlyProgram>> = {
  echo: anything,
  printf: { ...texts, isOptionsFirst: true, problem: ({ operands }) => formatProblem(operands) },
  test: { ...anything, problem: ({ operands }) => testProblem(operands) },
  seq: {
    ...texts,
    flags: "-w",
    text: "-f -s",
    hasNumbers: true,
    // More numbers than that would fill the memory.
    eachOperand: /^-?\d{1,6}(\.\d+)?$/,
  },
  expr: anything,
  sleep: anything,
  true: anything,
  false: anything,
  ":": anything,
  exit: anything,
  return: anything,
  break: anything,
  continue: anything,
  wait: { ...nothing },
  read: {
    ...texts,
    flags: "-r -s",
    text: "-p -d -n -t",
    // The index of an array is calculated, and that may run a command.
    eachOperand: /^[A-Za-z_]\w*$/,
  },
  export: { ...texts, problem: ({ operands }) => (operands.length > 0 ? undefined : "no name") },
  cd: files,
  ulimit: { ...nothing, flags: "-a -n -u -H -S" },
  kill: { ...nothing, flags: "-l" },
  set: {
    ...texts,
    flags: "-e -u -x -o",
    // Other options change what words mean: `keyword` makes variables of arguments.
    eachOperand: /^(pipefail|errexit|nounset)$/,
    problem: ({ given }) =>
      given.size > 0 ? undefined : "nothing, so that it shows all variables",
  },
  which: { ...texts, flags: "-a" },
  type: { ...texts, flags: "-a -p -P -t" },
  command: { ...texts, flags: "-v -V -p" },
  whoami: nothing,
  id: { ...texts, flags: "-g -G -n -r -u" },
  groups: texts,
  uname: { ...nothing, flags: "-a -i -m -n -o -p -r -s -v" },
  arch: nothing,
  nproc: { ...nothing, flags: "--all" },
  // Other options look names up in the network.
  hostname: { ...nothing, flags: "-s -I" },
  uptime: { ...nothing, flags: "-p -s" },
  free: { ...nothing, flags: "-b -g -h -k -m -t -w" },
  // All of it would show secrets.
  printenv: { ...texts, problem: ({ operands }) => namesProblem(operands) },
  ps: { ...anything, problem: ({ operands }) => processesProblem(operands) },
  lsof: { ...nothing, flags: "-a -l -n -P -t", text: "-i -p -u -c", problem: socketsProblem },
};

/** `%n` assigns the variable that it is given. */
function formatProblem([format, ...values]: readonly KnownArgument[]): string | undefined {
  if (!format || values.length === 0) return undefined;
  const text = format.type === "literal" && !format.isOneOfMany ? format.value : "%n";
  const assigns = /%[^a-zA-Z%(]*[hjlLtzq]*n/.test(text.replaceAll("%%", ""));
  return assigns ? "a format that assigns a variable" : undefined;
}

function namesProblem(operands: readonly KnownArgument[]): string | undefined {
  const isOpen = operands.every((word) => !isPrivateVariable(knownValue(word) ?? "SECRET", {}));
  return isOpen && operands.length > 0 ? undefined : "variables that may be secrets";
}

const columns =
  "((pid|ppid|pgid|sid|uid|user|comm|cmd|args|command|stat|state|etime|time|start|lstart|rss|vsz|pcpu|pmem|%cpu|%mem|nice|ni|pri|tty)(=\\w*)?,?)+";

/**
 * The forms of ps that show no environments. It reads `-xe` and whatever it takes for a mistake once
 * more as if there were no dash, and then `e` means them.
 */
const plainPs = new RegExp(
  `^(([aufwx]{1,6}|-(e|ef|eF|A|Af|f)|-[eA]?o ${columns}|(-p [\\d,]+|-C [\\w.-]+|-[eA])( -o ${columns})?) )?(--(forest|no-headers|sort=[-+]?(%?(cpu|mem)|rss|vsz|pid|start|time)) )*$`,
);

function processesProblem(operands: readonly KnownArgument[]): string | undefined {
  // An unknown word, or one with blanks, matches no form.
  const words = operands.map((word) => `${knownValue(word)?.replaceAll(/\s/g, "\0") ?? "\0"} `);
  return plainPs.test(words.join("")) ? undefined : "arguments by which it may show environments";
}

/** Names of addresses and ports are looked up in the network. */
function socketsProblem({ given, values }: ParsedArguments): string | undefined {
  const isLocal = values.every(
    ([name, value]) => name !== "-i" || /^([46]?(tcp|udp)?)?(:\d+(-\d+)?)?$/i.test(value ?? "@"),
  );
  if (!isLocal) return "an address";
  return given.has("-i") && !given.has("-n") ? "no -n, so that it looks up names" : undefined;
}

/** `-v` and `-R` calculate the index of the variable they are given, and that may run a command. */
const naming = /^-[vR]$/;
const unary = /^-[a-zA-Z]$/;
const binary = /^(==?|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/;

/**
 * What is wrong with the operands of `test`. Where one is not known, it must stand where bash cannot
 * take it for an operator: beside one that is known, in a test of at most three words.
 */
function testProblem(operands: readonly KnownArgument[]): string | undefined {
  const values = operands.map(knownValue);
  if (values.some((value) => naming.test(value ?? ""))) return "a variable's name";
  const isSure = (operand: KnownArgument) => operand.type === "literal" && !operand.isOneOfMany;
  if (operands.every(isSure)) return undefined;
  const isWord = (operand: KnownArgument) => operand.type === "literal" || operand.isOneWord;
  const tested = values[0] === "!" ? values.slice(1) : values;
  const [first, second] = tested;
  const isPlain =
    tested.length === 1 ||
    (tested.length === 2 && unary.test(first ?? "")) ||
    (tested.length === 3 && binary.test(second ?? ""));
  return isPlain && operands.every(isWord) ? undefined : "an argument that is not known";
}
