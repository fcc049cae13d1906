import { defineConfig, type UserConfig } from "tsdown";
import { commonJs } from "./packaging/common-js.ts";
import { inputOptions } from "./packaging/input-options.ts";
import { lazySchemas } from "./packaging/lazy-schemas.ts";
import { licenses } from "./packaging/licenses.ts";
import { withoutSchemas } from "./packaging/types.ts";
import { vmScripts } from "./packaging/vm-scripts.ts";
import { webHeaders } from "./packaging/web-headers.ts";
import { zodParts } from "./packaging/zod-parts.ts";

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
  inputOptions,
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
    entry: [
      "src/index.ts",
      "src/schemas.ts",
      "src/testing/index.ts",
      "src/testing/conformance/index.ts",
    ],
    dts: true,
    outputOptions: { comments: false },
    plugins: [zodParts(), webHeaders(), withoutSchemas(), licenses(licenseFile)],
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
    inputOptions: { ...inputOptions, preserveEntrySignatures: false },
    outputOptions: {
      comments: false,
      chunkFileNames: "[name].js",
      // Every module runs when it is first imported, whichever file it is in.
      strictExecutionOrder: true,
      codeSplitting: { includeDependenciesRecursively: false, groups: programFiles() },
    },
    plugins: [
      lazySchemas("src/cli/main.ts"),
      zodParts(),
      webHeaders(),
      vmScripts(),
      licenses(licenseFile),
    ],
  },
]);

/** The files of the program: what many commands do without is not even read by them. */
function programFiles() {
  const files = {
    "json-schema": /node_modules\/zod\/.*\?copy$|src\/team\/protocols\/result-schema\./,
    anthropic: /@ai-sdk\/anthropic\//,
    openai: /@ai-sdk\/openai\//,
    "openai-compatible": /@ai-sdk\/openai-compatible\//,
    google: /@ai-sdk\/google\//,
    models: /src\/model\/known-models\/(anthropic|openai|google|origin)\./,
    "more-models": /src\/model\/known-models\//,
    rehearsal: /src\/model\/rehearsal\//,
    shell:
      /node_modules\/unbash\/|src\/permissions\/(commands\/|decide|sweeping|git-configuration|guard|suggest-rule)/,
    // Of each, the part that every team has is not in it: the records, and who is told of what.
    checkouts:
      /src\/(git|checkouts\/(?!stored-)|landing\/(?!stored-|landing-rules)|team\/(rewind|diff|landings\/(?!landing-|team-)|landings\/landing-(changes|checks)))/,
    sandbox: /src\/sandbox\/(?!reports-of)/,
    hooks: /src\/(hooks|team\/hooks\/(combine-hooks|command-team-hooks|open-command-hooks)\.)/,
    "mcp-core": /node_modules\/@modelcontextprotocol\/core\//,
    "mcp-server": /node_modules\/@modelcontextprotocol\/server\/|src\/(mcp-server|cli\/mcp)\//,
    mcp: /node_modules\/(@modelcontextprotocol\/client|eventsource|cross-spawn|shebang-command|shebang-regex|which|isexe|path-key|jose|pkce-challenge)\/|src\/mcp\/(?!server-secrets)/,
    pages:
      /node_modules\/(htmlparser2|domhandler|domutils|dom-serializer|domelementtype|entities)\/|src\/fetching\//,
    dashboard: /node_modules\/@?hono\/|src\/(server\/|lib\/loopback-server)/,
    screen: /node_modules\/marked\/|src\/cli\/(screen|talk)\//,
    // How a person is shown what a team does: by the screen, and by commands that look at a team.
    shown:
      /src\/cli\/render\/(answer|brief|call|diff|fitting|graphemes|item|landing|lines|local-time|mail|markdown|paint|result|styled-text|thought|workspace-diff|wrap)\.|src\/lib\/(activity|call-parts|markdown|markdown-stream)\./,
    // Models of packages that the person has installed, recordings, and lists.
    "other-models":
      /src\/model\/(checked-model|list-models|open-package-model|provider-code|recorded-call|recording|replay|sdk-language-model)\.|src\/model\/ai-sdk\/(openrouter|package-thinking)\./,
    telemetry: /node_modules\/@opentelemetry\/|src\/telemetry\/(?!wants-)/,
    // What tells members how to work, if there is any of it: roles, skills, commands of files.
    guides:
      /src\/(roles\/(parse-role|consent-needs|role-fields|role-colors|tool-list)|skills\/(command-|file-command|find-|skill-texts|text-source)|team\/(team-commands|typed-calls|member-skills|member-seats)|processes\/service-process|protocol\/hook-(input|answer))/,
    yaml: /node_modules\/yaml\//,
    // Its patterns take longer to parse than all of a team's code.
    width: /node_modules\/(string-width|get-east-asian-width|strip-ansi|ansi-regex)\//,
    commands:
      /src\/cli\/(doctor|demo|init|commands\/(?!run|send)|answer-question|ask-at-start|complete|decide-landings|edit-outside|find-landings|find-shown|help|landings-text|member-usage|newest|passes-through-tmux|past-teams|pick-request|rule-orders)|src\/team\/(archives|conversations)\./,
    team: /node_modules\/(@ai-sdk|croner|eventsource-parser)\/|src\/(agent|model\/ai-sdk(?!\/http)|processes|team\/(members|protocols)|tools|workspace)\//,
    program: /./,
  };
  const names = Object.entries(files);
  return names.map(([name, test], at) => ({ name, test, priority: names.length - at }));
}
