import { parseArgs } from "node:util";
import { hasErrno, TeamError } from "../errors.ts";

/** What every command that looks at a team takes. */
export interface TeamArguments {
  positionals: string[];
  json: boolean;
  teamDir: string | undefined;
}

/** Reads `argv`; anything it does not know is refused with the command's `usage`. */
export function parseTeamArguments(
  argv: string[],
  { usage, positionals: allowed }: { usage: string; positionals: { min: number; max: number } },
): TeamArguments {
  const { values, positionals } = parse(argv, usage);
  if (positionals.length < allowed.min) throw wrongUsage("Something is missing", usage);
  if (positionals.length > allowed.max) {
    throw wrongUsage(`Unexpected: ${positionals.slice(allowed.max).join(" ")}`, usage);
  }
  return { positionals, json: values.json, teamDir: values["team-dir"] };
}

function parse(args: string[], usage: string) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        json: { type: "boolean", default: false },
        "team-dir": { type: "string" },
      },
    });
  } catch (error) {
    if (!(error instanceof TypeError) || !hasErrno(error, ...parseErrors)) throw error;
    throw wrongUsage(error.message, usage);
  }
}

const parseErrors = [
  "ERR_PARSE_ARGS_UNKNOWN_OPTION",
  "ERR_PARSE_ARGS_INVALID_OPTION_VALUE",
  "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL",
];

export function wrongUsage(message: string, usage: string): TeamError {
  return new TeamError("usage-wrong", message, { hint: `Usage: troupe ${usage}` });
}
