import type { Command, CommandGroup, Option } from "../../../src/cli/command.ts";
import { commandGroups } from "../../../src/cli/command.ts";
import { commonOptions, optionCall } from "../../../src/cli/help.ts";
import { usageOf } from "../../../src/cli/parse-arguments.ts";
import { exitCodeTable } from "./exit-codes.ts";

const titles: Readonly<Record<CommandGroup, string>> = {
  talk: "Talk",
  run: "Run",
  look: "Inspect",
  act: "Act on a team",
  "set up": "Set up",
};

/** docs/cli.md, as the commands declare themselves. */
export function cliPage(commands: readonly Command[]): string {
  return [
    intro,
    ...commandGroups.flatMap((group) => {
      const members = commands.filter((command) => command.group === group);
      return members.length > 0 ? [`## ${titles[group]}\n`, ...members.map(commandSection)] : [];
    }),
    "## Every command\n",
    optionTable(commonOptions),
    "## Exit codes\n",
    `${exitCodeTable}\n`,
  ].join("\n");
}

function commandSection(command: Command): string {
  const { name, summary, options, examples = [], notes = [] } = command;
  return [
    `### ${["troupe", name].join(" ").trim()}\n`,
    `${summary}.\n`,
    "```text",
    usageOf(command),
    "```\n",
    ...(Object.keys(options).length > 0 ? [optionTable(options)] : []),
    ...(examples.length > 0
      ? ["```bash", ...examples.flatMap(({ call, does }) => [`# ${does}`, call]), "```\n"]
      : []),
    ...notes.map((note) => `${note}\n`),
  ].join("\n");
}

function optionTable(options: Readonly<Record<string, Option>>): string {
  const rows = Object.entries(options).map(([name, option]) => {
    const call = optionCall(name, option).replaceAll("|", "\\|");
    return `| \`${call}\` | ${asText(option.summary)} |`;
  });
  return ["| option | |", "|---|---|", ...rows, ""].join("\n");
}

/** So that nothing in it is taken for a tag, for emphasis or for the end of a cell. */
function asText(text: string): string {
  return text.replaceAll(/[<*|]/g, "\\$&");
}

const intro = `# The command line

This page is generated from the commands by \`npm run docs:update\`; \`troupe <command> --help\` prints the same.

Commands that show a team or act on it work from any shell, whether the team is running or not. A command that acts sends a
signed message; the process that runs the team carries it out, now or when the team runs again. All commands find the team in
\`.team\` of the current directory, or in \`--team-dir\`. Everything after \`--\` is text. Results go to standard output, everything
else to standard error; control characters in the texts of members and files are made visible.
`;
