import { escapeWrapper } from "../lib/escape-wrapper.ts";
import type { MemberName } from "../protocol/ids.ts";
import { isOpen } from "../protocol/task-state.ts";
import type { TeamStore } from "./team-store.ts";

/** The facts on disk that a member must still know after its conversation was summarized. */
export async function recap(store: TeamStore, self: MemberName): Promise<string[]> {
  const { team_name, members } = await store.roster.read();
  const tasks = (await store.tasks.list()).filter(isOpen);
  const requests = (await store.requests.list({ state: "pending" })).filter(
    ({ from, to }) => from === self || to === self,
  );
  return [
    section(
      `Team ${team_name}`,
      members.map(({ name, role, status }) => `${name} (${role}): ${status}`),
    ),
    section(
      "Open tasks",
      tasks.map(
        ({ id, subject, status, owner }) => `${id}: ${subject} (${status}, ${owner ?? "no owner"})`,
      ),
    ),
    section(
      "Undecided requests",
      requests.map(({ id, type, from, to }) => `${id}: ${type}, from ${from} to ${to}`),
    ),
  ].filter((text) => text !== "");
}

/** More would crowd out the summary itself; tools list the rest. */
const maxLines = 50;

function section(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return "";
  const shown = lines.slice(0, maxLines).map((line) => `- ${inOneLine(line)}`);
  const more = lines.length > maxLines ? [`... (${lines.length - maxLines} more)`] : [];
  return [`${title}:`, ...shown, ...more].join("\n");
}

/** Roles and subjects are written by members: none makes a line, or mail, of its own. */
function inOneLine(text: string): string {
  return escapeWrapper(text.replace(/\s+/g, " "));
}
