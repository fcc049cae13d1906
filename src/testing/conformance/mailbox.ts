import { describe, expect } from "vitest";
import type { Mailbox, MailboxReader, MailRecord } from "../../mailbox/mailbox.ts";
import { lead, newMessageId } from "../../protocol/ids.ts";
import type { MailPosition, MessageDraft } from "../../protocol/message.ts";
import { testWith } from "./test-with.ts";

/** A mailbox without a reader. `reopen` opens the same one as another process. */
export interface MailboxFixture extends AsyncDisposable {
  mailbox: Mailbox;
  reopen?(): Promise<Mailbox>;
}

export const nothingDelivered = { positions: [], ids: new Set<never>() };

/** The promises in mailbox.ts, one test each. */
export function testMailbox(name: string, open: () => Promise<MailboxFixture>): void {
  const test = testWith(open);
  describe(`${name} keeps the mailbox promises`, () => {
    test("unread mail is in order of arrival, regardless of the senders' clocks", async ({
      mailbox,
    }) => {
      await using reader = await openReader(mailbox);
      const first = await mailbox.append(text("first", { timestamp: 2 }));
      const second = await mailbox.append(text("second", { timestamp: 1 }));

      expect((await reader.unread()).map(({ message }) => message)).toEqual([first, second]);
    });

    test("reading does not consume; acknowledging does", async ({ mailbox }) => {
      await using reader = await openReader(mailbox);
      const sent = await mailbox.append(text("hello"));

      expect(await contents(reader)).toEqual(["hello"]);
      expect(await contents(reader)).toEqual(["hello"]);
      await reader.acknowledge(sent.id);
      expect(await contents(reader)).toEqual([]);
    });

    test("acknowledging a message settles it and those before it only", async ({ mailbox }) => {
      await using reader = await openReader(mailbox);
      await mailbox.append(text("one"));
      const two = await mailbox.append(text("two"));
      await mailbox.append(text("three"));
      await reader.unread();

      await reader.acknowledge(two.id);

      expect(await contents(reader)).toEqual(["three"]);
    });

    test("acknowledging a message that is not unread is refused", async ({ mailbox }) => {
      await using reader = await openReader(mailbox);

      await expect(reader.acknowledge(newMessageId(new Date()))).rejects.toThrow("not among");
    });

    test("a retried append stores the message once", async ({ mailbox }) => {
      await using reader = await openReader(mailbox);
      const id = newMessageId(new Date());
      await Promise.all([
        mailbox.append(text("once", { id })),
        mailbox.append(text("once", { id })),
      ]);

      expect(await contents(reader)).toEqual(["once"]);
    });

    test("mail that is already in the transcript is not delivered again", async (fixture) => {
      const first = await openReader(fixture.mailbox);
      await fixture.mailbox.append(text("seen"));
      const [seen] = await first.unread();
      if (!seen) throw new Error("nothing was unread");
      await fixture.mailbox.append(text("unseen"));
      await fixture.mailbox[Symbol.asyncDispose]();

      const again = (await fixture.reopen?.()) ?? fixture.mailbox;
      await using reader = await openReader(again, [seen.position]);

      expect(await contents(reader)).toEqual(["unseen"]);
    });

    test("the transcript's positions may be in any order", async (fixture) => {
      const first = await openReader(fixture.mailbox);
      for (const content of ["one", "two", "three"]) await fixture.mailbox.append(text(content));
      const positions = (await first.unread()).slice(0, 2).map(({ position }) => position);
      await fixture.mailbox[Symbol.asyncDispose]();

      const again = (await fixture.reopen?.()) ?? fixture.mailbox;
      await using reader = await openReader(again, positions);

      expect(await contents(reader)).toEqual(["three"]);
      expect(await states(again)).toContainEqual(["queued", "three"]);
    });

    test("mail that was not acknowledged and is in no transcript is delivered again", async (fixture) => {
      const first = await openReader(fixture.mailbox);
      await fixture.mailbox.append(text("unseen"));
      await first.unread();
      await fixture.mailbox[Symbol.asyncDispose]();

      const again = (await fixture.reopen?.()) ?? fixture.mailbox;
      await using reader = await openReader(again);

      expect(await contents(reader)).toEqual(["unseen"]);
    });

    test("acknowledged mail stays acknowledged for the next reader", async (fixture) => {
      const first = await openReader(fixture.mailbox);
      const sent = await fixture.mailbox.append(text("seen"));
      await first.unread();
      await first.acknowledge(sent.id);
      await fixture.mailbox[Symbol.asyncDispose]();

      const again = (await fixture.reopen?.()) ?? fixture.mailbox;
      await using reader = await openReader(again);

      expect(await contents(reader)).toEqual([]);
    });

    test("there is one reader at a time", async ({ mailbox }) => {
      const first = await openReader(mailbox);

      await expect(openReader(mailbox)).rejects.toThrow("has a reader already");
      await first[Symbol.asyncDispose]();

      await using second = await openReader(mailbox);
      await mailbox.append(text("hello"));
      expect(await contents(second)).toEqual(["hello"]);
    });

    test("if two readers are opened at once, one is refused", async ({ mailbox }) => {
      const opening = [openReader(mailbox), openReader(mailbox)];
      const outcomes = await Promise.allSettled(opening);

      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
      await mailbox[Symbol.asyncDispose]();
    });

    test("a listener is called when mail arrives", async ({ mailbox }) => {
      await using reader = await openReader(mailbox);
      const woken = new Promise<void>((resolve) => reader.onWake(resolve));

      await mailbox.append(text("wake up"));

      await woken;
      expect(await contents(reader)).toEqual(["wake up"]);
    });

    test("records show each state, newest first, and consume nothing", async ({ mailbox }) => {
      await using reader = await openReader(mailbox);
      const seen = await mailbox.append(text("seen"));
      const returned = await mailbox.append(text("returned"));
      await mailbox.append(text("waiting"));
      await reader.unread();
      await reader.acknowledge(seen.id);
      await reader.giveBack(returned.id);

      expect(await states(mailbox)).toEqual([
        ["queued", "waiting"],
        ["undelivered", "returned"],
        ["delivered", "seen"],
      ]);
      expect(await contents(reader)).toEqual(["waiting"]);
    });

    test("P01 a withdrawn message is no longer unread, also for the next reader", async (fixture) => {
      const { mailbox } = fixture;
      const first = await openReader(mailbox);
      await mailbox.append(text("before"));
      const taken = await mailbox.append(text("taken back"));
      const after = await mailbox.append(text("after"));
      await first.unread();

      expect(await first.withdraw(taken.id)).toBe(true);

      expect(await contents(first)).toEqual(["before", "after"]);
      expect(await first.withdraw(taken.id)).toBe(false);
      await mailbox[Symbol.asyncDispose]();
      await using again = (await fixture.reopen?.()) ?? mailbox;
      await using second = await openReader(again);
      expect(await contents(second)).toEqual(["before", "after"]);
      await second.acknowledge(after.id);
      expect(await states(again)).toEqual([
        ["delivered", "after"],
        ["withdrawn", "taken back"],
        ["delivered", "before"],
      ]);
    });

    test("a message that was settled is not withdrawn", async ({ mailbox }) => {
      await using reader = await openReader(mailbox);
      const seen = await mailbox.append(text("seen"));
      await reader.unread();
      await reader.acknowledge(seen.id);

      expect(await reader.withdraw(seen.id)).toBe(false);
      expect(await reader.withdraw(newMessageId(new Date()))).toBe(false);
      expect(await states(mailbox)).toEqual([["delivered", "seen"]]);
    });

    test("a text of more than 256 KiB is refused, with a hint what to do instead", async ({
      mailbox,
    }) => {
      const large = mailbox.append(text("ü".repeat(128 * 1024 + 1)));

      await expect(large).rejects.toMatchObject({
        code: "content-too-large",
        hint: expect.stringContaining("file"),
      });
      await mailbox.append(text("ü".repeat(128 * 1024)));
    });

    test("a second process sees what the first appended", async (fixture, { skip }) => {
      if (!fixture.reopen) return skip("this backend lives in one process");
      await fixture.mailbox.append(text("hello"));

      await using other = await fixture.reopen();

      expect(await states(other)).toEqual([["queued", "hello"]]);
    });
  });
}

function text(content: string, more: Partial<MessageDraft & { type: "message" }> = {}) {
  return { type: "message", from: lead, content, ...more } satisfies MessageDraft;
}

function openReader(mailbox: Mailbox, positions: MailPosition[] = []): Promise<MailboxReader> {
  return mailbox.openReader({
    delivered: { ...nothingDelivered, positions },
    onSetAside: () => undefined,
  });
}

async function contents(reader: MailboxReader): Promise<string[]> {
  return (await reader.unread()).map(({ message }) => message.content);
}

async function states(mailbox: Mailbox): Promise<[MailRecord["state"], string][]> {
  const result: [MailRecord["state"], string][] = [];
  for await (const record of mailbox.records()) {
    const content = record.state === "set aside" ? record.text : record.message.content;
    result.push([record.state, content]);
  }
  return result;
}
