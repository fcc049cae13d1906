import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** What every folder may import without saying so. */
const leaves = ["protocol", "lib"];
const stores = [
  "mailbox",
  "roster",
  "tasks",
  "requests",
  "crons",
  "transcript",
  "fence",
  "logs",
  "landing",
];

const workers = [
  "model",
  "git",
  "workspace",
  "instructions",
  "roles",
  "skills",
  "sandbox",
  "checkouts",
  "processes",
  "hooks",
  "permissions",
  "tools",
  "agent",
  "mcp",
  "fetching",
];

/** Folder → folders it may import. This table is the architecture; docs/architecture.md explains it. */
const allowed: Record<string, readonly string[]> = {
  protocol: [],
  lib: ["protocol"],
  keys: leaves,
  mailbox: [...leaves, "keys"],
  roster: leaves,
  tasks: leaves,
  requests: [...leaves, "keys"],
  crons: leaves,
  landing: [...leaves, "git"],
  checkouts: [...leaves, "git", "sandbox"],
  transcript: leaves,
  fence: leaves,
  logs: leaves,
  model: leaves,
  workspace: leaves,
  roles: [...leaves, "workspace"],
  instructions: [...leaves, "workspace"],
  skills: [...leaves, "workspace"],
  sandbox: leaves,
  git: leaves,
  processes: [...leaves, "sandbox"],
  permissions: [...leaves, "requests", "workspace"],
  hooks: [...leaves, "processes"],
  tools: [...leaves, "workspace", "processes"],
  "mcp-server": [...leaves, "tools"],
  mcp: [...leaves, "sandbox", "processes", "tools"],
  fetching: [...leaves, "model", "tools"],
  agent: [
    ...leaves,
    ...["mailbox", "transcript", "logs", "model", "permissions", "processes", "tools"],
  ],
  team: [...leaves, "keys", "mcp-server", ...stores, ...workers],
  server: [...leaves, "keys", "model", "workspace", "permissions", "team"],
  telemetry: [...leaves, "team"],
  cli: [
    ...leaves,
    "telemetry",
    "mcp-server",
    "instructions",
    "skills",
    "hooks",
    "mcp",
    "model",
    "roles",
    "permissions",
    "tools",
    "agent",
    "team",
    "server",
  ],
  testing: [
    ...leaves,
    "keys",
    ...stores,
    "checkouts",
    "sandbox",
    "processes",
    "workspace",
    "model",
    "tools",
    "agent",
    "team",
  ],
};

const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) =>
  /\/.*\.ts$/.test(path),
);

/** All but what tests use. */
const product = sources.filter((file) => folderOf(file) !== "testing");

test("every folder is in the import table", () => {
  expect(new Set(sources.map(folderOf))).toEqual(new Set(Object.keys(allowed)));
});

test.each(sources)("%s imports only what its folder may", (file) => {
  const folder = folderOf(file);

  const imported = importsOf(file)
    .filter((path) => path.startsWith("."))
    .map((path) => folderOf(join(file, "..", path)))
    .filter((other) => other !== folder && other !== "errors.ts" && other !== "..");

  expect(allowed[folder]).toEqual(expect.arrayContaining(imported));
});

test.each(sources.filter((file) => folderOf(file) === "protocol"))(
  "%s runs in a browser",
  (file) => {
    const foreign = importsOf(file).filter((path) => !path.startsWith("."));

    expect(foreign.filter((path) => path !== "zod")).toEqual([]);
    expect(readFileSync(join("src", file), "utf8")).not.toMatch(/\b(Buffer|process)\b\./);
  },
);

const pageSources = readdirSync("web/src", { recursive: true, encoding: "utf8" }).filter((path) =>
  /\.tsx?$/.test(path),
);

/** What the page shares with the program. Of all other files of src/protocol it takes types alone. */
const shared = [
  ...["src/lib/markdown.ts", "src/lib/markdown-stream.ts"],
  ...["src/protocol/amounts.ts", "src/protocol/message-types.ts", "src/protocol/task-state.ts"],
];

test.each(pageSources)(
  "web/src/%s imports only types and shared files from the program",
  (file) => {
    const path = join("web/src", file);

    expect(foreignTo(path, readFileSync(path, "utf8"))).toEqual([]);
  },
);

