import { appendFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { mailLayout } from "../../src/mailbox/mail-layout.ts";
import { UnreadCount } from "../../src/mailbox/unread-count.ts";
import { lead, MemberName } from "../../src/protocol/ids.ts";
import {
  acknowledgeAll,
  echo,
  livePath,
  openBox,
  sidePath,
  temporaryDirectory,
} from "../support/file-mailbox.ts";

const hello = { type: "message", from: lead, content: "hello" } as const;

function countIn(directory: string): UnreadCount {
  return new UnreadCount(mailLayout(`${directory}/inbox`, MemberName.parse("ada")));
}

test("unacknowledged mail is counted, at each call", async () => {
  await using directory = await temporaryDirectory();
  const count = countIn(directory.path);
  expect(await count.read()).toBe(0);
  await using box = await openBox(directory.path);
  expect(await count.read()).toBe(0);
  const [first] = [await box.mailbox.append(hello), await box.mailbox.append(hello)];
  await box.mailbox.append(hello);
  expect(await count.read()).toBe(3);
  await box.reader.unread();

  await box.reader.acknowledge(first.id);

  expect(await count.read()).toBe(2);
  expect(await countIn(directory.path).read()).toBe(2);
  await box.mailbox.append(hello);
  expect(await count.read()).toBe(3);
  await acknowledgeAll(box.reader);
  expect(await count.read()).toBe(0);
});

test("messages for the runtime only and blank lines are not counted; lines written by hand are", async () => {
  await using directory = await temporaryDirectory();
  await using box = await openBox(directory.path);
  const count = countIn(directory.path);

  await box.mailbox.append({ type: "mode_set_request", from: lead, mode: "plan" });
  await echo(directory.path, "\n\n");
  expect(await count.read()).toBe(0);
  await echo(directory.path, 'by hand\n{"content":"hi"}\n');
  expect(await count.read()).toBe(2);
});

test("a log that was replaced or shortened is counted from its start", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(`${directory.path}/inbox`);
  const count = countIn(directory.path);
  await echo(directory.path, "one\ntwo\nthree\n");
  expect(await count.read()).toBe(3);

  await writeFile(livePath(directory.path), "four\n");
  expect(await count.read()).toBe(1);
  await appendFile(`${livePath(directory.path)}.new`, "a longer line\nfive\n");
  await rename(`${livePath(directory.path)}.new`, livePath(directory.path));
  expect(await count.read()).toBe(2);
  await rm(livePath(directory.path));
  expect(await count.read()).toBe(0);
});

test("after a rotation the new log is counted", async () => {
  await using directory = await temporaryDirectory();
  const limits = { rotateBytes: 1, historyBytes: 1024 * 1024 };
  await using box = await openBox(directory.path, { limits });
  const count = countIn(directory.path);
  for (let n = 0; n < 3; n++) await box.mailbox.append(hello);
  expect(await count.read()).toBe(3);
  await acknowledgeAll(box.reader);

  await box.mailbox.append(hello);

  expect(await count.read()).toBe(1);
  await writeFile(sidePath(directory.path, "cursor"), "damaged");
  expect(await count.read()).toBe(1);
});
