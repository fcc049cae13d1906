import { expect, test } from "vitest";
import { MailInput } from "../../src/agent/input.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { lead, newRequestId, user } from "../../src/protocol/ids.ts";
import type { ImageReference, MessageDraft } from "../../src/protocol/message.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { openInbox } from "../support/inbox.ts";

test("mail is taken where it is worth a request, or where one is due anyway", async () => {
  await using it = await openInput({ isWorthwhile: false });
  await it.tell("hi");

  expect(await it.input.take(false)).toEqual([]);
  const taken = await it.input.take(true);
  expect(taken).toMatchObject([{ type: "delivery", at: it.at, message: { content: "hi" } }]);
  expect(taken[0]).not.toHaveProperty("images");

  it.conduct.isWorthwhile = true;
  expect(await it.input.take(false)).toEqual(taken);
  await it.input.takeIn(taken, recorded);
  expect(await it.input.take(true)).toEqual([]);
  await it.input.takeIn([], recorded);
});

test("a request shows as much mail as fits, oldest first, and the rest comes with the next", async () => {
  await using it = await openInput();
  for (let number = 1; number <= 12; number++) await it.tell(`${number} ${"x".repeat(9_900)}`);

  const first = await it.input.take(true);
  await it.input.takeIn(first, recorded);
  const second = await it.input.take(true);

  expect([...first, ...second].map(({ message }) => Number.parseInt(message.content, 10))).toEqual(
    Array.from({ length: 12 }, (_, index) => index + 1),
  );
  expect([first.length, second.length]).toEqual([10, 2]);
});

test("mail that was taken for a request before leaves less room in it", async () => {
  await using it = await openInput();
  for (let number = 1; number <= 9; number++) await it.tell("x".repeat(9_900));
  const first = await it.input.take(true);
  await it.input.takeIn(first, recorded);
  for (let number = 1; number <= 2; number++) await it.tell("y".repeat(9_900));

  expect(await it.input.take(true, first)).toHaveLength(1);

  const tooLong = { type: "plan_approval_request", request_id, plan: "z".repeat(99_000) } as const;
  await using other = await openInput();
  await other.tell("", tooLong);
  expect(await other.input.take(true)).toHaveLength(1);
  expect(await other.input.take(true, first)).toEqual([]);
});

test("the result of a call shows less mail, but always one message", async () => {
  await using it = await openInput();
  for (let number = 1; number <= 6; number++) await it.tell("x".repeat(9_900));
  expect(await it.input.takeForResult()).toHaveLength(4);

  await using other = await openInput();
  const plan = "y".repeat(60_000);
  await other.tell("", { type: "plan_approval_request", request_id, plan });
  await other.tell("", { type: "plan_approval_request", request_id, plan });
  expect(await other.input.takeForResult()).toHaveLength(1);
});

test("mail that no model is shown takes no room", async () => {
  await using it = await openInput();
  for (let number = 1; number <= 12; number++) {
    await it.tell("x".repeat(9_900), { type: "mode_set_request", from: user, mode: "plan" });
  }
  await it.tell("seen");

  expect(await it.input.take(true)).toHaveLength(13);
});

test("the whole of a message is kept only where a part of it is shown", async () => {
  await using it = await openInput();
  await it.tell("short");
  const long = "z".repeat(50_000);
  const { id } = await it.tell(long);

  await it.input.take(true);

  expect(it.kept).toEqual([[`/outputs/${id}.txt`, long]]);
});

test("the chosen amount of mail is taken, regardless of its size", async () => {
  await using it = await openInput();
  for (let number = 1; number <= 15; number++) await it.tell("x".repeat(9_900));

  const taken = await it.input.takeSome((unread) => unread.length - 1);

  expect(taken).toHaveLength(14);
  expect(taken[0]).toMatchObject({ type: "delivery", at: it.at });
});

const shot = (name: string, bytes = 100): ImageReference => ({
  media_type: "image/png",
  sha256: name.repeat(64),
  bytes,
});

test("mail brings the images whose files are there", async () => {
  await using it = await openInput();
  await it.tell("Look.", { images: [shot("a"), shot("b")] });
  it.lost.add(shot("a").sha256);

  const [mail] = await it.input.take(true);

  expect(mail?.images).toEqual([{ media_type: "image/png", data: shot("b").sha256 }]);
});

test("P25 images that are too large for one request come with the next", async () => {
  await using it = await openInput();
  for (const name of ["a", "b", "c"]) await it.tell(name, { images: [shot(name, 4_000_000)] });

  const taken = await it.input.take(true);
  const more = await it.input.take(true, taken);

  expect(taken.map(({ message }) => message.content)).toEqual(["a", "b"]);
  expect(more).toEqual([]);
});

test("the result of a call shows the mail before the first message with images", async () => {
  await using it = await openInput();
  await it.tell("one");
  await it.tell("two", { images: [shot("a")] });
  await it.tell("three");

  const taken = await it.input.takeForResult();

  expect(taken.map(({ message }) => message.content)).toEqual(["one"]);
  await it.input.takeIn(taken, recorded);
  expect(await it.input.takeForResult()).toEqual([]);
});

const request_id = newRequestId(new Date(0));

/** The transcript is not under test. */
const recorded = async () => undefined;

async function openInput(conduct = { isWorthwhile: true }) {
  const clock = new ManualClock();
  const store = new MemoryTeamStore({ clock });
  const { reader, mailbox } = await store.openMember(lead, { onSetAside: () => undefined });
  const kept: [string, string][] = [];
  const lost = new Set<string>();
  return {
    conduct,
    at: clock.now().toISOString(),
    kept,
    input: new MailInput({
      reader: openInbox(reader),
      isWorthwhile: () => conduct.isWorthwhile,
      wholePath: ({ id }) => `/outputs/${id}.txt`,
      keepWhole: async (path, text) => void kept.push([path, text]),
      readImage: ({ media_type, sha256 }) =>
        lost.has(sha256) ? undefined : { media_type, data: sha256 },
      secrets: new Secrets([]),
      clock,
    }),
    lost,
    tell: (content: string, more: Partial<MessageDraft> = {}) =>
      mailbox.append({ type: "message", from: user, content, ...more } as MessageDraft),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
