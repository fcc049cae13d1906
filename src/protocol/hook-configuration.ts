import { z } from "zod";

/** When hooks run. Named as Claude Code and Codex name them; `LandingReady` and `Quiet` are Troupe's own. */
export type HookEvent =
  | "SessionStart"
  | "SessionEnd"
  | "UserPromptSubmit"
  | "PreToolUse"
  | "PostToolUse"
  | "PermissionRequest"
  | "Notification"
  | "SubagentStart"
  | "SubagentStop"
  | "Stop"
  | "TeammateIdle"
  | "TaskCreated"
  | "TaskCompleted"
  | "PreCompact"
  | "WorktreeCreate"
  | "WorktreeRemove"
  | "LandingReady"
  | "Quiet";
export const HookEvent = z.enum([
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "PermissionRequest",
  "Notification",
  "SubagentStart",
  "SubagentStop",
  "Stop",
  "TeammateIdle",
  "TaskCreated",
  "TaskCompleted",
  "PreCompact",
  "WorktreeCreate",
  "WorktreeRemove",
  "LandingReady",
  "Quiet",
]) satisfies z.ZodType<HookEvent>;

/** What the `matcher` of an event is compared with; an event that is not here has nothing to compare, and its hooks always run. */
const matchedBy: Readonly<Partial<Record<HookEvent, string>>> = {
  PreToolUse: "the name of the tool",
  PostToolUse: "the name of the tool",
  PermissionRequest: "the name of the tool",
  Notification: "the type of the notification",
  SubagentStart: "the role of the teammate",
  SubagentStop: "the role of the teammate",
  SessionStart: "startup or resume",
  SessionEnd: "the reason of the end",
  PreCompact: "manual or auto",
};

/** A command that runs at an event, with what happened as JSON on its input. */
export interface CommandHook {
  /** The only kind of hook that Troupe runs. */
  type: "command";
  /** A command for bash. */
  command: string;
  /** Seconds after which it is ended (default: 60). */
  timeout?: number | undefined;
  /** Whether what it guards is denied if it fails or takes too long (default: false). */
  required?: boolean | undefined;
}

const longestTimeout = 3_600;

const CommandHook = z.object({
  type: z.literal("command"),
  command: z
    .string({ error: "must be a text with a command" })
    .min(1, { error: "must not be empty" })
    .refine((text) => !text.includes("\0"), { error: "must not contain a zero byte" }),
  timeout: z
    .number({ error: `must be a number of seconds above 0, up to ${longestTimeout}` })
    .positive({ error: `must be a number of seconds above 0, up to ${longestTimeout}` })
    .max(longestTimeout, {
      error: `must be a number of seconds above 0, up to ${longestTimeout}`,
    })
    .optional(),
  required: z.boolean({ error: "must be true or false" }).optional(),
}) satisfies z.ZodType<CommandHook>;

/** Hooks of one event with what they are for. */
export interface HookGroup {
  /** Which calls, roles or reasons they run for, see `matchedBy` (default: all): `*`, names such as `Edit|Write`, or a regular expression. */
  matcher?: string | undefined;
  /** The commands. They run side by side. */
  hooks: CommandHook[];
}
const HookGroup = z.object({
  matcher: z.string({ error: "must be a text" }).optional(),
  hooks: z.array(CommandHook, { error: "must be a list of hooks" }),
}) satisfies z.ZodType<HookGroup>;

/** Hooks by event, as far as they are in force. */
export type HookConfiguration = Partial<Record<HookEvent, HookGroup[]>>;
export const HookConfiguration = z.partialRecord(
  HookEvent,
  z.array(HookGroup, { error: "must be a list" }),
) satisfies z.ZodType<HookConfiguration>;

/** A part of a file's hooks that has no effect. */
export interface IgnoredHook {
  /** Where it is, such as `PreToolUse[0].hooks[1].async`. */
  path: string;
  /** Why it has no effect, as the end of a sentence that begins with the path. */
  reason: string;
}

/** The hooks of a file: what is in force, and what is not. */
export interface StatedHooks {
  /** What is in force. */
  hooks: HookConfiguration;
  /** What has no effect. */
  ignored: readonly IgnoredHook[];
}

/** Something in a file that cannot be meant so. */
export interface HookProblem {
  /** Where it is, such as `PreToolUse[0].hooks[1].timeout`; empty for the whole. */
  path: string;
  /** What is wrong, as the end of a sentence that begins with the path. */
  problem: string;
}

/** What is wrong with a value, as the end of a sentence that begins with what the value is of. */
export function describeProblem({ path, problem }: HookProblem): string {
  return path === "" ? problem : `${path} ${problem}`;
}

