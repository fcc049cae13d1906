import type { Isolation } from "../protocol/checkout.ts";
import type { Effort } from "../protocol/effort.ts";
import type { HookConfiguration } from "../protocol/hook-configuration.ts";
import type { PermissionMode } from "../protocol/message.ts";
import type { SandboxMode } from "../protocol/sandbox-mode.ts";
import type { SandboxNetwork } from "../protocol/sandbox-network.ts";
import type { MemberServers } from "../protocol/team.ts";

/** A role: how a member that has it works. What is left out is as it is without a role. */
export interface RoleDefinition {
  /** By which a spawn asks for it. */
  name: string;
  /** When to use it, for the lead. */
  description: string;
  /** Added to the member's system prompt, behind all that troupe says. */
  prompt: string;
  /** The tools that it has, by Troupe's names or by Claude Code's: `Read`, `Bash(git:*)`. Those for mail and tasks it has anyway. */
  tools?: readonly string[] | undefined;
  /** The tools that it does not have. With a pattern, as in `Bash(git push:*)`, the calls that are denied. */
  disallowedTools?: readonly string[] | undefined;
  /** Tools whose calls are asked. */
  askedTools?: readonly string[] | undefined;
  /** `inherit`, an id such as `anthropic/claude-…`, or an alias such as `opus`. */
  model?: string | undefined;
  /** Never wider than the lead's. `dontAsk` denies what would be asked. */
  permissionMode?: PermissionMode | "dontAsk" | undefined;
  /** How much it thinks. */
  effort?: Effort | undefined;
  /** The most turns of one run. */
  maxTurns?: number | undefined;
  /** What it may spend, in dollars. */
  maxCost?: number | undefined;
  /** The color in which it is shown. */
  color?: string | undefined;
  /** Whether it works in the lead's directory, or in a checkout. */
  isolation?: Isolation | undefined;
  /** Whether its commands run in a sandbox: never weaker than the lead's. */
  sandbox?: SandboxMode | undefined;
  /** What its commands in a sandbox reach. */
  network?: SandboxNetwork | undefined;
  /** Whether it may change nothing before its plan is approved. */
  planRequired?: boolean | undefined;
  /** Comes before the first prompt. */
  initialPrompt?: string | undefined;
  /** The skills that are given to it whole. */
  skills?: readonly string[] | undefined;
  /** Its hooks, beside those of the team. */
  hooks?: HookConfiguration | undefined;
  /** The MCP servers that it has. */
  mcpServers?: MemberServers | undefined;
}

/** Something about a field of a role, for people and for the lead. */
export interface FieldNote {
  /** As the file calls it. */
  readonly field: string;
  /** A sentence's end that follows the field's name: "is not known". */
  readonly text: string;
}

/** A role that was found, whether it can be used or not. */
export interface FoundRole {
  /** What it says, as far as that can be read. */
  readonly role: RoleDefinition;
  /** The absolute path of its file; undefined for a role of a program. */
  readonly path?: string | undefined;
  /** Of the bytes of its file. */
  readonly sha256: string;
  /** Why it cannot be used: fields that are unknown or wrong. */
  readonly problems: readonly FieldNote[];
  /** Fields that are known and have no effect here. */
  readonly ignored: readonly FieldNote[];
  /** Fields that count only with the person's consent, which is missing. */
  readonly withheld: readonly string[];
}

/** A file that is no role, although it is where roles are. */
export interface BrokenRole {
  /** Where it is. */
  readonly path: string;
  /** Why it is no role. */
  readonly problem: string;
}

/** A role whose name an earlier one has. */
export interface HiddenRole {
  /** The name that both have. */
  readonly name: string;
  /** Where this one is. */
  readonly path: string;
  /** Where the one is that counts. */
  readonly by: string;
}

/** What was found where roles are. */
export interface FoundRoles<Role extends FoundRole = FoundRole> {
  /** Each name once, in the order in which they were found. */
  readonly roles: readonly Role[];
  /** Files that are none. */
  readonly broken: readonly BrokenRole[];
  /** Roles that do not count, because an earlier one has their name. */
  readonly hidden: readonly HiddenRole[];
}

/** Where roles come from. */
export interface RoleSource {
  /** Looks at them as they are now. */
  find(): Promise<FoundRoles>;
}
