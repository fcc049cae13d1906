import { type ParseArgsConfig, parseArgs } from "node:util";
import type { z } from "zod";
import { hasErrno, TeamError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import { parseValue } from "../lib/parse-value.ts";
import type { Arguments, Command } from "./command.ts";

/** Parses the arguments after the command's name. Unknown ones are refused. */
export function parseArguments(argv: string[], command: Command): Arguments | "help" {
  const { values, positionals } = parse(argv, command);
  if (values.help) return "help";
  const empty = Object.entries(values).find(([, value]) => value === "");
  if (empty) throw wrongUsage(`--${empty[0]} is empty`, command);

  const { parameters } = command;
  const required = parameters.filter((parameter) => !parameter.startsWith("["));
  const missing = required.slice(positionals.length);
  if (missing.length > 0) throw wrongUsage(`Missing argument: ${missing.join(" ")}`, command);
  const isOpen = parameters.at(-1)?.includes("…") ?? false;
  const unexpected = isOpen ? [] : positionals.slice(parameters.length);
  if (unexpected.length > 0) throw unexpectedWords(unexpected, command);
  const { json, debug, "team-dir": teamDir } = values;
  return {
    positionals,
    json: json === true,
    debug: debug === true,
    teamDir: typeof teamDir === "string" ? teamDir : undefined,
    values,
  };
}

/** How the command is called, without the options that all commands take. */
export function callOf({ name, parameters }: Command): string {
  return ["troupe", ...(name ? [name] : []), ...parameters].join(" ");
}

export function usageOf(command: Command): string {
  return `Usage: ${callOf(command)} [options]`;
}

/** Parses the options by a command's own schema, whose messages say what a value must be. */
export function parseOptions<Schema extends z.ZodType>(
  schema: Schema,
  values: Readonly<Record<string, unknown>>,
  command: Command,
): z.infer<Schema> {
  const parsed = parseValue(schema, values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0]);
  const given = JSON.stringify(values[name]);
  throw wrongUsage(`--${name} is ${given}, but must be ${issue?.message}`, command);
}

function unexpectedWords(words: readonly string[], command: Command): TeamError {
  const message = `Unexpected argument: ${words.join(" ")}`;
  if (command.name !== "") return wrongUsage(message, command);
  // Options came first, so this is parsed as `troupe` without a command.
  return new TeamError("usage-wrong", message, {
    hint: `Put the command before its options, as in \`troupe run "…" --model …\`. See troupe --help.`,
  });
}

export function wrongUsage(message: string, command: Command): TeamError {
  return new TeamError("usage-wrong", message, { hint: usageOf(command) });
}

function parse(args: string[], command: Command) {
  try {
    return parseArgs({ args, allowPositionals: true, options: optionsOf(command) });
  } catch (error) {
    if (!(error instanceof TypeError) || !hasErrno(error, ...parseErrors)) throw error;
    // Node's message begins with the problem; its advice after that is replaced by ours.
    const [message = ""] = error.message.split(/\.? (?=To specify)|\n/);
    throw new TeamError("usage-wrong", message, {
      hint: `${suggestOption(message, command)} ${usageOf(command)}`.trim(),
    });
  }
}

function optionsOf({ options }: Command): NonNullable<ParseArgsConfig["options"]> {
  const known = Object.entries(options).map(([name, { short, takes, isRepeatable = false }]) => [
    name,
    { type: takes ? "string" : "boolean", multiple: isRepeatable, ...(short && { short }) },
  ]);
  const common = { help: { type: "boolean", short: "h" }, debug: { type: "boolean" } } as const;
  return { ...common, ...Object.fromEntries(known) };
}

function suggestOption(message: string, { options }: Command): string {
  const [, unknown = ""] = /^Unknown option '--([^']*)'/.exec(message) ?? [];
  const known = nearest(unknown, Object.keys(options));
  return known ? `Did you mean --${known}?` : "";
}

const parseErrors = [
  "ERR_PARSE_ARGS_UNKNOWN_OPTION",
  "ERR_PARSE_ARGS_INVALID_OPTION_VALUE",
  "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL",
];
