import packageJson from "../../../package.json" with { type: "json" };
import type { OwnFacts } from "../../model/model-facts.ts";
import type { TeamPlace } from "../../team/team-place.ts";
import { FileTeamView } from "../../team/view/file-team-view.ts";
import { Room } from "./room.ts";

/** The room of a team whose store is files. The team need not exist yet. */
export function fileRoom(place: TeamPlace, { models, providers }: OwnFacts): Room {
  const { clock, directory } = place;
  return new Room({
    openView: (onWarning) => new FileTeamView({ ...place, onWarning }),
    clock,
    directory,
    version: packageJson.version,
    own: { models, providers },
  });
}
