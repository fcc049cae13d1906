import { z } from "zod";
import type { CronEntry } from "../../protocol/cron.ts";
import { coordinationTool } from "./coordination-tool.ts";
import { FilledText, NoInput } from "./inputs.ts";
import { onOneLine } from "./on-one-line.ts";
import type { CronAccess } from "./team-access.ts";

interface CronToolAccess {
  timetable: CronAccess;
}

export const scheduleCron = coordinationTool({
  name: "schedule_cron",
  description: "Send a prompt to a member (you, unless set) at set times.",
  input: z.object({
    cron: FilledText.describe("minute hour day month weekday, local time"),
    prompt: FilledText,
    member: FilledText.optional(),
    once: z.boolean().optional(),
  }),
  async answer({ cron, prompt, member, once = false }, { timetable }: CronToolAccess, { madeAt }) {
    const entry = await timetable.schedule({ cron, prompt, member, once, askedAt: madeAt });
    return `Scheduled ${entry.id}: ${nextTime(entry)}`;
  },
});

export const listCrons = coordinationTool({
  name: "list_crons",
  description: "Scheduled prompts.",
  input: NoInput,
  async answer(_, { timetable }: CronToolAccess) {
    const entries = await timetable.list();
    return entries.map(cronLine).join("\n") || "No crons.";
  },
});

export const cancelCron = coordinationTool({
  name: "cancel_cron",
  description: "Stop one.",
  input: z.object({ id: FilledText }),
  answer: async ({ id }, { timetable }: CronToolAccess) =>
    `Cancelled ${(await timetable.cancel(id)).id}`,
});

function cronLine(entry: CronEntry): string {
  const { id, cron, once, member, prompt } = entry;
  const pattern = onOneLine(cron) + (once ? " once" : "");
  return `${id}: ${pattern} to ${member}, ${nextTime(entry)}: ${onOneLine(prompt)}`;
}

function nextTime({ next_at: time }: CronEntry): string {
  return time === null ? "no next time" : `next at ${time}`;
}
