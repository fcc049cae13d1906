import { z } from "zod";
import { MemberName, TaskId } from "./ids.ts";
import { PermissionMode } from "./message.ts";

/** What a hook reads on its standard input, as one JSON object. Named as Claude Code and Codex name it. */
export const HookInput = z.discriminatedUnion("hook_event_name", [
  input("SessionStart", { source: z.enum(["startup", "resume"]) }),
  input("SessionEnd", { reason: z.string() }),
  input("UserPromptSubmit", { prompt: z.string() }),
  input("PreToolUse", call()),
  input("PostToolUse", {
    ...call(),
    tool_response: z.looseObject({ output: z.string(), is_error: z.boolean() }),
  }),
  input("PermissionRequest", { ...call(), reason: z.string() }),
  input("Notification", { notification_type: z.string(), message: z.string() }),
  input("SubagentStart", teammate()),
  input("SubagentStop", { ...teammate(), ...stop() }),
  input("Stop", stop()),
  input("TeammateIdle", teammate()),
  input("TaskCreated", task()),
  input("TaskCompleted", task()),
  input("PreCompact", {
    trigger: z.enum(["manual", "auto"]),
    /** In the person's words, what the summary must keep; empty if they said nothing. */
    custom_instructions: z.string(),
  }),
  input("WorktreeCreate", { ...teammate(), worktree_path: z.string() }),
  input("WorktreeRemove", { ...teammate(), worktree_path: z.string() }),
  input("LandingReady", {
    ...teammate(),
    landing_id: z.string(),
    /** The commit that would land. */
    commit: z.string(),
    target: z.string(),
  }),
  input("Quiet", {}),
]);
export type HookInput = z.infer<typeof HookInput>;

/** The part of an input that is about its event alone. */
export type HookDetails = HookInput extends infer Each
  ? Each extends HookInput
    ? Omit<Each, keyof HookSurroundings>
    : never
  : never;

/** The part of an input that every event has. */
type HookSurroundings = z.infer<z.ZodObject<ReturnType<typeof surroundings>>>;

function surroundings() {
  return {
    /** The id of the team. */
    session_id: z.string(),
    /** The transcript of the member. */
    transcript_path: z.string(),
    /** The directory that the member works in, where the hook runs. */
    cwd: z.string(),
    permission_mode: PermissionMode,
    /** The member. */
    agent_id: MemberName,
    /** Its role. */
    agent_type: z.string(),
  };
}

function input<Event extends string, Fields extends z.ZodRawShape>(event: Event, fields: Fields) {
  return z.object({ hook_event_name: z.literal(event), ...surroundings(), ...fields });
}

function call() {
  return {
    /** As Claude Code calls the tool, where it has one like it. */
    tool_name: z.string(),
    /** As Troupe calls it. */
    troupe_tool_name: z.string(),
    tool_use_id: z.string(),
    tool_input: z.unknown(),
  };
}

function teammate() {
  return { teammate_name: MemberName, team_name: z.string() };
}

function stop() {
  return {
    /** True if the run goes on because a hook had it go on. */
    stop_hook_active: z.boolean(),
    last_assistant_message: z.string(),
  };
}

function task() {
  return {
    /** Absent for a task that is about to be created. */
    task_id: TaskId.optional(),
    task_subject: z.string(),
    task_description: z.string(),
    ...teammate(),
  };
}
