import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hmacSignature } from "../../src/keys/signature.ts";
import {
  lookAtLive,
  type MailHistoryOptions,
  readPlacedRecords,
} from "../../src/mailbox/mail-history.ts";
import { mailLayout } from "../../src/mailbox/mail-layout.ts";
import { lead, MemberName } from "../../src/protocol/ids.ts";
import {
  acknowledgeAll,
  echo,
  livePath,
  openBox,
  openFileMailbox,
  readLive,
  sidePath,
  temporaryDirectory,
} from "../support/file-mailbox.ts";

const owner = MemberName.parse("ada");
const text = (content: string) => ({ type: "message", from: lead, content }) as const;

async function placed(directory: string, more: Partial<MailHistoryOptions> = {}) {
  const layout = mailLayout(join(directory, "inbox"), owner);
  const signature = hmacSignature(Buffer.alloc(32, 7));
  const found: { text: string; place: MailHistoryOptions["from"] }[] = [];
  for await (const { record, place } of readPlacedRecords({ layout, owner, signature, ...more })) {
    const shown = record.state === "set aside" ? record.reason : record.message.content;
    found.push({ text: shown, place });
  }
  return found;
}

/** A mailbox whose two segments and live log each have two messages, two of them in one line. */
async function fill(directory: string): Promise<void> {
  await using box = await openBox(directory, { limits: { rotateBytes: 1, historyBytes: 1e6 } });
  for (const content of ["a", "c"]) {
    await box.mailbox.append(text(content));
    await box.mailbox.append(text(`${content}'`));
    await acknowledgeAll(box.reader);
  }
  await box.mailbox.append(text("e"));
  await box.mailbox.append(text("e'"));
  const glued = (await readLive(directory)).replace("\n", "");
  await writeFile(livePath(directory), glued);
}

test("mail is listed newest first over all logs, and continued from any position", async () => {
  await using directory = await temporaryDirectory();
  await fill(directory.path);

  const all = await placed(directory.path);

  expect(all.map((it) => it.text)).toEqual(["e'", "e", "c'", "c", "a'", "a"]);
  for (const [index, { place }] of all.entries()) {
    expect(await placed(directory.path, { from: place })).toEqual(all.slice(index));
  }
});

test("with a search text, only lines that contain it are listed", async () => {
  await using directory = await temporaryDirectory();
  await fill(directory.path);

  const found = await placed(directory.path, { having: '"content":"c' });

  expect(found.map((it) => it.text)).toEqual(["c'", "c"]);
});

test("a message that is in two logs is listed once, and a damaged line with its reason", async () => {
  await using directory = await temporaryDirectory();
  await fill(directory.path);
  await echo(directory.path, await readFile(sidePath(directory.path, "000001.jsonl"), "utf8"));
  await echo(directory.path, '{"damaged\n');

  const found = await placed(directory.path);

  expect(found.map((it) => it.text)).toEqual([
    "starts with { but is not JSON",
    "a'",
    "a",
    "e'",
    "e",
    "c'",
    "c",
  ]);
});

test("the live log is read to its current end, and skipped if it is missing", async () => {
  await using directory = await temporaryDirectory();
  const layout = mailLayout(join(directory.path, "inbox"), owner);
  await mkdir(join(directory.path, "inbox"));
  expect(await lookAtLive(layout)).toBeUndefined();
  await openFileMailbox(directory.path).append(text("one"));

  const bytes = (await readFile(livePath(directory.path))).length;
  expect(await lookAtLive(layout)).toEqual({ generation: 1, path: layout.live, bytes });
});
