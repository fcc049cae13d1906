import { TeamError } from "../errors.ts";
import { LandingId, parseMemberName } from "../protocol/ids.ts";
import type { Landing } from "../protocol/landing.ts";
import { memberNames } from "../team/find-member.ts";
import type { TeamView } from "../team/view/team-view.ts";
import { waitsForPerson } from "./render/landing.ts";
import { oneLine } from "./render/one-line.ts";

/**
 * The landing with an id, or all of a member, as a person typed it: oldest first, and never none. Throws
 * `landing-unknown`, `member-unknown` and `name-invalid`, each with what there is.
 */
export async function findLandings(
  view: Pick<TeamView, "landings" | "team">,
  given: string,
): Promise<Landing[]> {
  const landings = await view.landings();
  const id = LandingId.safeParse(given).data;
  const hint = handedIn(landings);
  if (id !== undefined) {
    const found = landings.filter((landing) => landing.id === id);
    if (found.length > 0) return found;
    throw new TeamError("landing-unknown", `There is no landing ${id}`, { hint });
  }
  const member = parseMemberName(given.replace(/^@/, ""));
  const found = landings.filter((landing) => landing.member === member);
  if (found.length > 0) return found;
  const isKnown = memberNames(await view.team()).includes(member);
  throw isKnown
    ? new TeamError("landing-unknown", `'${member}' has handed in nothing to land`, { hint })
    : new TeamError("member-unknown", `There is no member '${member}'`, { hint });
}

/** A landing in a few words. */
export function brieflyLanding(landing: Landing): string {
  const { id, member, state } = landing;
  return `landing ${id} of ${member} (${waitsForPerson(landing) ? "waits for you" : state})`;
}

/** What can be named, the newest work of each member, in a sentence. */
function handedIn(landings: readonly Landing[]): string {
  if (landings.length === 0) return "A member with a checkout hands in its work when its run ends.";
  const newest = new Map(landings.map((landing) => [landing.member, landing]));
  const shown = [...newest.values()].slice(-maxShown).map(brieflyLanding);
  const more = newest.size - shown.length;
  return oneLine(`There is ${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}.`, 500);
}

const maxShown = 10;
