import type { MessageView } from "../../../../src/protocol/dashboard.ts";

/** What a person tells messages apart by. What was set aside is of no kind and always shown. */
export type Kind = "talk" | "results" | "tasks" | "plans" | "shutdown" | "control";

export const kinds: readonly { kind: Kind; label: string }[] = [
  { kind: "talk", label: "Talk" },
  { kind: "results", label: "Results" },
  { kind: "tasks", label: "Tasks" },
  { kind: "plans", label: "Plans" },
  { kind: "shutdown", label: "Shutdown" },
  { kind: "control", label: "Permissions & control" },
];

/** What a type belongs to, and the word that an arrow has for it. */
const byType: Record<MessageView["type"], { kind: Kind | null; word: string }> = {
  message: { kind: "talk", word: "message" },
  broadcast: { kind: "talk", word: "broadcast" },
  result: { kind: "results", word: "result" },
  idle_notification: { kind: "results", word: "idle" },
  task_assignment: { kind: "tasks", word: "task" },
  plan_approval_request: { kind: "plans", word: "plan" },
  plan_approval_response: { kind: "plans", word: "plan answer" },
  shutdown_request: { kind: "shutdown", word: "shutdown" },
  shutdown_response: { kind: "shutdown", word: "shutdown answer" },
  teammate_terminated: { kind: "shutdown", word: "ended" },
  permission_request: { kind: "control", word: "permission" },
  permission_response: { kind: "control", word: "permission answer" },
  team_permission_update: { kind: "control", word: "rule" },
  mode_set_request: { kind: "control", word: "mode" },
  sandbox_permission_request: { kind: "control", word: "sandbox" },
  sandbox_permission_response: { kind: "control", word: "sandbox answer" },
  "set-aside": { kind: null, word: "set aside" },
};

export function kindOf(type: MessageView["type"]): Kind | null {
  return byType[type].kind;
}

export function typeWord(type: MessageView["type"]): string {
  return byType[type].word;
}

/** The types of these kinds, and what was set aside. */
export function typesOf(chosen: ReadonlySet<Kind>): string[] {
  return Object.entries(byType)
    .filter(([, { kind }]) => kind === null || chosen.has(kind))
    .map(([type]) => type);
}
