import { resolve } from "node:path";
import { defineConfig } from "tsdown";
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
  outputOptions: { comments: false },
  inputOptions: {
    transform: { inject: { Headers: [resolve("packaging/plain-headers.ts"), "PlainHeaders"] } },
  },
  plugins: [keepIgnoredLines(), licenses("THIRD-PARTY-LICENSES.txt")],
});
