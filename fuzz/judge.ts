import { join } from "node:path";
import { commandEnvironment } from "../src/permissions/command-environment.ts";
import { Permissions } from "../src/permissions/permissions.ts";
import { Workspace } from "../src/workspace/workspace.ts";
import { type FuzzedMode, fuzzedModes } from "./hits.ts";
import type { World } from "./world.ts";

/** Returns the modes in which a line would run without approval. */
export type Judge = (line: string) => Promise<FuzzedMode[]>;

export async function judgeIn({ root, environment }: World): Promise<Judge> {
  const workspace = await Workspace.open({ root: join(root, "project"), teamDirectory: ".team" });
  const permissions = fuzzedModes.map(
    (mode) =>
      [
        mode,
        new Permissions({
          mode,
          rules: [],
          locate: (path) => workspace.locate(path),
          teamDirectory: join(root, "project/.team"),
          keyDirectories: [join(root, "outside/keys")],
          environment: commandEnvironment(environment),
        }),
      ] as const,
  );
  return async (command) => {
    const action = { type: "command", command } as const;
    const harmless: FuzzedMode[] = [];
    for (const [mode, judge] of permissions) {
      const { decision } = await judge.judge({ tool: "bash", action });
      // The widest mode comes first: if it does not permit something, no other one does.
      if (decision !== "allow") break;
      harmless.push(mode);
    }
    return harmless;
  };
}
