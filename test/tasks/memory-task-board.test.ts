import { MemoryTaskBoard } from "../../src/tasks/memory-task-board.ts";
import { testTaskBoard } from "../../src/testing/conformance/task-board.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

testTaskBoard("MemoryTaskBoard", async () => {
  const clock = new ManualClock();
  return { board: new MemoryTaskBoard({ clock }), clock, [Symbol.asyncDispose]: async () => {} };
});
