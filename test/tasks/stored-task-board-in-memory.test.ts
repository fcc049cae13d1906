import { MemoryRecords } from "../../src/lib/memory-records.ts";
import type { Task } from "../../src/protocol/task.ts";
import { StoredTaskBoard } from "../../src/tasks/stored-task-board.ts";
import { testTaskBoard } from "../../src/testing/conformance/task-board.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

testTaskBoard("StoredTaskBoard in memory", async () => {
  const clock = new ManualClock();
  const records = new MemoryRecords<Task>();
  return {
    board: new StoredTaskBoard({ clock, records }),
    clock,
    reopen: async () => new StoredTaskBoard({ clock, records }),
    [Symbol.asyncDispose]: async () => {},
  };
});
