/**
 * A process that creates tasks and claims all it finds: `racing-member.ts <directory> <name> <count>`.
 *
 * It says `ready`, waits for a line, and then says as JSON which tasks it created and which it won.
 */
import { once } from "node:events";
import { TeamError } from "../../src/errors.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { MemberName, type TaskId } from "../../src/protocol/ids.ts";
import { StoredTaskBoard } from "../../src/tasks/stored-task-board.ts";

const [directory = "", name = "", count = ""] = process.argv.slice(2);
const by = MemberName.parse(name);
const board = StoredTaskBoard.inFiles({
  directory,
  clock: systemClock,
  onDamage(problem) {
    throw new Error(problem);
  },
});

console.log("ready");
await once(process.stdin, "data");
process.stdin.pause();

const created: TaskId[] = [];
const won: TaskId[] = [];
for (let number = 0; number < Number(count); number++) {
  created.push((await board.create({ subject: "work", created_by: by })).id);
  for (const { id } of await board.claimable()) {
    try {
      await board.claim(id, { by });
      won.push(id);
    } catch (error) {
      if (!(error instanceof TeamError) || error.code !== "task-refused") throw error;
    }
  }
}
console.log(JSON.stringify({ created, won }));
