import { type Command, type CommandGroup, commandGroups, type Option } from "./command.ts";
import { callOf, usageOf } from "./parse-arguments.ts";
import { columns, wrapped } from "./render/columns.ts";

const groupTitles: Readonly<Record<CommandGroup, string>> = {
  talk: "Talk to the team",
  run: "Run without a screen",
  look: "Inspect the team, from any shell, running or not (most take --json)",
  act: "Act on the team, from any shell",
  "set up": "Set up",
};

const examples = [
  'troupe run "Fix the failing test" --permission-mode acceptEdits',
  "troupe log alice --follow",
  "troupe approvals && troupe approve 019b78",
];

/** The text of `troupe --help`. */
export function helpText(commands: readonly Command[]): string {
  const groups = commandGroups
    .map((group) => ({ group, members: commands.filter((command) => command.group === group) }))
    .filter(({ members }) => members.length > 0);
  const calls = commands.map(callOf).filter((call) => call.length <= longestCall);
  const left = Math.max(...calls.map((call) => call.length));
  return [
    "troupe runs a team of coding agents: a lead you talk to, and its teammates.",
    ...groups.flatMap(({ group, members }) => [
      "",
      groupTitles[group],
      ...members.flatMap((command) => columns(callOf(command), command.summary, left)),
    ]),
    "",
    "Examples",
    ...examples.map((call) => `  ${call}`),
    "",
    ...wrapped(
      "Run `troupe <command> --help` for the options of a command; `troupe` itself takes most of those of `troupe run`. Use --team-dir <directory> for a team that is not in ./.team.",
    ),
    ...wrapped("See docs/ in the package for more: cli.md, permissions.md, events.md, ci.md."),
  ].join("\n");
}

/** The text of `troupe <command> --help`. */
export function explain(command: Command): string {
  const options = Object.entries({ ...command.options, ...commonOptions });
  const calls = options.map(([name, option]) => optionCall(name, option));
  const left = Math.min(Math.max(...calls.map((call) => call.length)), longestCall);
  return [
    ...wrapped(`${command.summary}.`),
    "",
    usageOf(command),
    "",
    "Options",
    ...options.flatMap(([, { summary }], index) => columns(calls[index] ?? "", summary, left)),
    ...section(
      "Examples",
      (command.examples ?? []).flatMap(({ call, does }) => [
        `  ${call}`,
        ...wrapped(does, { indent: 6 }),
      ]),
    ),
    ...section(
      "Notes",
      (command.notes ?? []).flatMap((note) => wrapped(note, { indent: 2 })),
    ),
  ].join("\n");
}

const longestCall = 32;

/** The options of every command. */
export const commonOptions: Readonly<Record<string, Option>> = {
  debug: { summary: "print debug details and file locations" },
  help: { short: "h", summary: "print this help" },
};

/** How an option is written, as in `--lines <n>`. */
export function optionCall(name: string, { short, takes }: Option): string {
  return [...(short ? [`-${short},`] : []), `--${name}`, ...(takes ? [takes] : [])].join(" ");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length > 0 ? ["", title, ...lines] : [];
}
