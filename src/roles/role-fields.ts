import { z } from "zod";
import { Isolation } from "../protocol/checkout.ts";
import { Effort } from "../protocol/effort.ts";
import { readHooks } from "../protocol/hook-configuration.ts";
import { readMcpServers } from "../protocol/mcp-servers.ts";
import { PermissionMode } from "../protocol/message.ts";
import { SandboxMode } from "../protocol/sandbox-mode.ts";
import { SandboxNetwork, sandboxNetworkWords } from "../protocol/sandbox-network.ts";
import type { MemberServers } from "../protocol/team.ts";
import type { FieldNote, RoleDefinition } from "./role.ts";
import { colorWords, memberColor } from "./role-colors.ts";
import { toolList } from "./tool-list.ts";

/** What a field says: a part of the role, or why it cannot be that. */
type FieldReading =
  | { readonly part: Partial<RoleDefinition>; readonly ignored?: readonly FieldNote[] }
  | { readonly problem: string };

type FieldReader = (value: unknown) => FieldReading;

/** The fields of a role file by their names, and how each is read. `name` and `description` come first. */
export const fieldReaders: ReadonlyMap<string, FieldReader> = new Map([
  ["tools", ofTools],
  ["disallowedTools", listOf("disallowedTools")],
  ["disallowed-tools", listOf("disallowedTools")],
  ["permission", ofPermission],
  ["model", simple("model", z.string().trim().min(1), 'be "inherit", an id, or an alias')],
  [
    "permissionMode",
    simple(
      "permissionMode",
      z.enum([...PermissionMode.options, "dontAsk"]),
      `be one of ${PermissionMode.options.join(", ")}, dontAsk`,
    ),
  ],
  ["effort", simple("effort", Effort, `be one of ${Effort.options.join(", ")}`)],
  ...["maxTurns", "maxSteps", "steps"].map((name): [string, FieldReader] => [
    name,
    simple("maxTurns", z.int().positive(), "be a whole number, 1 or more"),
  ]),
  ["max-cost", simple("maxCost", z.number().positive(), "be a number of dollars above 0")],
  ["color", ofColor],
  [
    "isolation",
    simple(
      "isolation",
      z
        .enum([...Isolation.options, "worktree"])
        .transform((asked): Isolation => (asked === "worktree" ? "checkout" : asked)),
      "be shared, checkout or worktree",
    ),
  ],
  ["sandbox", simple("sandbox", SandboxMode, `be one of ${SandboxMode.options.join(", ")}`)],
  ["network", ofNetwork],
  ["plan_required", simple("planRequired", z.boolean(), "be true or false")],
  ["initialPrompt", simple("initialPrompt", z.string().trim().min(1), "be a text")],
  ["skills", ofSkills],
  ["hooks", ofHooks],
  ["mcpServers", ofServers],
]);

/** Fields that other programs know, and that have no effect here; nothing is less strict without them. */
export const ignoredFields: ReadonlyMap<string, string> = new Map([
  ["memory", "is not supported: the role has no notes of its own"],
  ["background", "has no effect: every teammate works beside its lead"],
  ["mode", "has no effect: every role can be a teammate's or, by --agent, the lead's"],
  ["temperature", "is not supported: the model works as it does by itself"],
  ["top_p", "is not supported: the model works as it does by itself"],
  ["hidden", "has no effect: every role is listed"],
  ...[
    ...["version", "author", "tags", "category", "license", "metadata", "title", "displayName"],
    ...["icon", "emoji", "vibe", "created", "updated", "source"],
  ].map((name): [string, string] => [name, "has no effect: it only describes the role"]),
]);

export const fieldNames = ["name", "description", ...fieldReaders.keys()];

function simple<Name extends keyof RoleDefinition>(
  name: Name,
  schema: z.ZodType<NonNullable<RoleDefinition[Name]>>,
  must: string,
): FieldReader {
  return (value) => {
    const { data, success } = schema.safeParse(value);
    return success ? { part: { [name]: data } } : { problem: `must ${must}` };
  };
}

const listMust = "must be a list of tools, or a text with commas between them";

function listOf(name: "tools" | "disallowedTools"): FieldReader {
  return (value) => {
    const list = toolList(value);
    return list ? { part: { [name]: list } } : { problem: listMust };
  };
}

