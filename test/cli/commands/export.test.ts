import { execFileSync } from "node:child_process";
import { lstat, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Dashboards } from "../../../src/cli/command.ts";
import type { RecordedRun } from "../../../src/protocol/dashboard.ts";
import { MemberName, user } from "../../../src/protocol/ids.ts";
import { PageExport } from "../../../src/server/export/page-export.ts";
import { secretMask } from "../../../src/server/secret-mask.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { pageBelow } from "../../server/door.ts";
import { openRoom } from "../../server/room/page.ts";
import { enlist, member, openStore } from "../../support/team.ts";
import { noDashboards, troupeIn } from "../troupe.ts";

const alice = MemberName.parse("alice");
const at = "2026-01-01T09:00:00.000Z";
const key = "sk-of-the-test-0123456789";

/** What would be markup, or the end of the data, if it were not text. */
const hostile =
  '</script><script>hacked=1</script><!--<script><img src=x onerror="hacked=1">\u2028';

/** A team that has ended, with one member that was written to and has worked. */
async function teamBelow(root: string): Promise<void> {
  await using store = await openStore(root);
  await enlist(store, member("alice"));
  await store.send("alice", { type: "message", from: user, content: `${hostile} ${key}` });
  const { transcript } = await store.openMember(alice, { onSetAside: () => undefined });
  await transcript.append([
    { type: "run-start", at },
    {
      ...{ type: "reply", at, stop: "tool-calls" },
      blocks: [
        { type: "text", text: `${hostile} in ${root}/work` },
        { type: "tool-call", call_id: "a", name: "bash", input: { command: `X_TOKEN=ab12cd34` } },
      ],
    },
    { type: "tool-result", at, call_id: "a", output: hostile, is_error: false },
    { type: "run-end", at, outcome: "done" },
  ]);
}

async function scene() {
  const directory = await temporaryDirectory();
  const root = directory.path;
  const pageDirectory = join(root, "page");
  const dashboards: Dashboards = {
    ...noDashboards,
    export: async ({ teamDir, all = false, ...secrets }) =>
      PageExport.open({
        room: openRoom(root, { place: { directory: teamDir } }),
        pageDirectory,
        mask: await secretMask(secrets),
        all,
        now: new Date(),
      }),
  };
  return {
    root,
    export: (...argv: string[]) =>
      troupeIn({ root, env: { ANTHROPIC_API_KEY: key }, dashboards }, "export", ...argv),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

function runIn(document: string): RecordedRun {
  const [, data = ""] = /id="troupe-run">([^<]*)<\/script>/.exec(document) ?? [];
  return JSON.parse(data);
}

test("export writes the whole team to one private file, named after it", async () => {
  await using world = await scene();
  await teamBelow(world.root);
  await pageBelow(world.root);

  const { code, out, err } = await world.export();

  const [name = ""] = (await readdir(world.root)).filter((file) => file.endsWith(".html"));
  const path = join(world.root, name);
  const run = runIn(await readFile(path, "utf8"));
  expect(name).toMatch(/^troupe-default-\d{4}-\d\d-\d\d\.html$/);
  expect([code, out]).toEqual([0, []]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(run.state.members.map((each) => each.name)).toEqual(["lead", "alice"]);
  expect(run.transcripts.find((each) => each.member === "alice")?.entries).toHaveLength(4);
  expect(run.messages).toMatchObject([{ from: "user", to: "alice" }]);
  expect(err.join("\n")).toMatch(
    /^Wrote .*\.html \([\d.]+ kB\)\. Members: 2, messages: 1, transcript entries: 4, masked secrets: \d+\./,
  );
  expect(await readdir(world.root)).not.toContainEqual(expect.stringMatching(/\.tmp$/));
});

test("text of members stays text, and secrets are masked", async () => {
  await using world = await scene();
  await teamBelow(world.root);
  await pageBelow(world.root);

  const { out } = await world.export("-");

  const document = out.join("\n");
  const run = runIn(document);
  expect(document.match(/<script\b/g)).toHaveLength(2);
  expect(document).not.toMatch(/<img|<!--|\u2028/);
  expect(JSON.stringify(run)).toContain(JSON.stringify(hostile).slice(1, -1));
  expect(document).not.toContain(key);
  expect(document).not.toContain("ab12cd34");
  expect(document).not.toContain(world.root);
  expect(run.messages[0]?.text).toBe(`${hostile} [key]`);
});

test("an existing file is kept, unless it may be replaced", async () => {
  await using world = await scene();
  await teamBelow(world.root);
  await pageBelow(world.root);
  const path = join(world.root, "mine.html");
  await writeFile(path, "precious");

  const refused = await world.export("mine.html");
  expect(refused.code).not.toBe(0);
  expect(refused.err.join("\n")).toMatch(/already exists.*\n.*--force/);
  expect(await readFile(path, "utf8")).toBe("precious");

  const { code } = await world.export("mine.html", "--force");
  expect(code).toBe(0);
  expect(runIn(await readFile(path, "utf8")).state.team?.name).toBe("default");
});

test("if the file cannot be written, the error names it", async () => {
  await using world = await scene();
  await teamBelow(world.root);
  await pageBelow(world.root);

  const intoDirectory = await world.export("page", "--force");
  const intoNothing = await world.export("missing/run.html");

  expect(intoDirectory.err.join("\n")).toMatch(/page is a directory\nName a file in it\./);
  expect(intoNothing.err.join("\n")).toMatch(/missing\/run\.html could not be written: ENOENT/);
  expect([intoDirectory.code, intoNothing.code]).toEqual([1, 1]);
  expect(await readdir(world.root)).not.toContainEqual(expect.stringMatching(/\.tmp$/));
});

test("without a team nothing is written", async () => {
  await using world = await scene();
  await pageBelow(world.root);

  const { code, err } = await world.export("run.html");

  expect(code).not.toBe(0);
  expect(err.join("\n")).toMatch(/There is no team in .*\n.*--team-dir/);
  expect(await readdir(world.root)).not.toContain("run.html");
});

test("if the page is not built, export says how to build it", async () => {
  await using world = await scene();
  await teamBelow(world.root);

  const { code, err } = await world.export("run.html");

  expect(code).not.toBe(0);
  expect(err.join("\n")).toMatch(/page is missing.*\n.*npm run build/);
});

test.each([
  ["a pipe", (path: string) => execFileSync("mkfifo", [path])],
  ["a link", (path: string) => symlink("mine.html", path)],
])("P36 %s is not replaced, not even with --force", async (_, make) => {
  await using world = await scene();
  await teamBelow(world.root);
  await pageBelow(world.root);
  const path = join(world.root, "out.html");
  await writeFile(join(world.root, "mine.html"), "mine");
  await make(path);
  const before = await lstat(path);

  const { code, err } = await world.export(path, "--force");

  expect(code).toBe(1);
  expect(err.join("\n")).toContain("is a link, a pipe or a device");
  expect((await lstat(path)).ino).toBe(before.ino);
  expect(await readFile(join(world.root, "mine.html"), "utf8")).toBe("mine");
});