/**
 * Reads the value of a `hooks` field. What Troupe does not know, or cannot do, is left out and named in
 * `ignored`; what is malformed makes a `HookProblem` of the whole.
 */
export function readHooks(value: unknown): StatedHooks | HookProblem {
  // Not by a schema: schemas silently drop keys such as `__proto__`.
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const problem = "must be an object with a list of hooks under the name of each event";
    return { path: "", problem };
  }
  const ignored: IgnoredHook[] = [];
  const hooks: HookConfiguration = {};
  for (const [name, stated] of Object.entries(value)) {
    const event = HookEvent.safeParse(name);
    if (!event.success) {
      ignored.push({ path: name, reason: "is not an event of Troupe" });
      continue;
    }
    const groups = readGroups(event.data, stated, ignored);
    if ("problem" in groups) return groups;
    if (groups.length > 0) hooks[event.data] = groups;
  }
  return { hooks, ignored };
}

const Groups = z.array(
  z.looseObject(
    {
      matcher: z
        .string({ error: "must be a text" })
        .refine(isMatcher, { error: "is not a regular expression" })
        .optional(),
      hooks: z.array(
        z.looseObject(
          { type: z.string({ error: 'must be "command"' }) },
          { error: 'must be an object such as { "type": "command", "command": "npm test" }' },
        ),
        { error: "must be a list of hooks" },
      ),
    },
    { error: 'must be an object such as { "matcher": "Bash", "hooks": [ … ] }' },
  ),
  { error: 'must be a list such as [ { "matcher": "Bash", "hooks": [ … ] } ]' },
);

type StatedEntry = z.infer<typeof Groups>[number]["hooks"][number];

function readGroups(
  event: HookEvent,
  stated: unknown,
  ignored: IgnoredHook[],
): HookGroup[] | HookProblem {
  const parsed = Groups.safeParse(stated);
  if (!parsed.success) return problemOf(parsed.error, event);
  const groups: HookGroup[] = [];
  for (const [index, { matcher, hooks: entries, ...others }] of parsed.data.entries()) {
    const path = `${event}[${index}]`;
    for (const field of Object.keys(others)) ignored.push(unknownField(`${path}.${field}`));
    if (matcher && matcher !== "*" && !matchedBy[event]) {
      ignored.push({
        path: `${path}.matcher`,
        reason: `has no effect: ${event} has nothing to compare it with`,
      });
    }
    const hooks = readEntries(path, entries, ignored);
    if ("problem" in hooks) return hooks;
    if (hooks.length > 0) groups.push({ ...(matcher !== undefined && { matcher }), hooks });
  }
  return groups;
}

function readEntries(
  group: string,
  entries: readonly StatedEntry[],
  ignored: IgnoredHook[],
): CommandHook[] | HookProblem {
  const hooks: CommandHook[] = [];
  for (const [index, entry] of entries.entries()) {
    const path = `${group}.hooks[${index}]`;
    if (entry.type !== "command") {
      ignored.push({
        path,
        reason: `has the type ${JSON.stringify(entry.type)}; Troupe runs only commands`,
      });
      continue;
    }
    const parsed = CommandHook.safeParse(entry);
    if (!parsed.success) return problemOf(parsed.error, path);
    const others = Object.keys(entry).filter((field) => !(field in CommandHook.shape));
    const decisive = others.find((field) => changesWhatRuns(field, entry[field]));
    if (decisive === undefined) hooks.push(parsed.data);
    for (const field of others) {
      if (field === "shell" && decisive !== field) continue;
      ignored.push(
        field === decisive
          ? { path, reason: `has the field "${field}", which Troupe does not have` }
          : unknownField(`${path}.${field}`),
      );
    }
  }
  return hooks;
}

const shells: readonly unknown[] = ["bash", "sh"];

/** True for a field without which another command would run, or at other times than its author wants. */
function changesWhatRuns(field: string, value: unknown): boolean {
  if (field === "shell") return !shells.includes(value);
  return field === "if" || field === "args";
}

function unknownField(path: string): IgnoredHook {
  return { path, reason: "is not a field of Troupe" };
}

/** True for a matcher whose names are compared one by one. All others are regular expressions. */
export function isListOfNames(matcher: string): boolean {
  return /^[\w\s,|-]*$/.test(matcher);
}

function isMatcher(matcher: string): boolean {
  if (matcher === "*" || isListOfNames(matcher)) return true;
  try {
    return new RegExp(matcher).source !== "";
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function problemOf({ issues: [issue] }: z.ZodError, path: string): HookProblem {
  const steps = (issue?.path ?? []).map((step) =>
    typeof step === "number" ? `[${step}]` : `.${String(step)}`,
  );
  return {
    path: `${path}${steps.join("")}`.replace(/^\./, ""),
    problem: issue?.message ?? "is wrong",
  };
}
