import { realpath } from "node:fs/promises";
import { z } from "zod";
import { TeamError } from "../../errors.ts";
import { contains } from "../../lib/contains.ts";
import { duplicateKey } from "../../lib/duplicate-keys.ts";
import { describeIssue } from "../../lib/json.ts";
import { orNothing } from "../../lib/or-nothing.ts";
import { readHooks, type StatedHooks } from "../../protocol/hook-configuration.ts";
import { readObjectFile } from "../settings/settings-file.ts";

const rules = z.array(z.string()).default([]);

const Permissions = z.looseObject({
  allow: rules,
  ask: rules,
  deny: rules,
  defaultMode: z.string().optional(),
});

/** A settings file of Claude Code, as far as Troupe has something like it. */
export interface ClaudeSettings {
  readonly permissions: Readonly<Record<"allow" | "ask" | "deny", readonly string[]>>;
  readonly mode: string | undefined;
  readonly hooks: StatedHooks | undefined;
  /** The other fields that it has. */
  readonly others: readonly string[];
}

/**
 * Reads such a file; undefined if there is none. Throws `config-invalid` for one that cannot be read as a whole, since
 * half of its rules could permit more than all of them. One that is a link leads nowhere outside of `within`.
 */
export async function readClaudeSettings(
  path: string,
  within: string | undefined,
): Promise<ClaudeSettings | undefined> {
  const real = await orNothing(realpath(path), undefined);
  if (real === undefined) return undefined;
  if (within !== undefined && !contains(within, real)) {
    throw new TeamError("config-invalid", `${path} leads out of the workspace`, {
      hint: "Put the file itself there.",
    });
  }
  const file = await readObjectFile(path);
  if (!file) return undefined;
  const twice = duplicateKey(file.text);
  if (twice !== undefined) {
    throw new TeamError("config-invalid", `${path} has the key ${JSON.stringify(twice)} twice`, {
      hint: "Only the last one counts. Make one of them.",
    });
  }
  return parsed(Object.entries(file.value), path);
}

function parsed(entries: readonly [string, unknown][], path: string): ClaudeSettings {
  const field = (name: string) => entries.find(([key]) => key === name)?.[1];
  const { success, data, error } = Permissions.safeParse(field("permissions") ?? {});
  if (!success) throw wrong(path, `"permissions" is wrong, ${describeIssue(error)}`);
  const { allow, ask, deny, defaultMode, ...permissions } = data;
  const stated = field("hooks");
  const hooks = stated === undefined ? undefined : readHooks(stated);
  if (hooks && "problem" in hooks) throw wrong(path, `"hooks" ${hooks.path} ${hooks.problem}`);
  const read = ["permissions", "hooks", "$schema"];
  const others = [
    ...entries.map(([key]) => key).filter((key) => !read.includes(key)),
    ...Object.keys(permissions).map((key) => `permissions.${key}`),
  ];
  return { permissions: { allow, ask, deny }, mode: defaultMode, hooks, others };
}

function wrong(path: string, problem: string): TeamError {
  return new TeamError("config-invalid", `${path}: ${problem}`, { hint: "Correct it." });
}
