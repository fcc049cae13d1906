import { open, readdir, readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { openDescriptors } from "../../soak/open-descriptors.ts";
import { type Fault, FaultyFileSystem } from "../support/faulty-file-system.ts";
import { Scene, type SceneMember } from "../workspace/fixture.ts";

const old = "old line\n".repeat(1000);
const young = "new line\n".repeat(5000);

interface Story {
  path: string;
  before: string | undefined;
  after: string;
  act(member: SceneMember, scene: Scene): Promise<{ isError: boolean }>;
}

const stories: [string, Story][] = [
  [
    "writing over a file",
    {
      path: "a.txt",
      before: old,
      after: young,
      act: (member) => member.call("write_file", { path: "a.txt", content: young }),
    },
  ],
  [
    "making a file in new folders",
    {
      path: "deep/er/b.txt",
      before: undefined,
      after: young,
      act: (member) => member.call("write_file", { path: "deep/er/b.txt", content: young }),
    },
  ],
  [
    "an edit",
    {
      path: "a.txt",
      before: old,
      after: old.replaceAll("old", "new"),
      act: (member) =>
        member.call("edit_file", {
          path: "a.txt",
          old_text: "old",
          new_text: "new",
          replace_all: true,
        }),
    },
  ],
];

/** The control: it empties the file, and then writes. */
const naive: Story = {
  path: "a.txt",
  before: old,
  after: young,
  async act(_, scene) {
    await using file = await open(scene.path("a.txt"), "w");
    await file.writeFile(young);
    return { isError: false };
  },
};

test.each(stories)(
  "an error in any call of %s leaves the old file or the new one",
  async (_, story) => {
    using faulty = await FaultyFileSystem.install();

    for (const code of ["EIO", "ENOSPC", "EROFS", "EMFILE"] as const) {
      const { hits, violations } = await sweep(faulty, story, (at) => ({
        type: "error",
        at,
        code,
      }));
      expect(violations).toEqual([]);
      expect(hits).toBeGreaterThan(0);
    }
    const { violations } = await sweep(faulty, story, (at) => ({ type: "short-write", at }));
    expect(violations).toEqual([]);
  },
);

test.each(stories)(
  "a crash at any change of the disk in %s leaves the old file or the new one",
  async (_, story) => {
    using faulty = await FaultyFileSystem.install();

    for (const writtenShare of [0, 0.5]) {
      const { hits, violations } = await sweep(faulty, story, (at) => ({
        type: "crash",
        at,
        writtenShare,
      }));
      expect(violations).toEqual([]);
      expect(hits).toBeGreaterThan(0);
    }
  },
);

test("control: a file that is overwritten in place is left incomplete", async () => {
  using faulty = await FaultyFileSystem.install();

  const { violations } = await sweep(faulty, naive, (at) => ({
    type: "crash",
    at,
    writtenShare: 0.5,
  }));

  expect(violations).toContainEqual(expect.stringContaining("neither the old file nor the new"));
});

test("P21 members that change one file at once lose none of each other's changes", async () => {
  await using scene = await Scene.open({ "list.txt": "end\n" });
  const members = await Promise.all(Array.from({ length: 4 }, () => scene.member()));
  let refused = 0;

  await Promise.all(
    members.map(async (member, index) => {
      await member.call("read_file", { path: "list.txt" });
      for (let number = 0; number < 10; number++) {
        const input = {
          path: "list.txt",
          old_text: "end\n",
          new_text: `member ${index}, line ${number}\nend\n`,
        };
        while ((await member.call("edit_file", input)).isError) refused++;
      }
    }),
  );

  const lines = (await readFile(scene.path("list.txt"), "utf8")).split("\n");
  console.info(`40 changes by 4 members, ${refused} refused and made again`);
  expect(new Set(lines).size).toBe(42);
  expect(refused).toBeGreaterThan(0);
});

test("control: members that do not check lose each other's changes", async () => {
  await using scene = await Scene.open({ "list.txt": "end\n" });
  const path = scene.path("list.txt");

  await Promise.all(
    Array.from({ length: 4 }, async (_, index) => {
      for (let number = 0; number < 10; number++) {
        const text = await readFile(path, "utf8");
        await writeFile(path, text.replace("end\n", `member ${index}, line ${number}\nend\n`));
      }
    }),
  );

  expect((await readFile(path, "utf8")).split("\n").length).toBeLessThan(42);
});

/** Meets the fault at the k-th call, for every k until the story gets by. */
async function sweep(
  faulty: FaultyFileSystem,
  story: Story,
  faultAt: (at: number) => Fault,
): Promise<{ hits: number; violations: string[] }> {
  const violations: string[] = [];
  for (let at = 1; ; at++) {
    await using scene = await Scene.open({ "a.txt": old });
    const member = await scene.member();
    await member.call("read_file", { path: "a.txt" });
    const descriptors = openDescriptors(scene.root);
    const fault = faultAt(at);
    let isDone = false;
    const { hit, error } = await faulty.run(fault, async () => {
      isDone = !(await story.act(member, scene)).isError;
    });
    if (!hit) return { hits: at - 1, violations };

    const found = await wrongWith(scene, story, { isDone, hit, hasDied: fault.type === "crash" });
    if (error && fault.type !== "crash") found.push(`threw ${error}`);
    const leaked = openDescriptors(scene.root) - descriptors;
    if (leaked !== 0 && fault.type !== "crash") found.push(`${leaked} descriptors leaked`);
    violations.push(...found.map((it) => `${JSON.stringify(fault)} (${hit}): ${it}`));
  }
}

async function wrongWith(
  scene: Scene,
  { path, before, after }: Story,
  { isDone, hit, hasDied }: { isDone: boolean; hit: string; hasDied: boolean },
): Promise<string[]> {
  const found: string[] = [];
  const names = await readdir(scene.root, { recursive: true });
  const content = names.includes(path) ? await readFile(scene.path(path), "utf8") : undefined;
  if (content !== before && content !== after) found.push("neither the old file nor the new");
  if (isDone && content !== after) found.push("said to be done, and is not");
  const isLitterExpected = hasDied || hit === "rm";
  if (!isLitterExpected && names.some((name) => name.endsWith(".tmp")))
    found.push("left a temporary");
  return found;
}
