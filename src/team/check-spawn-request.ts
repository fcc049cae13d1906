import { z } from "zod";
import { TeamError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import { parseValue } from "../lib/parse-value.ts";
import { Isolation } from "../protocol/checkout.ts";
import { Effort } from "../protocol/effort.ts";
import { PermissionMode } from "../protocol/message.ts";
import { SandboxMode } from "../protocol/sandbox-mode.ts";
import type { SpawnRequest } from "../tools/team/team-access.ts";

const text = z.string().optional();
const flag = z.boolean().optional();

const Request = z.strictObject({
  name: z.string(),
  role: text,
  agent: text,
  prompt: z.string(),
  model: text,
  effort: Effort.optional(),
  tools: z.array(z.string()).optional(),
  instructions: text,
  mode: PermissionMode.optional(),
  sandbox: SandboxMode.optional(),
  isolation: Isolation.optional(),
  planRequired: flag,
  root: text,
  cwd: text,
  fresh: flag,
} satisfies Readonly<Record<keyof SpawnRequest, z.ZodType>>);

/**
 * Throws `spawn-refused` for a request of a program that has an unknown or a wrong field: a mistyped
 * `planRequired` must not be a teammate without a plan.
 */
export function checkSpawnRequest(request: SpawnRequest): void {
  const { error } = parseValue(Request, request);
  const [issue] = error?.issues ?? [];
  if (!issue) {
    requireRole(request);
    return;
  }
  if (issue.code === "unrecognized_keys") throw unknownField(issue.keys[0] ?? "");
  if (issue.path.length === 0) {
    const hint = "Write spawn({ name, role, prompt }).";
    throw new TeamError("spawn-refused", "A spawn must be an object", { hint });
  }
  throw new TeamError("spawn-refused", `The field ${issue.path.join(".")} of a spawn is wrong`, {
    hint: `${issue.message}.`,
  });
}

function requireRole({ role, agent }: SpawnRequest): void {
  if (role !== undefined || agent !== undefined) return;
  throw new TeamError("spawn-refused", "A spawn needs a role", {
    hint: "Say in a word or two what it does (role), or name one of the roles (agent).",
  });
}

function unknownField(name: string): TeamError {
  const names = Object.keys(Request.shape);
  const known = nearest(name, names);
  return new TeamError("spawn-refused", `A spawn has no field ${JSON.stringify(name)}`, {
    hint: known ? `Did you mean ${known}?` : `The fields are ${names.join(", ")}.`,
  });
}
