import { expect, test } from "vitest";
import { Secrets } from "../../src/lib/secrets.ts";
import { MemoryEventLog } from "../../src/logs/memory-event-log.ts";
import { lead, MemberName, newMessageId, outside, user } from "../../src/protocol/ids.ts";
import type { Message } from "../../src/protocol/message.ts";
import { EventHub } from "../../src/team/event-hub.ts";
import { SentEvents } from "../../src/team/sent-events.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

const ada = MemberName.parse("ada");

/** The events of a team whose process can be started again. */
class Reports {
  readonly clock = new ManualClock();
  readonly log = new MemoryEventLog(this.clock);
  sent = this.#open();

  restart(): void {
    this.clock.advance(60_000);
    this.sent = this.#open();
  }

  message(content: string, more: Partial<Message> = {}): Message {
    const now = this.clock.now();
    const timestamp = now.getTime() / 1000;
    const id = newMessageId(now);
    return { id, type: "message", from: user, to: ada, content, timestamp, ...more } as Message;
  }

  get events() {
    return this.log.newest(100).map(({ event }) => event);
  }

  get previews() {
    return this.events.flatMap((event) => (event.type === "message-sent" ? [event.preview] : []));
  }

  #open(): SentEvents {
    const { clock, log } = this;
    const hub = new EventHub(log, clock);
    return new SentEvents({
      hub,
      log,
      secrets: new Secrets(["s3cret-of-the-person"]),
      openedAt: clock.now(),
    });
  }
}

test("each message has one event, however often it is read before it is acknowledged", async () => {
  const it = new Reports();
  const [one, two] = [it.message("one"), it.message("two")];

  await it.sent.report(ada, [one]);
  await it.sent.report(ada, [one, two]);
  await it.sent.report(ada, [two]);

  const { id, timestamp: _, ...rest } = one;
  expect(it.events[0]).toMatchObject({ type: "message-sent", id, member: user, to: rest.to });
  expect(it.previews).toEqual(["one", "two"]);
});

test("events from before a restart are not repeated, and new messages are reported", async () => {
  const it = new Reports();
  const before = it.message("before");
  await it.sent.report(ada, [before]);
  it.clock.advance(1000);
  const meanwhile = it.message("meanwhile");

  it.restart();
  await it.sent.report(ada, [before, meanwhile]);

  expect(it.previews).toEqual(["before", "meanwhile"]);
});

test("control: without the event log a restart reports everything again", async () => {
  const it = new Reports();
  const before = it.message("before");
  await it.sent.report(ada, [before]);

  it.restart();
  it.log.sentMessages = async () => new Set();
  await it.sent.report(ada, [before]);

  expect(it.previews).toEqual(["before", "before"]);
});

test("a line from outside is reported once, whatever time it claims", async () => {
  const it = new Reports();
  const line = it.message("by hand", { from: outside, timestamp: 4_000_000_000 });
  await it.sent.report(ada, [line]);

  it.restart();
  await it.sent.report(ada, [line]);

  expect(it.previews).toEqual(["by hand"]);
});

test("mailboxes are distinguished", async () => {
  const it = new Reports();
  await it.sent.report(ada, [it.message("to ada")]);
  await it.sent.report(lead, [it.message("to the lead", { to: lead })]);
  await it.sent.report(ada, []);

  expect(it.previews).toEqual(["to ada", "to the lead"]);
});

test("two simultaneous reads report a message once, and each resolves after its event", async () => {
  const it = new Reports();
  const message = it.message("one");
  it.restart();

  const first = it.sent.report(ada, [message]);
  await it.sent.report(ada, [message]);

  expect(it.previews).toEqual(["one"]);
  await first;
  expect(it.previews).toEqual(["one"]);
});

test("the preview of a message from another process contains no secret", async () => {
  const it = new Reports();

  await it.sent.report(ada, [it.message("the key is s3cret-of-the-person")]);

  expect(it.previews).toEqual([expect.not.stringContaining("s3cret-of-the-person")]);
});

test("after a restart messages are searched from their own time on, and lines by hand everywhere", async () => {
  const it = new Reports();
  const line = it.message("by hand", { from: outside });
  const message = it.message("by the person");
  const since: Date[] = [];
  const sentMessages = async (_: unknown, from: Date) => {
    since.push(from);
    return new Set<never>();
  };
  Object.assign(it.log, { sentMessages });
  it.restart();

  await it.sent.report(ada, [message]);
  await it.sent.report(lead, [message, line]);

  // The clocks of two processes may differ by a minute.
  expect(since[0]).toEqual(new Date(message.timestamp * 1000 - 60_000));
  expect(since[1]).toEqual(new Date(0));
});

test("the log is asked only about what may have been reported before", async () => {
  const it = new Reports();
  const asked: string[][] = [];
  it.log.sentMessages = async (ids) => {
    asked.push([...ids]);
    return new Set<never>();
  };
  await it.sent.report(ada, []);
  const [first, second] = [it.message("first"), it.message("second")];
  await it.sent.report(ada, [first]);
  it.clock.advance(1);
  await it.sent.report(ada, [first, second]);
  expect(asked).toEqual([]);

  const older = it.message("older", { timestamp: it.clock.now().getTime() / 1_000 - 10 });
  const claimed = it.message("claimed", { from: outside, timestamp: 1 });
  await it.sent.report(ada, [first, second, claimed]);
  await it.sent.report(ada, [older]);

  expect(asked).toEqual([[older.id]]);
  expect(it.previews).toEqual(["first", "second", "claimed", "older"]);
});
