import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { MemoryMailbox } from "../../src/mailbox/memory-mailbox.ts";
import { lead, MemberName } from "../../src/protocol/ids.ts";
import { nothingDelivered, testMailbox } from "../../src/testing/conformance/mailbox.ts";

const owner = MemberName.parse("ada");
const hello = { type: "message", from: lead, content: "hello" } as const;

testMailbox("MemoryMailbox", async () => {
  const mailbox = new MemoryMailbox({ owner, clock: systemClock });
  return { mailbox, [Symbol.asyncDispose]: () => mailbox[Symbol.asyncDispose]() };
});

test("a watcher is notified of new and settled mail", async () => {
  const changes: string[] = [];
  const onChange = (change: string) => changes.push(change);
  await using mailbox = new MemoryMailbox({ owner, clock: systemClock, onChange });
  const options = { delivered: nothingDelivered, onSetAside: () => undefined };
  const reader = await mailbox.openReader(options);

  const [one, two] = [await mailbox.append(hello), await mailbox.append(hello)];
  await reader.acknowledge(one.id);
  await reader.giveBack(two.id);

  expect(changes).toEqual(["mail", "mail", "mail-read", "mail-read"]);
});

test("a listener is not called after the reader is closed", async () => {
  await using mailbox = new MemoryMailbox({ owner, clock: systemClock });
  const options = { delivered: nothingDelivered, onSetAside: () => undefined };
  const reader = await mailbox.openReader(options);
  let wakes = 0;
  reader.onWake(() => wakes++);
  await mailbox.append(hello);
  await reader[Symbol.asyncDispose]();

  await mailbox.append(hello);

  expect(wakes).toBe(1);
});
