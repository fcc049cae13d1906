import { z } from "zod";
import { Effort } from "../../protocol/effort.ts";
import { PermissionMode } from "../../protocol/message.ts";
import { roleText } from "../../protocol/role-text.ts";
import { SandboxMode } from "../../protocol/sandbox-mode.ts";
import type { MemberRecord, TeamRecord } from "../../protocol/team.ts";
import type { Tool } from "../tool.ts";
import { coordinationTool } from "./coordination-tool.ts";
import { FilledText, NoInput } from "./inputs.ts";
import { onOneLine } from "./on-one-line.ts";
import type { LeadAccess, TeamAccess } from "./team-access.ts";

const defaultWaitSeconds = 600;
const maxWaitSeconds = 86_400;

/** A worktree is another word for a checkout. */
const SpawnIsolation = z.enum(["shared", "checkout", "worktree"]);

/** Checked without JSON Schema, as `FilledText` is. */
const WaitSeconds = z
  .number()
  .refine(
    (seconds) => seconds > 0 && seconds <= maxWaitSeconds,
    `must be more than 0 and at most ${maxWaitSeconds}`,
  );

export const listTeammates = coordinationTool({
  name: "list_teammates",
  description: "Roles and status.",
  input: NoInput,
  answer: async (_, { colleagues }: { colleagues: TeamAccess }) =>
    describeRoster(await colleagues.roster()),
});

export function describeRoster({ team_name, members }: TeamRecord): string {
  if (members.length === 0) return "No teammates.";
  return [`Team: ${team_name}`, ...members.map(memberLine)].join("\n");
}

function memberLine({ name, role, agent, status, detail }: MemberRecord): string {
  const words = onOneLine(roleText({ role, agent }));
  return `  ${name} (${words}): ${status}${detail ? ` (${onOneLine(detail)})` : ""}`;
}

/** What can be asked of a teammate that has no role of a file. */
const PlainSpawn = z.object({
  name: FilledText,
  role: FilledText,
  prompt: FilledText,
  model: z.string().optional(),
  effort: Effort.describe("How much it thinks").optional(),
  tools: z.array(z.string()).optional(),
  permission_mode: PermissionMode.optional(),
  sandbox: SandboxMode.optional(),
  isolation: SpawnIsolation.optional().describe(
    "checkout: a git repository of its own, for work beside others",
  ),
  plan_required: z.boolean().describe("No changes before you approve its plan").optional(),
  cwd: z.string().optional(),
  fresh: z.boolean().describe("Forget its history").optional(),
});

const Spawn = PlainSpawn.extend({
  role: FilledText.optional(),
  agent: FilledText.describe("One of the available roles").optional(),
});

export const spawnToolName = "spawn_teammate";

const spawn = {
  name: spawnToolName,
  description:
    "Start a teammate, or give an idle or ended one new work. It knows only its prompt. Its final text comes to you as mail.",
  // Role files may come later than the tool, which does not change while the lead lives.
  input: Spawn,
  isIndependent: true,
  async answer(
    {
      permission_mode: mode,
      plan_required: planRequired,
      isolation: asked,
      ...request
    }: z.infer<typeof Spawn>,
    { leadership }: { leadership: LeadAccess },
  ) {
    const isolation = asked === "worktree" ? "checkout" : asked;
    const asks = { ...request, mode, planRequired, isolation };
    const { name, role, notes = [] } = await leadership.spawn(asks);
    return [`Spawned '${name}' (role: ${role})`, ...notes].join("\n");
  },
};

const spawnByRole = coordinationTool(spawn);
/** Says nothing of roles where there are none: every byte is sent with every request. */
const spawnWithout = coordinationTool({ ...spawn, told: PlainSpawn });

export function spawnTeammate(access: { leadership: LeadAccess }): Tool {
  return access.leadership.hasRoles ? spawnByRole(access) : spawnWithout(access);
}

export const waitForTeammates = coordinationTool({
  name: "wait_for_teammates",
  description: `Wait for teammates to finish, instead of asking or polling. Their results come as mail with the answer. Ends early when you are needed, or after timeout_s (${defaultWaitSeconds}).`,
  input: z.object({
    names: z.array(FilledText).optional(),
    mode: z.enum(["all", "any"]).optional(),
    timeout_s: WaitSeconds.optional(),
  }),
  answer({ names, mode = "all", ...input }, { leadership }: { leadership: LeadAccess }, context) {
    const { timeout_s: seconds = defaultWaitSeconds } = input;
    // A model that names nobody means everybody.
    const waitedFor = names?.length === 0 ? undefined : names;
    const request = { names: waitedFor, mode, timeoutMs: seconds * 1000 };
    return leadership.waitForTeammates(request, context.signal);
  },
});
