import { resolve } from "node:path";
import { z } from "zod";
import { TeamError } from "../../errors.ts";
import type { Command } from "../command.ts";
import type { NotInForce, Proposal, Survey } from "../init/finding.ts";
import { surveyOf } from "../init/survey.ts";
import { writeSettings } from "../init/written-settings.ts";
import { parseOptions } from "../parse-arguments.ts";
import { jsonText } from "../render/json-text.ts";
import { oneLine } from "../render/one-line.ts";

const Flags = z.object({
  write: z.boolean().default(false),
  force: z.boolean().default(false),
  cwd: z.string().default("."),
});

export const init: Command = {
  name: "init",
  group: "set up",
  summary: "Show what is here for coding agents, what of it is in force, and write a troupe.json",
  parameters: [],
  options: {
    write: { summary: "write what was found into troupe.json" },
    force: { summary: "add to an existing troupe.json; what is in it stays" },
    cwd: { takes: "<directory>", summary: "the workspace (default: the current directory)" },
    json: { summary: "print JSON" },
  },
  examples: [
    { call: "troupe init", does: "look first, change nothing" },
    { call: "troupe init --write", does: "translate rules and hooks of Claude Code" },
  ],
  notes: [
    "A rule that allows is translated only where it means the same in Troupe, or less. A rule that denies or asks, and cannot be translated, is printed as a warning.",
    "Nothing that is found is run. Settings that are yours alone (.claude/settings.local.json, ~/.claude/settings.json) are never written into troupe.json, which is for everybody.",
  ],

  async run({ values, json }, io) {
    const { write, force, cwd } = parseOptions(Flags, values, init);
    const workspace = resolve(io.processInfo.cwd, cwd);
    const survey = await surveyOf({ workspace, processInfo: io.processInfo });
    const isNeeded = write && survey.proposed.some(({ present }) => !present);
    if (write) requireWhole(survey);
    const written = isNeeded ? await writeSettings(workspace, survey, { adds: force }) : null;
    if (json) io.out(jsonText({ ...survey, written }, 2));
    else for (const line of asLines(survey, { write, written })) io.out(line);
    return 0;
  },
};

/** A file that was not understood may have had rules that deny. */
function requireWhole({ not_in_force: left }: Survey): void {
  const unread = left.find(({ broken }) => broken);
  if (!unread) return;
  throw new TeamError("config-invalid", `Nothing was written: ${oneLine(unread.reason)}`, {
    hint: "Rules that deny could be in there. `troupe init` shows everything.",
  });
}

function asLines(
  { in_force: found, not_in_force: left, proposed }: Survey,
  { write, written }: { write: boolean; written: string | null },
): string[] {
  const missing = proposed.filter(({ present }) => !present);
  const title = written ? "Put into troupe.json:" : "`troupe init --write` puts into troupe.json:";
  return [
    ...section(
      "Found and in force:",
      found.map(({ what, path }) => `${path}: ${what}`),
    ),
    ...section("Found and not in force:", left.toSorted(byWarning).map(leftLine)),
    ...section(title, missing.map(proposalLine)),
    ...ending({ missing, write, written }),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return [title, ...lines.map((line) => `  ${oneLine(line)}`), ""];
}

function byWarning(one: NotInForce, other: NotInForce): number {
  return Number(other.warning) - Number(one.warning);
}

function leftLine({ what, path, reason, warning }: NotInForce): string {
  const place = path === null ? "" : `${path}: `;
  return `${warning ? "WARNING: " : ""}${place}${what}: ${reason}`;
}

function proposalLine({ setting, value, from, path }: Proposal): string {
  const what = setting === "hooks" ? Object.keys(Object(value)).join(", ") : String(value);
  return `${setting}: ${what}  (${from} in ${path})`;
}

interface Outcome {
  missing: readonly Proposal[];
  write: boolean;
  written: string | null;
}

function ending({ missing, write, written }: Outcome): string[] {
  if (written === null) {
    return missing.length > 0 && !write ? [] : ["There is nothing to put into troupe.json."];
  }
  const isLooser = missing.some(({ setting }) => setting !== "deny" && setting !== "ask");
  return [
    oneLine(`Wrote ${written}.`),
    ...(isLooser
      ? ["What allows more than your own settings needs your consent: `troupe trust --show`."]
      : []),
  ];
}
