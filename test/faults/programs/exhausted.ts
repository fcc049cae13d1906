/**
 * Sends and takes in mail while a resource is used up, and after it is free again:
 * `exhausted.ts <directory> disk|descriptors`. Prints what became of it.
 */
import { spawnSync } from "node:child_process";
import { closeSync, openSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Desk, takenIn } from "../../../soak/desk.ts";
import { letterKey, letterText, tallyLetters } from "../../../soak/letters.ts";
import { hasErrno, TeamError } from "../../../src/errors.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { MemberName } from "../../../src/protocol/ids.ts";

const [directory = "", resource] = process.argv.slice(2);
const bob = MemberName.parse("bob");
const sent = new Set<string>();
let letters = 0;
let refused = 0;

await mkdir(join(directory, "inbox"));
const limits = { rotateBytes: 20_000, historyBytes: 100_000 };
const desk = await Desk.open({ directory, clock: systemClock, limits });
const naivePath = join(directory, "naive");
writeFileSync(naivePath, "x".repeat(1000));

await work(20);
const free = resource === "disk" ? fillDisk() : openEverything();
await work(50);
const naivelyKept = overwriteNaively();
free();
const sentBefore = sent.size;
await work(20);
await desk.drainAll();

const tally = await tallyLetters({ sent, seen: takenIn(directory) });
const sentAfterwards = sent.size - sentBefore;
console.log(JSON.stringify({ ...tally, refused, sentAfterwards, naivelyKept }));
process.exit(0);

/** Sends letters of several sizes and takes mail in, whatever fails. */
async function work(count: number): Promise<void> {
  for (let round = 0; round < count; round++) {
    const letter = { sender: bob, number: letters++ };
    const content = letterText(letter, round % 5 === 4 ? 9_000 : 300);
    await tolerate(async () => {
      await desk.mailbox.append({ type: "message", from: bob, content });
      sent.add(letterKey(letter));
    });
    if (round % 3 === 2) await tolerate(() => desk.drain());
  }
}

async function tolerate(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } catch (error) {
    if (!(error instanceof TeamError) && !hasErrno(error, "ENOSPC", "EMFILE")) throw error;
    refused++;
  }
}

/** Fills the disk to the last byte, and returns how to free it. */
function fillDisk(): () => void {
  const path = join(directory, "filler");
  const filler = openSync(path, "a");
  for (let size = 65_536; size >= 1; ) {
    try {
      if (writeSync(filler, Buffer.alloc(size)) < size) size /= 2;
    } catch (error) {
      if (!hasErrno(error, "ENOSPC")) throw error;
      size = Math.floor(size / 2);
    }
  }
  closeSync(filler);
  return () => rmSync(path);
}

/** Leaves this process 64 descriptors, where that can be had, and opens them all. */
function openEverything(): () => void {
  spawnSync("prlimit", ["--pid", String(process.pid), "--nofile=64"]);
  const descriptors: number[] = [];
  for (;;) {
    try {
      descriptors.push(openSync("/dev/null", "r"));
    } catch (error) {
      if (!hasErrno(error, "EMFILE")) throw error;
      return () => {
        for (const descriptor of descriptors) closeSync(descriptor);
      };
    }
  }
}

/** The control: it empties the file before it learns that there is no room. */
function overwriteNaively(): number {
  try {
    writeFileSync(naivePath, "y".repeat(20_000));
  } catch (error) {
    if (!hasErrno(error, "ENOSPC", "EMFILE")) throw error;
  }
  return statSync(naivePath).size;
}
