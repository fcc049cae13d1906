import { defineConfig } from "tsdown";
import { chunksOf } from "./packaging/chunks.ts";
import { licenses } from "./packaging/licenses.ts";
import { keepIgnoredLines } from "./packaging/types.ts";

export default defineConfig({
  entry: ["src/index.ts", "src/cli/main.ts", "src/testing/index.ts"],
  platform: "node",
  target: "node20",
  fixedExtension: false,
  dts: true,
  // One file is quicker to load than the many that a package is made of, and nothing else is installed.
  deps: {
    alwaysBundle: [/./],
    // One brings a program for each platform; the other one has to be the user's own.
    neverBundle: ["@vscode/ripgrep", "vitest"],
    onlyBundle: false,
  },
  outputOptions: {
    // In the order in which a run needs them: --version loads the first, looking at a team two, running
    // one three, and what judges calls follows while the first request is on its way.
    codeSplitting: chunksOf({
      start: ["src/cli/main.ts"],
      store: [
        "src/team/team-observer.ts",
        "src/team/system-place.ts",
        "src/cli/tell-failure.ts",
        "src/cli/command.ts",
      ],
      team: ["src/team/team.ts"],
      judge: ["src/permissions/decide.ts", "src/permissions/commands/read-line.ts"],
    }),
    comments: false,
  },
  plugins: [keepIgnoredLines(), licenses("THIRD-PARTY-LICENSES.txt")],
});
