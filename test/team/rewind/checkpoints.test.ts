import { expect, test } from "vitest";
import { lead, MemberName, newMessageId, user } from "../../../src/protocol/ids.ts";
import type { Message } from "../../../src/protocol/message.ts";
import type { ReceivedMail, TranscriptEntry } from "../../../src/protocol/transcript.ts";
import { findCheckpoints, requireCheckpoint } from "../../../src/team/rewind/checkpoints.ts";

const at = "2026-01-01T09:00:00.000Z";

test.each([
  ["1 2 3", ["1", "2", "3"]],
  ["1 - 2 back:1", ["1"]],
  ["1 2 - back:2", ["1"]],
  ["1 2 - back:1", ["1", "2"]],
  ["1 2 back:2", []],
  ["1 2 back:1 3", ["1", "3"]],
  ["1 2 back:1 3 back:3", ["1"]],
  ["- back:1 1", ["1"]],
])("the prompts that count after %s are %j", async (story, expected) => {
  const entries = story.split(" ").map((step): TranscriptEntry => {
    const [name = "", voids] = step.split(":");
    if (name === "-") return { type: "run-start", at };
    if (name === "back") return { type: "rewind", at, voids: Number(voids), delivered: [] };
    return { type: "delivery", at, ...received(name) };
  });

  const found = await findCheckpoints(asStream(entries));

  expect(found.map(({ text }) => text)).toEqual(expected);
});

test.each([
  ["a broadcast of the person", { type: "broadcast" }, true],
  ["a message of a teammate", { from: "alice" }, false],
  ["a broadcast of a teammate", { from: "alice", type: "broadcast" }, false],
  ["a notification of the person", { type: "idle_notification" }, false],
] as const)("%s is a prompt to go back to: %s", async (_, fields, isPrompt) => {
  const entries = asStream([{ type: "delivery", at, ...received("x", fields) }]);

  expect(await findCheckpoints(entries)).toHaveLength(isPrompt ? 1 : 0);
});

test("a checkpoint has when its prompt was seen, and its text, cut where it is long", async () => {
  const mail = received("x".repeat(2_001));
  const entries = [{ type: "delivery", at, ...mail }] as const;

  const { checkpoint, prompt, point } = await requireCheckpoint(asStream(entries), mail.message.id);

  expect(checkpoint).toMatchObject({ id: mail.message.id, at });
  expect(checkpoint.text.length).toBeLessThan(2_010);
  expect(prompt).toBe(mail.message.content);
  expect(point).toEqual({
    ...{ id: mail.message.id, seenAt: new Date(at), sentAt: new Date("2026-01-01T08:59:00.000Z") },
  });
});

test("there is no going back to what is no prompt", async () => {
  const mail = received("x", { from: "alice" });
  const entries = [{ type: "delivery", at, ...mail }] as const;

  await expect(requireCheckpoint(asStream(entries), mail.message.id)).rejects.toMatchObject({
    ...{ code: "request-unknown", message: `There is no checkpoint ${mail.message.id}` },
  });
});

interface MailFields {
  from?: string;
  type?: "message" | "broadcast" | "idle_notification";
}

/** Mail that was sent a minute before it was seen. */
function received(
  content: string,
  { from = user, type = "message" }: MailFields = {},
): ReceivedMail {
  const sentAt = new Date("2026-01-01T08:59:00.000Z");
  const message: Message = {
    ...{ id: newMessageId(sentAt), type, from: MemberName.parse(from), to: lead },
    ...{ content, timestamp: sentAt.getTime() / 1_000 },
  };
  return { message, position: { generation: 0, offset: 10 } };
}

async function* asStream(entries: readonly TranscriptEntry[]): AsyncGenerator<TranscriptEntry> {
  yield* entries;
}