test.each(shared)("%s adds only shared files to the page", (file) => {
  const values = importsIn(readFileSync(file, "utf8")).filter(({ isType }) => !isType);
  const own = values.map(({ path }) => (path.startsWith(".") ? join(file, "..", path) : path));

  expect([...shared, "marked"]).toEqual(expect.arrayContaining(own));
});

test.each([
  'import { systemClock } from "../../src/lib/clock.ts";',
  'import {\n  systemClock,\n} from "../../src/lib/clock.ts";',
  'export { systemClock } from "../../src/lib/clock.ts";',
  'export * from "../../src/lib/clock.ts";',
  'import "../../src/lib/clock.ts";',
  'const { systemClock } = await import("../../src/lib/clock.ts");',
  'import type { Clock } from "../../src/lib/clock.ts";',
  // A schema would bring zod into the page.
  'import { type Message, MessageId } from "../../src/protocol/message.ts";',
  'export { Message } from "../../src/protocol/message.ts";',
])("a page with %j would be detected", (text) => {
  expect(foreignTo("web/src/app.tsx", text)).toHaveLength(1);
});

/** What a file of the page imports and must not. */
function foreignTo(file: string, text: string): string[] {
  return importsIn(text).flatMap(({ path, isType }) => {
    const target = join(file, "..", path);
    if (!path.startsWith(".") || target.startsWith("web/") || shared.includes(target)) return [];
    return isType && target.startsWith("src/protocol/") ? [] : [path];
  });
}

/** Where a person waits for the first request, or for the end of the command. */
const quickStarts = ["cli/main.ts", "team/team.ts", "cli/commands/run.ts", "cli/commands/send.ts"];

test.each(quickStarts)("%s does not load the Markdown parser at its start", (file) => {
  expect(loadedBy([file])).not.toContain("lib/markdown.ts");
});

test("control: the talk loads it, so the test above could fail", () => {
  expect(loadedBy(["cli/commands/talk.ts"])).toContain("lib/markdown.ts");
});

test("importing the library loads nothing of the dashboard's server", () => {
  const served = (file: string) =>
    loadedBy([file]).filter((path) =>
      /^server\/(app\.ts|dashboard\.ts|room\/|export\/)/.test(path),
    );

  expect(served("index.ts")).toEqual([]);
  expect(served("server/dashboard.ts")).toContain("server/app.ts");
});

test("troupe/testing works without vitest; only the suites need it", () => {
  const usesVitest = (entry: string) =>
    loadedBy([entry]).filter((file) => importsOf(file).includes("vitest"));

  expect(usesVitest("testing/index.ts")).toEqual([]);
  expect(usesVitest("testing/conformance/index.ts")).not.toEqual([]);
});

/** The files that are loaded with `files`, without those that are loaded when they are asked for. */
function loadedBy(files: readonly string[]): string[] {
  const loaded = new Set(files);
  for (const file of loaded) {
    for (const { path, isType, isLate } of importsIn(readFileSync(join("src", file), "utf8")))
      if (path.startsWith(".") && !isType && !isLate) loaded.add(join(file, "..", path));
  }
  return [...loaded];
}

/** The two places that look at the process's surroundings: what a team runs on, and the program. */
const compositions = ["team/system-place.ts", "cli/main.ts"];

test.each(sources.filter((file) => !compositions.includes(file)))(
  "%s does not use the environment, arguments or output directly",
  (file) => {
    expect(readFileSync(join("src", file), "utf8")).not.toMatch(
      /\bprocess\.(env|argv|cwd|exit|std)|"node:process"|\bconsole\./,
    );
  },
);

