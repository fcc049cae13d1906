import { MemoryRecords } from "../../src/lib/memory-records.ts";
import type { TaskId } from "../../src/protocol/ids.ts";
import type { Task } from "../../src/protocol/task.ts";
import { MemoryTaskBoard } from "../../src/tasks/memory-task-board.ts";
import { testTaskBoard } from "../../src/testing/conformance/task-board.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

testTaskBoard("MemoryTaskBoard", async () => {
  const clock = new ManualClock();
  const records = new MemoryRecords<TaskId, Task>();
  return {
    board: new MemoryTaskBoard({ clock, records }),
    clock,
    reopen: async () => new MemoryTaskBoard({ clock, records }),
    [Symbol.asyncDispose]: async () => {},
  };
});
