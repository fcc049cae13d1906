import { describe, expect } from "vitest";
import type { EventLog, EventReader, FollowLogOptions } from "../../logs/event-log.ts";
import type { AgentEvent, StoredEvent } from "../../protocol/events.ts";
import { MemberName, type MessageId, newMessageId } from "../../protocol/ids.ts";
import { ManualClock } from "../manual-clock.ts";
import { testWith } from "./test-with.ts";

/**
 * The promises in event-log.ts, one test each. `restart` opens the log as a new process that
 * continues to write.
 */
export interface EventLogFixture extends AsyncDisposable {
  log: EventLog;
  restart?(): Promise<EventLog>;
}

export function testEventLog(name: string, open: (clock: ManualClock) => Promise<EventLogFixture>) {
  const test = testWith(async () => {
    const clock = new ManualClock();
    return Object.assign(await open(clock), { clock });
  });
  describe(`${name} keeps the event log promises`, () => {
    test("events are stored in order with increasing numbers", async ({ log }) => {
      const events = [runStart("ada"), warning('"one"\ntwo'), runStart("bob")];

      for (const event of events) log.append(event);

      expect(await take(log, 3)).toEqual([
        { seq: 1, event: events[0] },
        { seq: 2, event: events[1] },
        { seq: 3, event: events[2] },
      ]);
      expect(await log.lastSeq()).toBe(3);
    });

    test("a member's text is joined for 100 ms into one event", async ({ log, clock }) => {
      log.append(delta("ada", "Hello"));
      clock.advance(99);
      log.append(delta("ada", ", world"));
      expect(await log.lastSeq()).toBe(0);
      clock.advance(1);
      log.append(delta("ada", "!"));
      clock.advance(100);

      expect(await takeEvents(log, 2)).toEqual([delta("ada", "Hello, world"), delta("ada", "!")]);
    });

    test("an event is stored after the text that preceded it", async ({ log }) => {
      log.append(delta("ada", "Done"));
      log.append(delta("ada", "."));
      log.append(runStart("ada"));

      expect(await takeEvents(log, 2)).toEqual([delta("ada", "Done."), runStart("ada")]);
    });

    test("texts of two members are joined separately, without cuts", async ({ log, clock }) => {
      log.append(delta("ada", "A"));
      log.append(delta("bob", "B"));
      log.append(runStart("carol"));
      log.append(delta("ada", "a"));
      log.append(delta("bob", "b"));
      clock.advance(100);

      expect(await takeEvents(log, 3)).toEqual([
        runStart("carol"),
        delta("ada", "Aa"),
        delta("bob", "Bb"),
      ]);
    });

    test("flush stores pending text, once", async ({ log, clock }) => {
      log.append(delta("ada", "Hel"));

      await log.flush();
      clock.advance(1000);

      expect(await takeEvents(log, 1)).toEqual([delta("ada", "Hel")]);
      expect(await log.lastSeq()).toBe(1);
    });

    test("disposal stores pending text", async ({ log }) => {
      log.append(delta("ada", "last words"));

      await log[Symbol.asyncDispose]();

      expect(await takeEvents(log, 1)).toEqual([delta("ada", "last words")]);
    });

    test("a follower gets each new event at once", async ({ log }) => {
      await using follower = startFollower(log);

      for (let turn = 1; turn <= 50; turn++) {
        const next = follower.next();
        log.append(warning(`${turn}`));
        expect(await next).toEqual({
          done: false,
          value: { seq: turn, event: warning(`${turn}`) },
        });
      }
    });

    test("a follower starts after the given number", async ({ log }) => {
      for (let turn = 1; turn <= 5; turn++) log.append(warning(`${turn}`));

      await using follower = startFollower(log, { after: 3 });

      expect(await follower.next()).toMatchObject({ value: { seq: 4 } });
      expect(await follower.next()).toMatchObject({ value: { seq: 5 } });
    });

    test("followers are independent, and a slow one misses no event", async ({ log }) => {
      await using slow = startFollower(log);
      log.append(warning("1"));
      await slow.next();

      for (let turn = 2; turn <= 300; turn++) log.append(warning(`${turn}`));

      const seen = (await take(log, 300)).map(({ seq }) => seq);
      expect(seen).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
      for (let turn = 2; turn <= 300; turn++) {
        expect(await slow.next()).toMatchObject({ value: { seq: turn } });
      }
    });

    test("an abort ends a follower, whether it waits or has events left", async ({ log }) => {
      const abort = new AbortController();
      await using waiting = startFollower(log, { signal: abort.signal });
      await using reading = startFollower(log, { signal: abort.signal });
      log.append(warning("1"));
      log.append(warning("2"));
      await waiting.next();
      await waiting.next();
      await reading.next();

      const next = waiting.next();
      abort.abort();

      expect(await next).toEqual({ done: true, value: undefined });
      expect(await reading.next()).toEqual({ done: true, value: undefined });
    });

    test("of given messages, those with a stored event are found", async ({ log }) => {
      const [stored, other, missing] = [
        newMessageId(new Date(at)),
        newMessageId(new Date(at)),
        newMessageId(new Date(at)),
      ];
      for (const id of [stored, other]) log.append(sent(id));
      log.append(warning(`"type":"message-sent" ${missing}`));

      const asked = new Set([stored, missing]);

      expect(await log.sentMessages(asked, new Date(at))).toEqual(new Set([stored]));
    });

    test("messages whose sending was stored are found after a restart", async (fixture, {
      skip,
    }) => {
      if (!fixture.restart) return skip("backend lives in one process");
      const id = newMessageId(new Date(at));
      fixture.log.append(sent(id));

      const restarted = await fixture.restart();

      expect(await restarted.sentMessages(new Set([id]), new Date(at))).toEqual(new Set([id]));
    });

    test("numbering continues after a restart", async (fixture, { skip }) => {
      if (!fixture.restart) return skip("backend lives in one process");
      fixture.log.append(warning("1"));

      const restarted = await fixture.restart();
      restarted.append(warning("2"));

      expect((await take(restarted, 2)).map(({ seq }) => seq)).toEqual([1, 2]);
    });
  });
}

const at = "2026-01-01T00:00:00.000Z";

function sent(id: MessageId): AgentEvent {
  const [member, to] = [MemberName.parse("ada"), MemberName.parse("bob")];
  return { type: "message-sent", at, member, id, message_type: "message", to };
}

export function warning(message: string): AgentEvent {
  return { type: "warning", at, message };
}

export function runStart(member: string): AgentEvent {
  return { type: "run-start", at, member: MemberName.parse(member) };
}

function delta(member: string, text: string): AgentEvent {
  return { type: "text-delta", at, member: MemberName.parse(member), text };
}

/** Waits for the first `count` events of `log`. */
export async function take(log: EventReader, count: number): Promise<StoredEvent[]> {
  const { signal } = new AbortController();
  const taken: StoredEvent[] = [];
  for await (const stored of log.follow({ signal })) {
    taken.push(stored);
    if (taken.length === count) break;
  }
  return taken;
}

async function takeEvents(log: EventReader, count: number): Promise<AgentEvent[]> {
  return (await take(log, count)).map(({ event }) => event);
}

/** A follower that reads one event at a time, and stops when its `await using` ends. */
export function startFollower(log: EventReader, options: Partial<FollowLogOptions> = {}) {
  const { signal } = new AbortController();
  const iterator = log.follow({ signal, ...options })[Symbol.asyncIterator]();
  return {
    next: () => iterator.next(),
    [Symbol.asyncDispose]: async () => {
      await iterator.return?.();
    },
  };
}
