import { execFile, execFileSync } from "node:child_process";
import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";

const program = join(process.cwd(), "dist/cli/main.js");

interface Ground {
  root: string;
  project: string;
  /** Where the person keeps other things. */
  home: string;
  team: string;
}

/** A project and, beside it, a directory of the person's that has nothing to do with it. */
async function ground(root: string): Promise<Ground> {
  const [project, home] = [join(root, "project"), join(root, "home")];
  await mkdir(project);
  await mkdir(join(home, "tasks"), { recursive: true });
  await writeFile(join(home, ".bashrc"), "# mine\n");
  await writeFile(join(home, "tasks", "f"), "a task of mine\n");
  await chmod(join(home, ".bashrc"), 0o644);
  await chmod(home, 0o755);
  return { root, project, home, team: join(project, ".team") };
}

interface Ended {
  code: number;
  stderr: string;
}

function run({ root, project }: Ground, ...more: string[]): Promise<Ended> {
  const argv = [program, "run", "hi", "--model", "rehearsal", "--timeout", "30", ...more];
  const env = { PATH: process.env.PATH, HOME: join(root, "person"), TMPDIR: root };
  return new Promise((resolve) => {
    execFile(process.execPath, argv, { cwd: project, env }, (error, _, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stderr });
    });
  });
}

/** Every name below a directory, with its kind, mode and content. */
async function pictureOf(directory: string): Promise<string[]> {
  const names = [".", ...(await readdir(directory, { recursive: true }))].sort();
  return Promise.all(
    names.map(async (name) => {
      const path = join(directory, name);
      const stats = await lstat(path);
      const text = stats.isFile() ? await readFile(path, "utf8") : "";
      return `${name} ${stats.mode.toString(8)} ${stats.uid} ${text}`;
    }),
  );
}

test("P36 control: in its own directory, a team runs", async () => {
  await using directory = await temporaryDirectory();
  const place = await ground(directory.path);

  expect(await run(place)).toMatchObject({ code: 0 });

  expect(await readdir(place.team)).toContain("config.json");
});

const attacks: [string, (place: Ground) => Promise<unknown>][] = [
  [".team is a link", ({ team, home }) => symlink(home, team)],
  ["inbox is a link", (place) => linkIn(place, "inbox")],
  ["transcripts is a link", (place) => linkIn(place, "transcripts")],
  ["tasks is a link", (place) => linkIn(place, "tasks")],
  ["outputs is a link", (place) => linkIn(place, "outputs")],
  ["archive is a link", (place) => linkIn(place, "archive")],
  ["a transcript is a link", (place) => fileIn(place, "transcripts/lead.jsonl", symlink)],
  ["a mailbox is a link", (place) => fileIn(place, "inbox/lead.jsonl", symlink)],
  ["events.jsonl is a link", (place) => fileIn(place, "events.jsonl", symlink)],
  ["usage.jsonl is a link", (place) => fileIn(place, "usage.jsonl", symlink)],
  ["a transcript has a second name", secondName],
  [
    "a mailbox has a second name",
    async (place) => {
      await run(place);
      await rm(join(place.team, "inbox/lead.jsonl"));
      await fileIn(place, "inbox/lead.jsonl", link);
    },
  ],
];

/** A transcript that troupe has written, and that the person keeps under another name as well. */
async function secondName(place: Ground): Promise<void> {
  await run(place);
  await link(join(place.team, "transcripts/lead.jsonl"), join(place.home, "kept.jsonl"));
}

async function linkIn({ team, home }: Ground, name: string): Promise<void> {
  await mkdir(team);
  await symlink(home, join(team, name));
}

async function fileIn(
  { team, home }: Ground,
  name: string,
  tie: (target: string, path: string) => Promise<void>,
): Promise<void> {
  await mkdir(join(team, name, ".."), { recursive: true });
  await tie(join(home, ".bashrc"), join(team, name));
}

test.each(attacks)(
  "P36 %s: refused with a reason, and nothing else is changed",
  async (_, attack) => {
    await using directory = await temporaryDirectory();
    const place = await ground(directory.path);
    await attack(place);
    const before = await pictureOf(place.home);

    const { code, stderr } = await run(place);

    expect(stderr).toMatch(/symbolic link|second hard link/);
    expect(code).not.toBe(0);
    expect(await pictureOf(place.home)).toEqual(before);
  },
);

test("P36 a directory with other content is not a team's, not even with --fresh", async () => {
  await using directory = await temporaryDirectory();
  const place = await ground(directory.path);
  const before = await pictureOf(place.home);

  for (const flags of [[], ["--fresh"]]) {
    const { code, stderr } = await run(place, "--team-dir", place.home, ...flags);

    expect(code).toBe(2);
    expect(stderr).toContain("is not a team's directory");
  }
  expect(await pictureOf(place.home)).toEqual(before);
});

test("P36 files that are not the team's stay where they are when the team is archived", async () => {
  await using directory = await temporaryDirectory();
  const place = await ground(directory.path);
  await run(place);
  await writeFile(join(place.team, "notes.txt"), "mine\n");
  await mkdir(join(place.team, "tasks"), { recursive: true });
  await writeFile(join(place.team, "tasks", "README"), "mine too\n");

  const { code, stderr } = await run(place, "--fresh");

  expect(code).toBe(0);
  expect(stderr).toContain("notes.txt, tasks/README");
  expect(await readFile(join(place.team, "notes.txt"), "utf8")).toBe("mine\n");
  expect(await readFile(join(place.team, "tasks", "README"), "utf8")).toBe("mine too\n");
});

test("P36 a foreign file named as the key keeps its mode and its content", async () => {
  await using directory = await temporaryDirectory();
  const place = await ground(directory.path);
  const before = await pictureOf(place.home);
  const argv = [program, "run", "hi", "--model", "rehearsal"];
  const env = {
    PATH: process.env.PATH,
    HOME: join(place.root, "person"),
    TROUPE_KEY_FILE: join(place.home, ".bashrc"),
  };

  expect(() =>
    execFileSync(process.execPath, argv, { cwd: place.project, env, stdio: "pipe" }),
  ).toThrow("is not a team's key");

  expect(await pictureOf(place.home)).toEqual(before);
});

test.each(["inbox/lead.jsonl", "transcripts/lead.jsonl", "events.jsonl", "tasks/7.json"])(
  "P36 P25 a pipe in place of %s does not block",
  async (name) => {
    await using directory = await temporaryDirectory();
    const place = await ground(directory.path);
    const path = join(place.team, name);
    await mkdir(join(path, ".."), { recursive: true });
    execFileSync("mkfifo", [path]);

    const { stderr } = await run(place);

    expect(stderr).toContain("is a pipe or a device");
    expect((await lstat(path)).isFIFO()).toBe(true);
  },
);
