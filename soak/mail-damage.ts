import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { completeDraft } from "../src/mailbox/mail-draft.ts";
import { encodeLine } from "../src/mailbox/mail-line.ts";
import { MemberName, MessageId } from "../src/protocol/ids.ts";
import { ManualClock } from "../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { ada, Desk, openMailbox, takenIn, testSignature } from "./desk.ts";
import { letterKey, letterText, readLetter, type Tally, tallyLetters } from "./letters.ts";
import type { Random } from "./random.ts";

const bob = MemberName.parse("bob");
const newline = 0x0a;

export interface FlipOptions {
  letters: number;
  flips: number;
  random: Random;
}

export interface FlipTally {
  /** Lines without a flipped bit, and how many of them were not delivered unchanged. */
  untouched: number;
  lost: number;
  /** Damaged lines by their result. All must be accounted for. */
  damaged: number;
  fromOutside: number;
  setAside: number;
  /** If only the case of a hex digit has changed, the signature is still valid. */
  stillSigned: number;
  vanished: number;
  /** Damaged lines that a reader without signatures would have accepted. */
  naivelyBelieved: number;
}

/** Flips bits at random places of a log of signed lines, and reads it. */
export async function flipBits({ letters, flips, random }: FlipOptions): Promise<FlipTally> {
  await using directory = await temporaryDirectory();
  const path = await sendLetters(directory.path, letters, random);
  const original = await readFile(path);
  const damaged = Buffer.from(original);
  for (let flip = 0; flip < flips; flip++) {
    const at = random.below(damaged.length);
    damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << random.below(8)), at);
  }
  await writeFile(path, damaged);
  await using desk = await Desk.open({ directory: directory.path, clock: new ManualClock() });
  await desk.drainAll();

  const seen: string[] = [];
  const handIds: string[] = desk.setAside.map(({ id }) => id);
  for await (const message of takenIn(directory.path)) {
    const letter = message.from === bob && readLetter(message);
    if (letter) seen.push(letterKey(letter));
    else handIds.push(message.id);
  }
  const untouched = linesOf(original).filter((line) => isUntouched(line, damaged));
  const reported = handIds.map((id) => Number(id.split("-").at(-1)));
  const broken = linesOf(damaged).filter((line) => line.bytes.toString().trim() !== "");
  const unknown = broken.filter(({ start }) => !untouched.some((line) => line.start === start));
  const unreported = unknown.filter((line) => !reported.some((at) => isInside(at, line)));
  const stillSigned = unreported.filter(({ bytes }) => hasKey(seen, bytes)).length;
  return {
    untouched: untouched.length,
    lost: untouched.filter(({ bytes }) => !hasKey(seen, bytes)).length,
    damaged: letters - untouched.length,
    fromOutside: handIds.length - desk.setAside.length,
    setAside: desk.setAside.length,
    stillSigned,
    vanished: unreported.length - stillSigned,
    naivelyBelieved: unknown.filter(({ bytes }) => isBelievable(bytes)).length,
  };
}

/** Tears a line at every `stride`-th byte, with another after it, and then sends it again. */
export async function tearEverywhere(stride = 1): Promise<Tally & { cuts: number }> {
  const total = { sent: 0, seen: 0, lost: 0, twice: 0, torn: 0, misordered: 0, cuts: 0 };
  const draft = {
    type: "message",
    from: bob,
    content: letterText({ sender: bob, number: 0 }, 50),
  } as const;
  const torn = completeDraft(draft, ada, new Date(0));
  const line = encodeLine(torn, testSignature);
  for (let cut = line.length - 1; cut > 0; cut -= stride) {
    await using directory = await temporaryDirectory();
    await mkdir(join(directory.path, "inbox"));
    await writeFile(join(directory.path, "inbox", "ada.jsonl"), line.subarray(0, cut));
    await using desk = await Desk.open({ directory: directory.path, clock: new ManualClock() });
    const content = letterText({ sender: bob, number: 1 }, 50);
    await desk.mailbox.append({ ...draft, content });
    await desk.drainAll();
    await desk.mailbox.append({ ...draft, id: torn.id });
    await desk.drainAll();

    const sent = new Set(["bob 0", "bob 1"]);
    const tally = await tallyLetters({ sent, seen: takenIn(directory.path) });
    for (const key of ["sent", "seen", "lost", "twice", "torn"] as const) total[key] += tally[key];
    total.cuts++;
  }
  return total;
}

async function sendLetters(directory: string, count: number, random: Random): Promise<string> {
  await mkdir(join(directory, "inbox"));
  await using mailbox = openMailbox({ directory, clock: new ManualClock() });
  for (let number = 0; number < count; number++) {
    const content = letterText({ sender: bob, number }, 60);
    await mailbox.append({ type: "message", from: bob, content, id: randomId(random) });
  }
  return join(directory, "inbox", "ada.jsonl");
}

function randomId(random: Random): MessageId {
  const groups = [8, 4, 4, 4, 12].map((length) => {
    return Array.from({ length }, () => random.below(16).toString(16)).join("");
  });
  return MessageId.parse(groups.join("-"));
}

interface Line {
  start: number;
  end: number;
  bytes: Buffer;
}

function linesOf(log: Buffer): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < log.length; ) {
    const at = log.indexOf(newline, start);
    const end = at === -1 ? log.length : at + 1;
    lines.push({ start, end, bytes: log.subarray(start, end) });
    start = end;
  }
  return lines;
}

function isUntouched({ start, end, bytes }: Line, damaged: Buffer): boolean {
  return damaged.subarray(start, end).equals(bytes);
}

function isInside(offset: number, { start, end }: Line): boolean {
  return start <= offset && offset < end;
}

function hasKey(keys: readonly string[], line: Buffer): boolean {
  const number = /"content":"bob (\d+) /.exec(line.toString())?.[1];
  return keys.filter((key) => key === `bob ${number}`).length === 1;
}

function isBelievable(line: Buffer): boolean {
  try {
    return typeof JSON.parse(line.toString()).content === "string";
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
