import { testChangeHistory } from "../../src/testing/conformance/change-history.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { MemoryChangeHistory } from "../../src/workspace/memory-change-history.ts";

testChangeHistory("MemoryChangeHistory", async (limits) => {
  const clock = new ManualClock();
  const history = new MemoryChangeHistory(clock, limits);
  return { history, clock, reopen: () => history, [Symbol.asyncDispose]: async () => undefined };
});
