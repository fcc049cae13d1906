import { resolve } from "node:path";
import { defineConfig, type UserConfig } from "tsdown";
import { commonJs } from "./packaging/common-js.ts";
import { licenses } from "./packaging/licenses.ts";
import { oneScript } from "./packaging/one-script.ts";
import { keepIgnoredLines } from "./packaging/types.ts";
import { webHeaders } from "./packaging/web-headers.ts";

const licenseFile = "THIRD-PARTY-LICENSES.txt";

const common: UserConfig = {
  platform: "node",
  target: "node20",
  fixedExtension: false,
  // One file is quicker to load than the many that a package is made of, and nothing else is installed.
  deps: {
    alwaysBundle: [/./],
    // One brings a program for each platform; the other one has to be the user's own.
    neverBundle: ["@vscode/ripgrep", "vitest"],
    onlyBundle: false,
  },
  inputOptions: {
    transform: { inject: { Headers: [resolve("packaging/plain-headers.ts"), "PlainHeaders"] } },
  },
};

const commandLine: UserConfig = {
  ...common,
  outDir: "dist/cli",
  format: "cjs",
  outExtensions: () => ({ js: ".js" }),
  dts: false,
};

export default defineConfig([
  {
    ...common,
    entry: ["src/index.ts", "src/testing/index.ts"],
    dts: true,
    outputOptions: { comments: false },
    plugins: [keepIgnoredLines(), licenses(licenseFile)],
  },
  {
    ...commandLine,
    entry: { main: "packaging/launcher/main.ts" },
    outputOptions: { comments: false },
    plugins: [commonJs()],
  },
  {
    ...commandLine,
    entry: { program: "src/cli/main.ts" },
    // What is loaded when it is asked for lies in the same file, and runs when it is asked for.
    outputOptions: { comments: false, codeSplitting: false },
    plugins: [webHeaders(), oneScript(), licenses(licenseFile)],
  },
]);
