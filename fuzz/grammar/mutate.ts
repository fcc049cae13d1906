import type { Random } from "../../soak/random.ts";
import { expand, type Grammar } from "./expand.ts";

/** Changes a hand-written line in one to three places. */
export function mutate(lines: readonly string[], grammar: Grammar, random: Random): string {
  const given = { random, lines, make: (name: string) => expand(grammar, name, random) };
  let line = random.pick(lines);
  for (let change = random.below(3); change >= 0; change--) {
    line = random.pick(changes)(line, given);
  }
  return line;
}

interface Given {
  readonly random: Random;
  readonly lines: readonly string[];
  /** A new piece of this name in the grammar. */
  make(name: string): string;
}

const wrappers = ["env", "nice", "timeout 1", "command", "xargs", "!", "time", "env -i"];
const frames = ["echo $(@)", "echo `@`", "( @ )", "{ @; }", "cat <(@)", "f() { @; }; f"];
const signs = "'\"`$(){}[]<>|&;#!~*?\\\n\r\t =-,:@%^+/";

const changes: readonly ((line: string, given: Given) => string)[] = [
  (line, { random, lines }) => {
    const other = random.pick(lines);
    return line.slice(0, random.below(line.length)) + other.slice(random.below(other.length));
  },
  (line, { random, lines, make }) => `${line}${make("separator")}${random.pick(lines)}`,
  (line, { make }) => `${make("setup")}; ${line}`,
  (line, given) => withToken(line, given, () => ""),
  (line, given) => withToken(line, given, (token) => `${token}${token}`),
  (line, given) => withToken(line, given, () => given.make("word")),
  (line, given) => withToken(line, given, (token) => `${token} ${given.make("word")}`),
  (line, given) => withToken(line, given, (token) => `{,${token}}`),
  (line, given) => withToken(line, given, (token) => `\${nothing:-${token}}`),
  (line, given) => withToken(line, given, (token) => `"${token}"`),
  (line, given) => withToken(line, given, (token) => `\\${token}`),
  (line, given) => withToken(line, given, (token) => `${token.slice(0, 1)}''${token.slice(1)}`),
  (line, { random }) => `${random.pick(["bash -c", "sh -c", "eval", "env -S"])} ${quote(line)}`,
  (line, { random }) => `${random.pick(wrappers)} ${line}`,
  (line, { random }) => random.pick(frames).replace("@", () => line),
  (line, { make }) => `${line} ${make("redirect")}`,
  (line, { make }) => `${line} | ${make("simple")}`,
  (line, { random }) => {
    const at = random.below(line.length + 1);
    return line.slice(0, at) + random.pick([...signs]) + line.slice(at);
  },
];

function withToken(line: string, { random }: Given, change: (token: string) => string): string {
  const tokens = line.split(/(\s+)/);
  const at = random.below(Math.ceil(tokens.length / 2)) * 2;
  return tokens.with(at, change(tokens[at] ?? "")).join("");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
