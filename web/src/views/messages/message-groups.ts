import type { MessageView } from "../../../../src/protocol/dashboard.ts";
import { type MessageGroup, messageTypes } from "../../../../src/protocol/message-types.ts";

/**
 * The groups to filter messages by. Lines that were set aside are in no group and are always shown.
 */
export const messageGroups: readonly { group: MessageGroup; label: string }[] = [
  { group: "talk", label: "Talk" },
  { group: "results", label: "Results" },
  { group: "tasks", label: "Tasks" },
  { group: "plans", label: "Plans" },
  { group: "shutdown", label: "Shutdown" },
  { group: "control", label: "Permissions & control" },
];

const byType: Record<MessageView["type"], { group: MessageGroup | null; label: string }> = {
  ...messageTypes,
  "set-aside": { group: null, label: "set aside" },
};

export function groupOf(type: MessageView["type"]): MessageGroup | null {
  return byType[type].group;
}

export function typeLabel(type: MessageView["type"]): string {
  return byType[type].label;
}

/** The types in these groups, and the type of lines that were set aside. */
export function typesOf(chosen: ReadonlySet<MessageGroup>): string[] {
  return Object.entries(byType)
    .filter(([, { group }]) => group === null || chosen.has(group))
    .map(([type]) => type);
}
