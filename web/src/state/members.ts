import type { MemberView } from "../../../src/protocol/dashboard.ts";
import type { KnownRoom } from "./known-room.ts";

/** The state of a member as the page shows it. */
export type MemberStanding = "working" | "idle" | "failed" | "shutdown" | "not-running";

export const standingWords: Readonly<Record<MemberStanding, string>> = {
  working: "working",
  idle: "idle",
  failed: "failed",
  shutdown: "shut down",
  "not-running": "not running",
};

/** The text for a member that does nothing at the moment. */
export const restingWords: Readonly<Record<MemberStanding, string>> = {
  working: "at work",
  idle: "waits for mail",
  failed: "its transcript tells why",
  shutdown: "has left the team",
  "not-running": "continues when the team runs again",
};

/** What a member waits for, as text for the person. */
export function waitingText(waitsFor: string): string {
  return `waits for ${waitsFor === "the person" ? "you" : waitsFor}`;
}

/** If no process runs the team, no member works, even if the last status says so. */
export function standingOf(status: MemberView["status"], isRunning: boolean): MemberStanding {
  const isOver = status === "failed" || status === "shutdown";
  return isRunning || isOver ? status : "not-running";
}

/** The filter of the members. */
export interface MemberFilter {
  text: string;
  /** `asks` are the members with a question for the person. */
  standing: MemberStanding | "asks" | null;
}

export const everybody: MemberFilter = { text: "", standing: null };

/** The names of the members that wait for the person's answer. */
export function askingMembers(room: KnownRoom): ReadonlySet<string> {
  const open = [...room.requests.values()].filter(({ is_open }) => is_open);
  return new Set(open.map(({ from }) => from));
}

/** The members that match `filter`, in the order of the roster. */
export function filteredNames(room: KnownRoom, filter: MemberFilter): string[] {
  const wanted = filter.text.trim().toLowerCase();
  const standing = offeredStanding(room, filter);
  const asking = standing === "asks" ? askingMembers(room) : null;
  return [...room.members.values()]
    .filter(({ name, role }) => `${name} ${role}`.toLowerCase().includes(wanted))
    .filter(({ name, status }) => {
      if (standing === null) return true;
      if (asking) return asking.has(name);
      return standingOf(status, room.running !== null) === standing;
    })
    .map(({ name }) => name);
}

/**
 * While the team is not running, no member is working or idle: a filter without a chip is ignored.
 */
function offeredStanding(
  { running }: KnownRoom,
  { standing }: MemberFilter,
): MemberFilter["standing"] {
  return standing !== null && offered(running !== null).includes(standing) ? standing : null;
}

/** The states that have a filter chip, in order. */
function offered(isRunning: boolean): readonly (MemberStanding | "asks")[] {
  const alive = isRunning ? (["working", "idle"] as const) : (["not-running"] as const);
  return ["asks", ...alive, "failed", "shutdown"];
}

/** The number of members for each chip. Zeros are included, so that no chip moves. */
export function standingCounts(
  room: KnownRoom,
): readonly (readonly [MemberStanding | "asks", number])[] {
  const counts = new Map<MemberStanding | "asks", number>([["asks", askingMembers(room).size]]);
  for (const { status } of room.members.values()) {
    const standing = standingOf(status, room.running !== null);
    counts.set(standing, (counts.get(standing) ?? 0) + 1);
  }
  return offered(room.running !== null).map((standing) => [standing, counts.get(standing) ?? 0]);
}

/** The name after (or before) `current`; the first (or last) if there is none. */
export function neighbour(
  names: readonly string[],
  current: string | null,
  step: 1 | -1,
): string | null {
  const at = current === null ? -1 : names.indexOf(current);
  if (at < 0) return names.at(step === 1 ? 0 : -1) ?? null;
  return names[Math.min(names.length - 1, Math.max(0, at + step))] ?? null;
}

export interface Spend {
  tokens: number;
  usd: number;
  unpricedCalls: number;
}

export function spendOf(members: Iterable<MemberView>): Spend {
  const spend = { tokens: 0, usd: 0, unpricedCalls: 0 };
  for (const { tokens, cost_usd, unpriced_calls } of members) {
    spend.tokens += tokens;
    spend.usd += cost_usd;
    spend.unpricedCalls += unpriced_calls;
  }
  return spend;
}

const colors = new Set(["red", "green", "yellow", "blue", "magenta", "cyan"]);

/** A member's colour in CSS. An unknown colour becomes that of text. */
export function cssColor(color: string | null): string {
  return color !== null && colors.has(color) ? `var(--${color})` : "var(--ink)";
}

/** A member's permission mode, and whose it is; null where it is not known. */
export function modeText({ permission_mode, follows_lead }: MemberView): string | null {
  return permission_mode && (follows_lead ? `${permission_mode} (as the lead)` : permission_mode);
}
