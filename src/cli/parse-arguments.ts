import { parseArgs } from "node:util";
import { hasErrno, TeamError } from "../errors.ts";
import type { Arguments, Command } from "./command.ts";
import { nearest } from "./nearest.ts";

const options = {
  json: { type: "boolean", default: false },
  "team-dir": { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Reads what stands behind the command's name; what the command does not take is refused. */
export function parseArguments(argv: string[], command: Command): Arguments | "help" {
  const { values, positionals } = parse(argv, command);
  if (values.help) return "help";
  const { json, "team-dir": teamDir } = values;
  if (teamDir === "") throw wrongUsage("--team-dir is empty", command);

  const { parameters } = command;
  const required = parameters.filter((parameter) => !parameter.startsWith("["));
  const missing = required.slice(positionals.length);
  if (missing.length > 0) throw wrongUsage(`Missing: ${missing.join(" ")}`, command);
  const unexpected = positionals.slice(parameters.length);
  if (unexpected.length > 0) throw wrongUsage(`Unexpected: ${unexpected.join(" ")}`, command);
  return { positionals, json, teamDir };
}

/** How the command is called, without the options that all commands take. */
export function callOf({ name, parameters }: Command): string {
  return ["troupe", name, ...parameters].join(" ");
}

export function usageOf(command: Command): string {
  return `Usage: ${callOf(command)} [--json] [--team-dir <directory>]`;
}

export function wrongUsage(message: string, command: Command): TeamError {
  return new TeamError("usage-wrong", message, { hint: usageOf(command) });
}

function parse(args: string[], command: Command) {
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    if (!(error instanceof TypeError) || !hasErrno(error, ...parseErrors)) throw error;
    // What Node says first is the problem; what follows is advice of its own, which ours replaces.
    const [message = ""] = error.message.split(/\.? (?=To specify)|\n/);
    throw new TeamError("usage-wrong", message, {
      hint: `${suggestOption(message)} ${usageOf(command)}`.trim(),
    });
  }
}

function suggestOption(message: string): string {
  const [, unknown = ""] = /^Unknown option '--([^']*)'/.exec(message) ?? [];
  const known = nearest(unknown, Object.keys(options));
  return known ? `Did you mean --${known}?` : "";
}

const parseErrors = [
  "ERR_PARSE_ARGS_UNKNOWN_OPTION",
  "ERR_PARSE_ARGS_INVALID_OPTION_VALUE",
  "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL",
];