/** A list; or, as opencode has it, each tool with whether it is there. */
function ofTools(value: unknown): FieldReading {
  const choices = z.record(z.string(), z.boolean()).safeParse(value);
  if (!choices.success) return listOf("tools")(value);
  const without = (list: boolean) =>
    Object.entries(choices.data).flatMap(([tool, isThere]) => (isThere === list ? [tool] : []));
  const isNarrow = choices.data["*"] === false;
  const denied = without(false).filter((tool) => tool !== "*");
  return { part: isNarrow ? { tools: without(true) } : { disallowedTools: denied } };
}

/** As opencode has it: each tool, or a pattern of its calls, with what is decided about it. */
const Decision = z.enum(["allow", "ask", "deny"]);
const Permission = z.record(z.string(), z.union([Decision, z.record(z.string(), Decision)]));

/** `edit` stands for everything that changes files. */
const permissionTools: Readonly<Record<string, string>> = { bash: "Bash", edit: "Edit" };

function ofPermission(value: unknown): FieldReading {
  const { data, success } = Permission.safeParse(value);
  if (!success) return { problem: "must have allow, ask or deny for each tool" };
  const lists = { deny: [] as string[], ask: [] as string[] };
  let allows = false;
  for (const [name, decided] of Object.entries(data)) {
    const tool = permissionTools[name] ?? name;
    const decisions = typeof decided === "string" ? { "*": decided } : decided;
    for (const [pattern, decision] of Object.entries(decisions)) {
      if (decision === "allow") allows = true;
      else if (pattern === "*") lists[decision].push(tool);
      else if (tool !== "Bash") return { problem: `can have a pattern only for bash, not ${name}` };
      else lists[decision].push(`Bash(${pattern.replace(/ \*$|\*$/, ":*")})`);
    }
    // What comes later in a list of patterns counts there; here, the strictest does.
    if (decisions["*"] !== "allow" && Object.values(decisions).includes("allow")) {
      return {
        problem: `allows exceptions of what it denies or asks for ${name}, which no rule can`,
      };
    }
  }
  const note = { field: "permission", text: "allows nothing here: the lead's mode and rules do" };
  return {
    part: { disallowedTools: lists.deny, askedTools: lists.ask },
    ignored: allows ? [note] : [],
  };
}

function ofColor(value: unknown): FieldReading {
  const color = typeof value === "string" ? memberColor(value) : undefined;
  return color ? { part: { color } } : { problem: `must be one of ${colorWords}` };
}

function ofNetwork(value: unknown): FieldReading {
  const asked =
    typeof value === "string" && !/^(off|open)$/.test(value) ? splitWords(value) : value;
  const { data, success } = SandboxNetwork.safeParse(asked);
  return success ? { part: { network: data } } : { problem: `must be ${sandboxNetworkWords}` };
}

function splitWords(text: string): string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

function ofSkills(value: unknown): FieldReading {
  const listed = typeof value === "string" ? splitWords(value) : value;
  const { data, success } = z.array(z.string().min(1).max(64)).max(100).safeParse(listed);
  return success ? { part: { skills: data } } : { problem: "must be a list of names of skills" };
}

function ofHooks(value: unknown): FieldReading {
  const read = readHooks(value);
  if ("problem" in read) {
    return { problem: `${read.path === "" ? "" : `has ${read.path}, which `}${read.problem}` };
  }
  const ignored = read.ignored.map(({ path, reason }) => ({
    field: `hooks.${path}`,
    text: reason,
  }));
  return { part: { hooks: read.hooks }, ignored };
}

/** A list of names and of servers by name, or an object of servers by name. */
function ofServers(value: unknown): FieldReading {
  const entries = z
    .union([
      z.array(z.union([z.string().min(1), z.record(z.string(), z.unknown())])).max(100),
      z.record(z.string(), z.unknown()),
    ])
    .safeParse(value);
  if (!entries.success)
    return { problem: "must be a list of names of servers, or of servers by name" };
  const items = Array.isArray(entries.data) ? entries.data : [entries.data];
  const names = items.filter((item) => typeof item === "string");
  const own: MemberServers["own"] = {};
  const ignored: FieldNote[] = [];
  for (const item of items) {
    if (typeof item === "string") continue;
    const { servers, errors, notes } = readMcpServers(item);
    if (errors[0] !== undefined) return { problem: `is wrong: ${errors[0]}` };
    Object.assign(own, servers);
    ignored.push(...notes.map((text) => ({ field: "mcpServers", text })));
  }
  return { part: { mcpServers: { names, own } }, ignored };
}
