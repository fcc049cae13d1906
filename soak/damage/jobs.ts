import { memberOf } from "../../test/support/team-on-wire.ts";
import { jobOwner } from "./parts.ts";
import type { RichTeam } from "./rich-team.ts";
import type { Damage } from "./spoil.ts";
import { filesOf } from "./told.ts";

/**
 * The owner of the background job must get its result once, even if the job's record is damaged,
 * unless the copy of the record is damaged as well.
 */
export function jobsUntold({ server }: RichTeam, damages: readonly Damage[]): string[] {
  const files = damages.flatMap(filesOf);
  const isHit = (part: string) => files.some((path) => path.includes(part));
  if (isHit("/background/") && isHit("/jobs.list")) return [];
  const last = server.requests.findLast((request) => memberOf(request) === jobOwner);
  const times = (last?.text.split(" was ended when troupe stopped").length ?? 1) - 1;
  return times === 1 ? [] : [`job: its owner was told ${times} times what became of it`];
}
