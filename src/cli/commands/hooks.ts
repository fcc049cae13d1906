import { resolve } from "node:path";
import { TeamError } from "../../errors.ts";
import type { HookConfiguration, StatedHooks } from "../../protocol/hook-configuration.ts";
import type { MemberRecord } from "../../protocol/team.ts";
import { type Command, type Io, teamDirOption } from "../command.ts";
import { jsonText } from "../render/json-text.ts";
import { oneLine } from "../render/one-line.ts";
import { readConfiguration } from "../settings/configuration.ts";

export const hooks: Command = {
  name: "hooks",
  group: "look",
  summary: "List the hooks that are configured, where, and whether they are in force",
  parameters: [],
  options: {
    cwd: { takes: "<directory>", summary: "the workspace (default: the current directory)" },
    "team-dir": teamDirOption,
    json: { summary: "print JSON" },
  },
  examples: [
    { call: "troupe hooks", does: "your own, those of the repository, and those of roles" },
  ],
  notes: [
    "Hooks are commands that run at events of a team; docs/hooks.md describes them. Those of troupe.json are in force once you trust the file.",
  ],

  async run({ values, json, teamDir }, io) {
    const workspace = resolve(io.processInfo.cwd, String(values.cwd ?? "."));
    const listed = [...(await ofFiles(workspace, io)), ...(await ofRoles(io, teamDir))];
    if (json) io.out(jsonText({ hooks: listed }, 2));
    else if (listed.length === 0) io.out("No hooks are configured.");
    else for (const line of asLines(listed)) io.out(line);
    return 0;
  },
};

/** One hook, or one part of a file's hooks that has no effect. */
interface ListedHook {
  readonly origin: string;
  /** The member that alone has it; null for a hook of all. */
  readonly member: string | null;
  /** Null for a part that is no hook of Troupe's. */
  readonly event: string | null;
  readonly matcher: string | null;
  readonly command: string | null;
  readonly timeout: number | null;
  readonly required: boolean;
  readonly in_force: boolean;
  /** Why not. */
  readonly reason: string | null;
}

async function ofFiles(workspace: string, { processInfo }: Io): Promise<ListedHook[]> {
  const { userFile, workspaceFile, answer } = await readConfiguration(workspace, processInfo);
  const isTrusted = answer === "trusted";
  return [
    ...listOf(userFile?.stated.hooks, { origin: userFile?.path }),
    ...listOf(workspaceFile?.stated.hooks, {
      origin: workspaceFile?.path,
      problem: isTrusted ? undefined : "the file is not trusted: `troupe trust`",
    }),
  ];
}

/** The hooks that living members have from their roles, if there is a team. */
async function ofRoles(io: Io, teamDir: string | undefined): Promise<ListedHook[]> {
  const view = await io.viewTeam(teamDir, () => undefined);
  try {
    const { members } = await view.team();
    return members.filter(({ status }) => status !== "shutdown").flatMap(ofRole);
  } catch (error) {
    if (error instanceof TeamError && error.code === "team-missing") return [];
    throw error;
  }
}

function ofRole({ name, hooks: own = {}, agent, role }: MemberRecord): ListedHook[] {
  const origin = agent?.path ?? `the role ${agent?.name ?? role}`;
  return listOf({ hooks: own, ignored: [] }, { origin, member: name });
}

interface HookOrigin {
  readonly origin: string | undefined;
  readonly member?: string;
  /** Why none of them is in force. */
  readonly problem?: string | undefined;
}

function listOf(stated: StatedHooks | undefined, source: HookOrigin): ListedHook[] {
  const { origin = "", member = null, problem } = source;
  const none = { event: null, matcher: null, command: null, timeout: null, required: false };
  const ignored = (stated?.ignored ?? []).map(({ path, reason }) => ({
    ...{ origin, member, ...none, in_force: false, reason: `${path} ${reason}` },
  }));
  const entries = groupsOf(stated?.hooks ?? {}).map((hook) => ({
    ...{ origin, member, ...hook, in_force: problem === undefined, reason: problem ?? null },
  }));
  return [...entries, ...ignored];
}

function groupsOf(configuration: HookConfiguration) {
  return Object.entries(configuration).flatMap(([event, groups]) =>
    groups.flatMap(({ matcher = null, hooks: commands }) =>
      commands.map(({ command, timeout = 60, required = false }) => ({
        ...{ event, matcher, command, timeout, required },
      })),
    ),
  );
}

function asLines(listed: readonly ListedHook[]): string[] {
  let last: string | undefined;
  return listed.flatMap((hook) => {
    const { origin, member } = hook;
    const heading = member === null ? origin : `${origin}, for ${member} alone`;
    const isNew = heading !== last;
    last = heading;
    return [...(isNew ? [oneLine(heading)] : []), `  ${oneLine(lineOf(hook))}`];
  });
}

function lineOf({ event, matcher, command, timeout, required, in_force, reason }: ListedHook) {
  const why = in_force ? "" : `not in force: ${reason}`;
  if (event === null) return why;
  const about = matcher ? ` (${matcher})` : "";
  const terms = [`${timeout} s`, ...(required ? ["required"] : []), ...(why ? [why] : [])];
  return `${event}${about}: ${command}  [${terms.join(", ")}]`;
}
