import { knownValue } from "./argument.ts";
import { anything, files, nothing, type Program, texts } from "./program.ts";
import { testProblem } from "./test-operands.ts";

/** What the shell does itself, and programs that tell of the system: all of them only read. */
export const shellPrograms: Readonly<Record<string, Program>> = {
  echo: anything,
  printf: { ...texts, isOptionsFirst: true },
  test: { ...anything, problem: ({ operands }) => testProblem(operands) },
  seq: { ...texts, flags: "-w", text: "-f -s", hasNumbers: true },
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
    problem: ({ operands }) =>
      operands.every((operand) => /^[A-Za-z_]\w*$/.test(knownValue(operand) ?? ""))
        ? undefined
        : "a variable's name",
  },
  export: texts,
  cd: files,
  set: {
    ...texts,
    flags: "-e -u -x -o",
    // Other options change what words mean: `keyword` makes variables of arguments.
    problem: ({ operands }) =>
      operands.every((operand) => /^(pipefail|errexit|nounset)$/.test(knownValue(operand) ?? ""))
        ? undefined
        : "an operand",
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
  hostname: { ...nothing, flags: "-f -s -i -I" },
  uptime: { ...nothing, flags: "-p -s" },
  free: { ...nothing, flags: "-b -g -h -k -m -t -w" },
  env: { ...nothing, flags: "-0 --null" },
  printenv: { ...texts, flags: "-0 --null" },
  ps: {
    ...texts,
    flags: "-a -A -d -e -f -F -j -l -L -r -w -x -y --forest",
    text: "-C -p -u -U --sort",
    scripts: "-o -O",
    isHarmlessScript: (columns) => !/env/i.test(columns),
    // `e` would show the environment of other programs, keys and all.
    problem: ({ operands }) =>
      operands.every((operand) => /^[aux\d]+$/.test(knownValue(operand) ?? ""))
        ? undefined
        : "an operand",
  },
  lsof: { ...nothing, flags: "-a -l -n -P -t", text: "-i -p -u -c" },
};
