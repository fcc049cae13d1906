import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import type { AgentEvent } from "../../src/protocol/events.ts";
import { EventHub } from "../../src/team/event-hub.ts";

function hubWithLog() {
  const log: AgentEvent[] = [];
  const hub = new EventHub({ append: (event) => log.push(event) }, systemClock);
  return { hub, log };
}

async function messagesOf(events: AsyncIterable<AgentEvent>): Promise<string[]> {
  const messages: string[] = [];
  for await (const event of events) if (event.type === "warning") messages.push(event.message);
  return messages;
}

test("any number of observers see every event in order, until the team is closed", async () => {
  const { hub, log } = hubWithLog();
  const observers = [hub.observe(), hub.observe(), hub.observe()].map(messagesOf);

  for (const message of ["one", "two", "three"]) hub.say({ type: "warning", message });
  hub.close();

  expect(await Promise.all(observers)).toEqual(Array(3).fill(["one", "two", "three"]));
  expect(log).toHaveLength(3);
});

test("an observer that stops gets no more events, and the others do", async () => {
  const { hub } = hubWithLog();
  const leaving = new AbortController();
  const [first, second] = [messagesOf(hub.observe(leaving.signal)), messagesOf(hub.observe())];

  hub.say({ type: "warning", message: "one" });
  leaving.abort();
  hub.say({ type: "warning", message: "two" });
  hub.close();

  expect(await first).toEqual(["one"]);
  expect(await second).toEqual(["one", "two"]);
});

test("P25 an observer that does not read is dropped, and affects no other", async () => {
  const { hub } = hubWithLog();
  const idle = hub.observe();
  const busy = messagesOf(hub.observe());

  for (let index = 0; index < 100_001; index++) {
    hub.say({ type: "warning", message: `${index}` });
    if (index % 10_000 === 0) await new Promise(setImmediate);
  }
  hub.close();

  await expect(messagesOf(idle)).rejects.toMatchObject({ code: "observer-slow" });
  expect(await busy).toHaveLength(100_001);
});

test("an observer that stops iterating is removed", async () => {
  const { hub } = hubWithLog();
  const events = hub.observe();
  hub.say({ type: "warning", message: "one" });
  for await (const _ of events) break;

  hub.say({ type: "warning", message: "two" });

  expect(await messagesOf(events)).toEqual([]);
});
