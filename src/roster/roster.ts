import type { TeamRecord } from "../protocol/team.ts";

/**
 * The members of the team, and the status of each.
 *
 * Every backend promises, and src/testing/conformance/roster.ts checks, that:
 * - a reader sees a whole roster, before a change or after it, never a part of one;
 * - updates are applied one after the other, each to the result of the one before;
 * - an update that throws, or makes something that is no roster, changes nothing;
 * - a listener is called with the new roster after a change, of any process; one that throws
 *   breaks no update.
 */
export interface Roster {
  /** The roster as it is now. */
  read(): Promise<TeamRecord>;
  /** Replaces the roster by what `change` makes of it, and resolves to the new one. */
  update(change: (team: TeamRecord) => TeamRecord): Promise<TeamRecord>;
  /** Calls `listener` with the new roster after each change. Returns how to stop it. */
  onChange(listener: (team: TeamRecord) => void): () => void;
}
