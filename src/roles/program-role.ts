import { z } from "zod";
import { Isolation } from "../protocol/checkout.ts";
import { Effort } from "../protocol/effort.ts";
import { HookConfiguration } from "../protocol/hook-configuration.ts";
import { PermissionMode } from "../protocol/message.ts";
import { SandboxMode } from "../protocol/sandbox-mode.ts";
import { SandboxNetwork } from "../protocol/sandbox-network.ts";
import { MemberServers } from "../protocol/team.ts";
import type { RoleDefinition } from "./role.ts";
import { RoleDescription, RoleName } from "./role-name.ts";

const names = z.array(z.string().min(1)).optional();

/** A function, because only a program that gives roles needs the schemas. */
const fields = () =>
  ({
    name: RoleName,
    description: RoleDescription,
    prompt: z.string(),
    ...{ tools: names, disallowedTools: names, askedTools: names, skills: names },
    model: z.string().min(1).optional(),
    permissionMode: z.enum([...PermissionMode.options, "dontAsk"]).optional(),
    effort: Effort.optional(),
    maxTurns: z.int().positive().optional(),
    maxCost: z.number().positive().optional(),
    color: z.string().optional(),
    isolation: Isolation.optional(),
    sandbox: SandboxMode.optional(),
    network: SandboxNetwork.optional(),
    planRequired: z.boolean().optional(),
    initialPrompt: z.string().min(1).optional(),
    hooks: HookConfiguration.optional(),
    mcpServers: MemberServers.optional(),
  }) satisfies Readonly<Record<keyof RoleDefinition, z.ZodType>>;

/** A role as a program gives it. */
export const programRole = z.strictObject(fields());
