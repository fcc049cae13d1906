import type { Command } from "../../../src/cli/command.ts";
import { fencesIn, type MarkdownPage, spansIn } from "./markdown-page.ts";

/** What a page says of commands and flags that the program does not have. */
export function wrongMentions(page: MarkdownPage, commands: readonly Command[]): string[] {
  const spans = spansIn(page.text);
  const calls = [...spans, ...fencesIn(page.text).flatMap(shellLines)].flatMap(callsIn);
  const flags = spans.flatMap((span) => /^--([a-z]+(?:[.-][a-z]+)*)/.exec(span)?.[1] ?? []);
  const known = new Set([...everyCommand, ...commands.flatMap(flagsOf)]);
  return [
    ...calls.filter((call) => !isPossible(call, commands)),
    ...flags.filter((flag) => !known.has(flag)).map((flag) => `--${flag}`),
  ];
}

/** What is typed in a block: of a console, only what stands behind its prompt. */
function shellLines({ language, code }: { language: string; code: string }): string[] {
  const lines = code.replaceAll(/\\\n\s*/g, " ").split("\n");
  if (language === "console") return lines.filter((line) => line.startsWith("$ "));
  return ["sh", "bash", "yaml"].includes(language) ? lines : [];
}

/** The calls of troupe in a line, without texts in quotes, placeholders and what is the shell's. */
function callsIn(line: string): string[] {
  const plain = line
    .replaceAll(/\s+/g, " ")
    .replaceAll(/"[^"]*"|'[^']*'|<[\w|/]+>/g, "…")
    .replace(/(^| )#.*$/, "");
  const calls = plain.matchAll(/(?<![\w./$-])troupe(?![^ |;&<>)])[^|;&<>)]*/g);
  return [...calls].map(([call]) => call.trim());
}

/** What every command takes. */
const everyCommand = ["debug", "help", "h"];

function isPossible(call: string, commands: readonly Command[]): boolean {
  const [, first = "", ...rest] = call.split(" ");
  if (["--help", "-h", "--version", "-v", "…"].includes(first)) return true;
  const isBare = first === "" || (first.startsWith("-") && first !== "-p");
  const name = isBare ? "" : first === "-p" ? "run" : first;
  const command = commands.find((each) => each.name === name);
  if (!command) return false;
  const words = isBare ? [first, ...rest] : rest;
  const textFrom = words.indexOf("--");
  const flags = words
    .slice(0, textFrom === -1 ? words.length : textFrom)
    .flatMap((word) => /^--?([a-z]+(?:[.-][a-z]+)*)/.exec(word)?.[1] ?? []);
  const known = new Set([...everyCommand, ...flagsOf(command)]);
  return flags.every((flag) => known.has(flag));
}

function flagsOf({ options }: Command): string[] {
  return Object.entries(options).flatMap(([name, { short }]) => [name, ...(short ? [short] : [])]);
}