/** What reads a clock or sets a timer by itself. A timer that does nothing keeps the process alive. */
const ownTime =
  /\bDate\.now\b|\bnew Date\(\)|\bperformance\.|(?<!\.)\b(setTimeout|setInterval(?!\(\(\) => \{\}))\(/;

test.each(product.filter((file) => file !== "lib/clock.ts"))(
  "%s takes its time from a Clock",
  (file) => {
    expect(readFileSync(join("src", file), "utf8")).not.toMatch(ownTime);
  },
);

test.each(["Date.now() - 1", "new Date()", "performance.now()", "setTimeout(run, 1)"])(
  "control: a file with %j would be detected",
  (text) => expect(text).toMatch(ownTime),
);

/** Each side of a seam that does the work, and the files that may know that it is this one. */
const seams: Record<string, readonly string[]> = {
  "agent/run-agent.ts": ["agent/model-runner.ts"],
  "agent/model-runner.ts": ["team/open-member.ts"],
  "team/members/local-member.ts": ["team/supervisor.ts"],
  "processes/host-command-runner.ts": ["team/command-runner-of.ts"],
  "processes/host-program.ts": ["processes/host-command-runner.ts"],
  "sandbox/bubblewrap.ts": ["sandbox/find-sandbox.ts"],
  "git/git-process.ts": ["git/git.ts"],
  "team/file-team-store.ts": ["team/equipment.ts"],
  "team/view/file-team-view.ts": ["cli/main.ts", "team/file-team-store.ts"],
};

test.each(Object.entries(seams))("only the owners of the seam import %s", (file, owners) => {
  const importers = product.filter((other) =>
    importedBy(other).some(({ target, isType }) => target === file && !isType),
  );

  expect(importers.sort()).toEqual([...owners].sort());
});

test("only the command runner starts processes for members; the others are the person's", () => {
  const starters = product.filter((file) =>
    importedBy(file).some(({ target, isType }) => target === "node:child_process" && !isType),
  );

  expect(starters.sort()).toEqual([
    ...["cli/doctor/programs.ts", "cli/edit-outside.ts", "cli/passes-through-tmux.ts"],
    // What the runtime itself does with repositories.
    ...["cli/screen/workspace-files.ts", "git/git-process.ts", "lib/process-identity.ts"],
    ...["processes/host-command-runner.ts", "processes/host-program.ts"],
    ...["processes/pipes.ts", "processes/process-list.ts"],
    // MCP servers, which are of the team.
    "processes/service-process.ts",
    // It tries the sandbox once, with a command of its own.
    "sandbox/find-sandbox.ts",
    "sandbox/network/own-network.ts",
  ]);
});

/** A member, those that do not run, and the lead's own mail: a running teammate is asked by its handle. */
const openers = [
  ...["team/members/removals.ts", "team/open-member.ts", "team/rewind/team-rewind.ts"],
  ...["team/summary.ts", "team/team-tools-for.ts"],
];

test("nobody else opens what the store has of a member", () => {
  const found = product.filter((file) =>
    /\bstore\.openMember\(/.test(readFileSync(join("src", file), "utf8")),
  );

  expect(found.sort()).toEqual(openers);
});

/** What runs a team, which commands and dashboards reach by `Team` and `TeamView` alone. */
const insides =
  /^(agent|team\/(members|landings|supervisor|equipment|event-hub|open-|post|team-layout|member-checkouts|command-runner))/;

test.each(product.filter((file) => /^(cli|server)\//.test(file)))(
  "%s does not reach into a running team",
  (file) => {
    const reached = importedBy(file).filter(({ isType }) => !isType);

    expect(reached.map(({ target }) => target).filter((it) => insides.test(it))).toEqual([]);
  },
);

/** Where backends are chosen; everything else gets a `TeamView`, whatever store is behind it. */
const choosers = ["cli/main.ts", "server/room/file-room.ts"];

test.each(
  sources.filter((file) => ["server", "cli"].includes(folderOf(file)) && !choosers.includes(file)),
)("%s does not import a backend of a store", (file) => {
  const targets = importsOf(file).map((path) => join(file, "..", path));

  const backends = new RegExp(`^(${[...stores, "team"].join("|")})/(.*/)?(file|memory)-`);
  expect(targets.filter((path) => backends.test(path))).toEqual([]);
});

/** What a file of src imports, by its path there. */
function importedBy(file: string) {
  return importsIn(readFileSync(join("src", file), "utf8")).map(({ path, ...rest }) => ({
    ...rest,
    target: path.startsWith(".") ? join(file, "..", path) : path,
  }));
}

function importsOf(file: string): string[] {
  return importsIn(readFileSync(join("src", file), "utf8")).map(({ path }) => path);
}

interface Import {
  path: string;
  isType: boolean;
  /** True for `import()`. */
  isLate: boolean;
}

function importsIn(text: string): Import[] {
  const pattern =
    /\b(?:import|export)\s+(type\s+)?(?:[^"';()]*?\sfrom\s+)?"([^"]+)"|\bimport\(\s*"([^"]+)"/g;
  return [...text.matchAll(pattern)].map(([, type, path, loaded]) => ({
    path: path ?? loaded ?? "",
    isType: type !== undefined,
    isLate: loaded !== undefined,
  }));
}

function folderOf(file: string): string {
  return file.split("/")[0] ?? "";
}
