import { z } from "zod";
import { TeamError } from "../../errors.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { Task } from "../../protocol/task.ts";
import type { PageCursor, TeamView } from "../../team/view/team-view.ts";
import { FilledText, NoInput, TaskReference } from "../../tools/team/inputs.ts";
import { jsonText } from "../render/json-text.ts";
import { shown } from "../render/shown.ts";
import { TranscriptLines, tellsPeople } from "../render/transcript-lines.ts";
import { Cursor, memberOf } from "./mail-tools.ts";
import { fitting, marked } from "./marked.ts";
import type { PersonAccess } from "./person-access.ts";
import { personTool } from "./person-tool.ts";

export const team = personTool({
  name: "team",
  description:
    "The members: status, model, permission mode, tokens, cost and unread mail of each, and whether the team runs.",
  input: NoInput,
  answer: async (_, access) => teamText(access),
});

export async function teamText(access: PersonAccess): Promise<string> {
  const { team: command } = await import("../commands/team.ts");
  const lead = await (await access.view()).lead();
  const running = lead ? `The team runs (process ${lead.pid}).` : "The team is not running.";
  return `${running}\n${marked("team-data", { of: "roster" }, await access.print(command))}`;
}

export const tasks = personTool({
  name: "tasks",
  description: "The task board; with an id, everything about that task.",
  input: z.object({ task_id: TaskReference.optional() }),
  answer: async ({ task_id: id }, access) =>
    id === undefined ? taskList(access) : taskText(await access.view(), id),
});

export async function taskList(access: PersonAccess): Promise<string> {
  const { tasks: command } = await import("../commands/tasks.ts");
  return marked("team-data", { of: "tasks" }, await access.print(command));
}

export async function taskText(view: TeamView, id: string): Promise<string> {
  const all = await view.tasks();
  const task = all.find((each) => each.id === id);
  if (!task) throw unknownTask(id, all);
  return marked("team-data", { of: `task ${id}` }, shown(jsonText(task, 2)));
}

function unknownTask(id: string, all: readonly Task[]): TeamError {
  const last = all.at(-1);
  return new TeamError("task-unknown", `There is no task ${JSON.stringify(id.slice(0, 20))}`, {
    hint: last ? `The newest one is ${last.id}.` : "There are no tasks.",
  });
}

export const log = personTool({
  name: "log",
  description:
    "What a member saw, said and did lately (default: the lead), the newest at the end. The lead's answers to its person are here.",
  input: z.object({
    name: FilledText.optional(),
    entries: z.number().int().min(1).max(200).optional().describe("default 30"),
    before: Cursor.optional().describe("for older entries: what the result before says"),
  }),
  async answer({ name, entries = 30, before }, access) {
    const view = await access.view();
    return transcriptPage(view, await memberOf(view, name), { limit: entries, before });
  },
});

/** A page of a member's transcript, the newest entries at its end. */
export async function transcriptPage(
  view: TeamView,
  member: MemberName,
  query: { limit: number; before?: PageCursor | undefined },
): Promise<string> {
  const page = await view.transcript(member, query);
  const lines = new TranscriptLines();
  const told = page.entries.flatMap(({ cursor, entry }) =>
    entry && tellsPeople(entry) ? [{ cursor, text: lines.lines(entry).join("\n") }] : [],
  );
  const count = fitting(told.map(({ text }) => text).reverse());
  const kept = told.slice(told.length - count);
  const older = count < told.length ? kept[0]?.cursor : page.before;
  if (told.length === 0) return `Nothing in ${member}'s transcript.`;
  return [
    ...(older ? [`Older entries: call log with before "${older}".`] : []),
    marked("member-transcript", { of: member }, kept.map(({ text }) => text).join("\n")),
  ].join("\n");
}

export const show = personTool({
  name: "show",
  description:
    "One call, message or request in full, by the id that log, inbox or approvals show; its beginning is enough.",
  input: z.object({ id: FilledText }),
  async answer({ id }, access) {
    const { show: command } = await import("../commands/show.ts");
    return marked(
      "team-data",
      { of: "record" },
      await access.print(command, { positionals: [id] }),
    );
  },
});

export const changes = personTool({
  name: "changes",
  description:
    "The work of members that have a checkout of their own, and how far it has got; with a member's name or a landing's number, its files, and with diff every line.",
  input: z.object({ name: FilledText.optional(), diff: z.boolean().optional() }),
  async answer({ name, diff = false }, access) {
    const { changes: command } = await import("../commands/changes.ts");
    const positionals = name === undefined ? [] : [name];
    const printed = await access.print(command, { positionals, values: { diff } });
    return marked("team-data", { of: "changes" }, printed);
  },
});

export const approvals = personTool({
  name: "approvals",
  description:
    "The requests that wait for the person's answer: who asks, what exactly, why, and the command by which the person answers.",
  input: NoInput,
  async answer(_, access) {
    const { approvals: command } = await import("../commands/approvals.ts");
    return marked("team-data", { of: "approvals" }, await access.print(command));
  },
});
