import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hashAnchor, type MailCursor } from "../../src/mailbox/mail-cursor.ts";
import { mailLayout } from "../../src/mailbox/mail-layout.ts";
import { type RecoveryOptions, recoverSources } from "../../src/mailbox/mail-source.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** Every log has these lines, 4 bytes each. */
const text = "aaa\nbbb\nccc\n";

function cursorAt(generation: number, offset: number, segments: MailCursor["segments"] = []) {
  const anchor = hashAnchor(Buffer.from(text.slice(Math.max(0, offset - 4), offset)));
  return { generation, offset, ino: "1", anchor, segments };
}

/** Where reading goes on with segments 1 to `segments` and a live log. */
async function recovered(
  segments: number,
  options: Partial<RecoveryOptions> = {},
  live: string = text,
) {
  await using directory = await temporaryDirectory();
  const layout = mailLayout(join(directory.path, "inbox"), MemberName.parse("ada"));
  await mkdir(join(directory.path, "inbox", ".ada"), { recursive: true });
  await writeFile(join(directory.path, "inbox", "ada.jsonl"), live);
  for (let n = 1; n <= segments; n++) {
    await writeFile(join(directory.path, "inbox", ".ada", `00000${n}.jsonl`), text);
  }
  const sources = await recoverSources({
    layout,
    cursor: undefined,
    delivered: [],
    lost: undefined,
    ...options,
  });
  return sources.map(({ generation, settled, isAnother, againUpTo }) => {
    return [generation, settled.offset, isAnother ? "another" : againUpTo];
  });
}

const lostAfter = (after: { generation: number; offset: number } | undefined) => {
  return { lost: { after, isWanted: () => true } };
};

test("a mailbox without a cursor is read from its first line", async () => {
  expect(await recovered(0)).toEqual([[1, 0, 0]]);
  expect(await recovered(4)).toEqual([
    [1, 0, 0],
    [2, 0, 0],
    [3, 0, 0],
    [4, 0, 0],
    [5, 0, 0],
  ]);
});

test("after a cursor, only the two newest segments are used", async () => {
  expect(await recovered(4, { cursor: cursorAt(5, 4) })).toEqual([
    [3, 12, 12],
    [4, 12, 12],
    [5, 4, 4],
  ]);
});

test("a segment that was not read to its end is continued, however old it is", async () => {
  const segments = [
    { generation: 1, offset: 8 },
    { generation: 2, offset: 12 },
  ];

  expect(await recovered(5, { cursor: cursorAt(6, 0, segments) })).toEqual([
    [1, 8, 8],
    [4, 12, 12],
    [5, 12, 12],
    [6, 0, 0],
  ]);
});

test("the later one of cursor and transcript is used", async () => {
  const delivered = [
    { generation: 2, offset: 8 },
    { generation: 2, offset: 4 },
  ];

  expect(await recovered(1, { cursor: cursorAt(2, 4), delivered })).toEqual([
    [1, 12, 12],
    [2, 8, 8],
  ]);
  expect(await recovered(1, { cursor: cursorAt(2, 12), delivered })).toEqual([
    [1, 12, 12],
    [2, 12, 12],
  ]);
  expect(await recovered(1, { delivered: [{ generation: 1, offset: 4 }] })).toEqual([
    [1, 4, 4],
    [2, 0, 0],
  ]);
});

test("the live log is the newest one in any record", async () => {
  expect(await recovered(1, { cursor: cursorAt(4, 4) })).toEqual([[4, 4, 4]]);
  expect(await recovered(1, { delivered: [{ generation: 7, offset: 4 }] })).toEqual([[7, 4, 4]]);
});

test("a live log that the cursor does not know is another one, read from its start", async () => {
  expect(await recovered(0, { cursor: cursorAt(1, 8) }, "aaa\nxxx\nccc\n")).toEqual([
    [2, 0, "another"],
  ]);
  expect(await recovered(0, { cursor: cursorAt(1, 8) }, "aaa\n")).toEqual([[2, 0, "another"]]);
  expect(await recovered(0, { delivered: [{ generation: 1, offset: 5 }] })).toEqual([
    [2, 0, "another"],
  ]);
  expect(await recovered(0, { cursor: cursorAt(1, 4) }, "aaa\nxxx\n")).toEqual([[1, 4, 4]]);
});

test("nothing of a segment that is shorter than its read part is skipped", async () => {
  const segments = [{ generation: 1, offset: 16 }];

  expect(await recovered(1, { cursor: cursorAt(2, 4, segments) })).toEqual([
    [1, 0, "another"],
    [2, 4, 4],
  ]);
});

test("for mail that a transcript has lost, logs are read again from there", async () => {
  const cursor = cursorAt(5, 8);

  expect(await recovered(4, { cursor, ...lostAfter({ generation: 2, offset: 4 }) })).toEqual([
    [2, 4, 12],
    [3, 0, 12],
    [4, 0, 12],
    [5, 0, 8],
  ]);
  expect(await recovered(4, { cursor, ...lostAfter({ generation: 5, offset: 4 }) })).toEqual([
    [3, 12, 12],
    [4, 12, 12],
    [5, 4, 8],
  ]);
  expect((await recovered(4, { cursor, ...lostAfter(undefined) })).map(([n]) => n)).toEqual([
    1, 2, 3, 4, 5,
  ]);
  expect(await recovered(4, { cursor, ...lostAfter({ generation: 1, offset: 12 }) })).toEqual([
    [2, 0, 12],
    [3, 0, 12],
    [4, 0, 12],
    [5, 0, 8],
  ]);
});
