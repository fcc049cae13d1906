import fs from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hmacSignature } from "../../src/keys/signature.ts";
import { LogHead } from "../../src/lib/log-head.ts";
import { leaveMail } from "../../src/mailbox/leave-mail.ts";
import { newestQueued } from "../../src/mailbox/mailbox.ts";
import { lead, MemberName } from "../../src/protocol/ids.ts";
import { patchFs } from "../../src/testing/patched-fs.ts";
import {
  acknowledgeAll,
  echo,
  livePath,
  openBox,
  openFileMailbox,
  temporaryDirectory,
} from "../support/file-mailbox.ts";

const hello = { type: "message", from: lead, content: "hello" } as const;

async function leave(directory: string) {
  const head = await LogHead.open(join(directory, "head"), { onWarning: () => undefined });
  const message = await leaveMail(hello, {
    inbox: join(directory, "inbox"),
    owner: MemberName.parse("ada"),
    signature: hmacSignature(Buffer.alloc(32, 7)),
    now: new Date(5_000),
    head,
  });
  return { head, message };
}

test("mail can be sent before the mailbox was opened, and its loss is detected from then on", async () => {
  await using directory = await temporaryDirectory();

  const { head, message } = await leave(directory.path);

  expect(await readFile(livePath(directory.path), "utf8")).toContain(message.id);
  const { size } = await stat(livePath(directory.path));
  expect(head.marks).toMatchObject([{ generation: 1, bytes: size }]);
  await using box = await openBox(directory.path);
  expect((await box.reader.unread()).map((it) => it.message)).toEqual([message]);
});

test("a log that is removed at once is not marked", async () => {
  await using directory = await temporaryDirectory();
  const { openSync } = fs;
  const { O_CREAT, O_RDWR, O_WRONLY } = fs.constants;
  const isToRead = (flags: unknown) => (Number(flags) & (O_CREAT | O_RDWR | O_WRONLY)) === 0;
  using _ = patchFs(fs, {
    openSync: (path, flags, mode) => {
      if (String(path).endsWith("ada.jsonl") && isToRead(flags))
        fs.rmSync(livePath(directory.path), { force: true });
      return openSync(path, flags, mode);
    },
  });

  const { head } = await leave(directory.path);

  expect(head.marks).toEqual([]);
});

test("the newest queued message is only one that still waits", async () => {
  await using directory = await temporaryDirectory();
  await using box = await openBox(directory.path);
  expect(await newestQueued(box.mailbox)).toBeUndefined();
  await box.mailbox.append(hello);
  const newest = await box.mailbox.append(hello);
  await echo(directory.path, '{"damaged\n');

  expect(await newestQueued(openFileMailbox(directory.path))).toBe(newest.id);
  await acknowledgeAll(box.reader);
  expect(await newestQueued(box.mailbox)).toBeUndefined();
});
