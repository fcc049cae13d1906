import { expect, test } from "vitest";
import { MemoryEventLog } from "../../src/logs/memory-event-log.ts";
import { take, testEventLog, warning } from "../../src/testing/conformance/event-log.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

testEventLog("MemoryEventLog", async (clock) => ({
  log: new MemoryEventLog(clock),
  [Symbol.asyncDispose]: async () => {},
}));

test("only the newest events are kept, under their own numbers", async () => {
  const log = new MemoryEventLog(new ManualClock());

  for (let turn = 1; turn <= 10_005; turn++) log.append(warning(`${turn}`));

  expect(await take(log, 1)).toEqual([{ seq: 6, event: warning("6") }]);
});
