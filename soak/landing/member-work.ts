import { chmod, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onErrno } from "../../src/errors.ts";
import type { MemberName } from "../../src/protocol/ids.ts";
import { gitIn, writeFiles } from "../../test/support/repository.ts";
import type { Random } from "../random.ts";
import { target } from "./contract.ts";

const shared = Array.from({ length: 60 }, (_, index) => `line ${index}\n`).join("");

/** What the person's repository begins with. */
export const firstFiles: Readonly<Record<string, string | Buffer>> = {
  "shared.txt": shared,
  "windows.txt": "one\r\ntwo\r\nthree\r\n",
  "picture.bin": Buffer.from([0, 1, 2, 3, 255]),
  "script.sh": "#!/bin/sh\n",
  ".gitignore": "*.log\n",
  ...Object.fromEntries(Array.from({ length: 12 }, (_, each) => [`many/${each}.txt`, `${each}\n`])),
};

interface Work {
  /** The member's checkout. */
  path: string;
  member: MemberName;
  round: number;
  random: Random;
}

/** One round of what a member does in its checkout: edits, commits, and files of all kinds. */
export async function workInCheckout({ path, member, round, random }: Work): Promise<void> {
  const mark = `${member}-${round}`;
  const at = (name: string) => join(path, name);
  // Kept whatever else happens.
  await writeFiles(path, { [`new/${mark}.txt`]: `${mark}\n`, "left-out.log": mark });
  const kinds: readonly (() => Promise<unknown>)[] = [
    () => editLine(at("shared.txt"), random.below(60), mark),
    // A line that others edit, too.
    () => editLine(at("shared.txt"), 30, mark),
    () => editLine(at("windows.txt"), random.below(3), `${mark}\r`),
    () => writeFile(at("picture.bin"), Buffer.from([0, round, random.below(256)])),
    () => chmod(at("script.sh"), random.pick([0o644, 0o755])),
    () => rm(at(`many/${random.below(12)}.txt`), { force: true }),
    () =>
      rename(at(`new/${mark}.txt`), at(`renamed-${mark}.txt`)).catch(onErrno(undefined, "ENOENT")),
    () => symlink("shared.txt", at(`link-${mark}`)).catch(onErrno(undefined, "EEXIST")),
    () => writeFiles(path, { [`näme with "quotes" ${mark}`]: "odd\n" }),
    () => writeFiles(path, { forbidden: mark }),
    () => rm(at("forbidden"), { force: true }),
  ];
  for (let edits = 1 + random.below(4); edits > 0; edits--) {
    await random.pick(kinds)();
    if (random.fraction() < 0.3) await commitAll(path, mark);
  }
}

/** A member that is told of a conflict brings the target in, and keeps its own side. */
export async function solveConflict(path: string): Promise<void> {
  await commitAll(path, "before the merge");
  await gitIn(path, "fetch", "-q", "origin");
  const merge = gitIn(path, "merge", "-q", "-X", "ours", "-m", "solved", `origin/${target}`);
  await merge.catch(async () => {
    // One side has removed what the other has changed.
    await gitIn(path, "add", "-A");
    await gitIn(path, "commit", "-q", "-m", "solved");
  });
}

async function commitAll(path: string, message: string): Promise<void> {
  await gitIn(path, "add", "-A");
  await gitIn(path, "commit", "-q", "--allow-empty", "-m", message);
}

async function editLine(path: string, number: number, text: string): Promise<void> {
  const lines = (await readFile(path, "utf8")).split("\n");
  lines[Math.min(number, lines.length - 1)] = text;
  await writeFile(path, lines.join("\n"));
}
