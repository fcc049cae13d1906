/**
 * Sends letters to Ada: `mail-writer.ts <directory> <sender> <first> <end> <size> <burst> <kind>`,
 * numbered from `first` up to, not including, `end`; after each burst it waits a little. What was
 * sent is in `<directory>/sent-<sender>`, a line each, written after the send has returned.
 *
 * The `naive` kind keeps one descriptor and never looks whether the log was rotated. The kind
 * `dies-writing` is killed when half of the line behind its last letter is written.
 */
import { openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ada, openMailbox, testSignature } from "../../../soak/desk.ts";
import { letterKey, letterText } from "../../../soak/letters.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { completeDraft } from "../../../src/mailbox/mail-draft.ts";
import { encodeLine } from "../../../src/mailbox/mail-line.ts";
import { MemberName } from "../../../src/protocol/ids.ts";
import type { MessageDraft } from "../../../src/protocol/message.ts";

const [directory = "", name, first, end, size, burst, kind] = process.argv.slice(2);
const sender = MemberName.parse(name);
const sent = openSync(join(directory, `sent-${sender}`), "a");
const send = kind === "naive" ? naiveSend() : rightSend();

for (let number = Number(first); number < Number(end); number++) {
  const letter = { sender, number };
  await send({ type: "message", from: sender, content: letterText(letter, lengthOf(number)) });
  writeSync(sent, `${letterKey(letter)}\n`);
  if (number % Number(burst) === 0) await setTimeout(5);
}
if (kind === "dies-writing") dieWriting();

/** Mostly short, some long, a few as long as they may be. */
function lengthOf(number: number): number {
  if (size !== "mixed") return Number(size);
  if (number % 100 === 99) return 256 * 1024;
  if (number % 50 === 49) return 70_000;
  return number % 10 === 9 ? 5_000 : 150;
}

function rightSend(): (draft: MessageDraft) => Promise<unknown> {
  const mailbox = openMailbox({ directory, clock: systemClock });
  return (draft) => mailbox.append(draft);
}

function naiveSend(): (draft: MessageDraft) => Promise<unknown> {
  const log = openLog();
  return async (draft) => writeSync(log, toLine(draft));
}

function dieWriting(): void {
  const content = letterText({ sender, number: Number(end) }, lengthOf(Number(end)));
  const line = toLine({ type: "message", from: sender, content });
  writeSync(openLog(), line.subarray(0, line.length / 2));
  process.kill(process.pid, "SIGKILL");
}

function openLog(): number {
  return openSync(join(directory, "inbox", "ada.jsonl"), "a");
}

function toLine(draft: MessageDraft): Buffer {
  return encodeLine(completeDraft(draft, ada, new Date()), testSignature);
}
