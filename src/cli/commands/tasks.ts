import type { Task } from "../../protocol/task.ts";
import { type Command, lookOptions } from "../command.ts";
import { jsonText } from "../render/json-text.ts";
import { oneLine } from "../render/one-line.ts";

export const tasks: Command = {
  name: "tasks",
  group: "look",
  summary: "Show the task board",
  parameters: [],
  options: lookOptions,
  examples: [
    { call: "troupe tasks", does: "all tasks with status, owner and result" },
    {
      call: "troupe tasks --json | jq '.[] | select(.status!=\"completed\")'",
      does: "tasks that are not done",
    },
  ],

  async run({ json, teamDir }, io) {
    const board = await (await io.viewTeam(teamDir)).tasks();
    const lines = board.length === 0 ? ["No tasks."] : board.map(taskLine);
    for (const line of json ? [jsonText(board, 2)] : lines) io.out(line);
    return 0;
  },
};

function taskLine({ id, status, subject, owner, blocked_by, result }: Task): string {
  const notes = [
    ...(owner ? [`owner ${owner}`] : []),
    ...(status === "pending" && blocked_by.length > 0
      ? [`blocked by ${blocked_by.join(", ")}`]
      : []),
    ...(result ? [oneLine(result, 60)] : []),
  ];
  const aside = notes.length > 0 ? ` (${notes.join("; ")})` : "";
  return `  ${id}. [${status}] ${oneLine(subject, 100)}${aside}`;
}
