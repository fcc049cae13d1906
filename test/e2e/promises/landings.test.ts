import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { pictureOf } from "../../support/landings.ts";
import { gitIn, makeRepository, writeFiles } from "../../support/repository.ts";

const program = "dist/cli/main.js";
const target = "troupe/default";
const sections = ["Install", "Use", "Remove"].map((title) => `## ${title}\n\nTo do.\n`);
const guide = `# Guide\n\n${sections.join("\n")}`;
const prompt = "Spawn alice, bob and carol in checkouts. Have each write a section of guide.md.";

/** A person's repository, with work of their own in it, and troupe as they start it there. */
async function openDesk(path: string) {
  const root = await makeRepository(join(path, "work"), {
    ...{ "guide.md": guide, "mine.txt": "mine\n", ".gitignore": ".team/\n" },
  });
  await writeFiles(root, { "mine.txt": "changed\n", "untracked.txt": "untracked\n" });
  const env = {
    ...{ PATH: process.env.PATH, HOME: path, XDG_STATE_HOME: join(path, "state") },
    ...{ XDG_CONFIG_HOME: join(path, "config"), LOG: join(path, "checked.log") },
  };
  const troupe = async (...argv: string[]) => {
    const child = spawn(process.execPath, [join(process.cwd(), program), ...argv], {
      ...{ cwd: root, env, stdio: ["ignore", "pipe", "pipe"] },
    });
    const [out, err, [code, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { out, err, code, signal };
  };
  const run = (given: string, check: string) => {
    const how = ["--model", "rehearsal", "--permission-mode", "bypassPermissions"];
    return troupe("run", given, ...how, "--sandbox", "off", "--check", check, "--output", "json");
  };
  return { root, troupe, run, log: env.LOG };
}

/** Everything of the person's, without the team's own files. */
async function personsFiles(root: string): Promise<object> {
  const files = Object.entries(await pictureOf(root)).filter(([path]) => !/^\.team\b/.test(path));
  return { files, head: await gitIn(root, "rev-parse", "HEAD", "main") };
}

function hashOf(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}

test("P28 work lands once, in order, and only as the tree that passed the check, through kill -9 in three checks; then troupe land brings it", async () => {
  await using directory = await temporaryDirectory();
  const { root, run, troupe, log } = await openDesk(directory.path);
  const before = await personsFiles(root);
  // The first three times, it kills the process that has started it.
  const check =
    'sha256sum < guide.md | cut -d" " -f1 >> "$LOG"; [ $(wc -l < "$LOG") -gt 3 ] || kill -9 $PPID';

  const ends = [];
  for (const given of [prompt, "Wait.", "Wait.", "Wait."]) ends.push(await run(given, check));

  expect(ends.map(({ signal, code }) => signal ?? code)).toEqual([
    ...["SIGKILL", "SIGKILL", "SIGKILL", 0],
  ]);
  const { landings } = JSON.parse(ends.at(-1)?.out ?? "");
  expect(landings).toMatchObject(Array(3).fill({ state: "landed", target }));
  const merges = await gitIn(
    root,
    ...["log", "--first-parent", "--merges", "--reverse", "--format=%H %s", target],
  );
  const landed = merges.split("\n").map((line) => line.split(" "));
  // Each once, in the order of the queue.
  expect(landed.map(([, ...words]) => words.join(" "))).toEqual(
    landed.map((_, index) => expect.stringMatching(`\\(landing ${index + 1}\\)$`)),
  );
  const whose = landed.map(([, ...words]) => /of (\w+) /.exec(words.join(" "))?.[1]);
  expect(whose.sort()).toEqual(["alice", "bob", "carol"]);
  const checked = (await readFile(log, "utf8")).trim().split("\n");
  for (const [commit = ""] of landed) {
    const content = await gitIn(root, "cat-file", "blob", `${commit}:guide.md`);
    expect(checked.slice(3)).toContain(hashOf(`${content}\n`));
  }
  expect(await personsFiles(root)).toEqual(before);

  const brought = await troupe("land");

  expect(brought).toMatchObject({ code: 0, out: expect.stringMatching(/^main is at troupe/) });
  expect(await readFile(join(root, "guide.md"), "utf8")).not.toContain("To do.");
  const status = await gitIn(root, "status", "--porcelain");
  expect(status).toBe(" M mine.txt\n?? untracked.txt");
});

test("P28 P22 a red check leaves the target as it was, is told with its output, and ends in exit code 3", async () => {
  await using directory = await temporaryDirectory();
  const { root, run, troupe } = await openDesk(directory.path);
  const before = await personsFiles(root);

  const { code, out } = await run(
    "Spawn alice in checkouts. Have each write a section of guide.md.",
    "echo not good enough; exit 7",
  );
  const changes = await troupe("changes");
  const land = await troupe("land");

  expect(code).toBe(3);
  const { landings } = JSON.parse(out);
  expect(landings.at(-1)).toMatchObject({
    ...{ member: "alice", check: { exit_code: 7, output: "not good enough" } },
  });
  expect(["rejected", "failed"]).toContain(landings.at(-1).state);
  expect(await gitIn(root, "rev-parse", target)).toBe(await gitIn(root, "rev-parse", "HEAD"));
  expect(changes.out).toContain("It ended with exit code 7");
  expect(land.out).toBe("Nothing has landed yet: troupe changes shows what there is.\n");
  expect(await personsFiles(root)).toEqual(before);
});

test("control: with a green check, the same work lands", async () => {
  await using directory = await temporaryDirectory();
  const { root, run } = await openDesk(directory.path);

  const { code } = await run(
    "Spawn alice in checkouts. Have each write a section of guide.md.",
    "true",
  );

  expect(code).toBe(0);
  expect(await gitIn(root, "show", `${target}:guide.md`)).toContain("as alice.");
});
