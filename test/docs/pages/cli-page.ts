import type { Command, CommandGroup, Option } from "../../../src/cli/command.ts";
import { commandGroups } from "../../../src/cli/command.ts";
import { commonOptions, optionCall } from "../../../src/cli/help.ts";
import { usageOf } from "../../../src/cli/parse-arguments.ts";
import { exitCodeTable } from "./exit-codes.ts";

const titles: Readonly<Record<CommandGroup, string>> = {
  talk: "Talk",
  run: "Run",
  look: "Look",
  act: "Act",
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

\`troupe <command> --help\` says the same as this page, which is made from the commands themselves by \`npm run docs:update\`.

Commands that look or act work from any shell, while the team runs in another process or not. A command that acts leaves a
signed message; the process that runs the team carries it out, and where nobody runs it, it is carried out when the team
runs again. All commands find the team in \`.team\` of the current directory, or where \`--team-dir\` says. What follows \`--\` is
text, whatever it looks like. Results are on standard output, everything else is on standard error; control characters in
what members and files say are shown, never obeyed.
`;
