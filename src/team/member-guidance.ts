import { memberInstructions } from "../instructions/instructions.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Equipment } from "./equipment.ts";

/** Where the person's own guidance for members is, which is shown to them beside the repository's. */
export interface GuidanceOptions {
  /** The absolute path of the file of the person's own instructions (default: there is none). */
  readonly instructions?: string | undefined;
}

interface GuidedMember {
  workspace: Workspace;
  permissions: Pick<Permissions, "mayRead">;
}

/** Makes the texts of a member's first turn, which a compaction repeats, as they are at that moment. */
export function memberGuidance(
  equipment: Equipment,
  { workspace, permissions }: GuidedMember,
): () => Promise<readonly string[]> {
  const { place, layout, guidance } = equipment;
  return async () => {
    const instructions = await memberInstructions({
      ...{ member: workspace, teamDirectory: layout.directory },
      ...{ home: place.keyPlace.home, personal: guidance.instructions },
      mayRead: (path) => permissions.mayRead(path),
      onWarning: (message) => equipment.warnOnce(message),
    });
    return instructions === undefined ? [] : [instructions];
  };
}
