import { z } from "zod";
import type { CronEntry } from "../../protocol/cron.ts";
import type { Tool } from "../tool.ts";
import { coordinationTool } from "./coordination-tool.ts";
import { FilledText, NoInput } from "./inputs.ts";
import { onOneLine } from "./on-one-line.ts";
import type { CronAccess } from "./team-access.ts";

/** The tools for scheduled prompts. */
export function cronTools(team: { timetable: CronAccess }): Tool[] {
  return [scheduleCronTool(team), listCronsTool(team), cancelCronTool(team)];
}

const ScheduleCronInput = z.object({
  cron: FilledText.describe("minute hour day month weekday, local time"),
  prompt: FilledText,
  member: FilledText.optional(),
  once: z.boolean().optional(),
});

function scheduleCronTool({ timetable }: { timetable: CronAccess }): Tool {
  return coordinationTool({
    name: "schedule_cron",
    description: "Send a prompt to a member (you, unless set) at set times.",
    input: ScheduleCronInput,
    async answer({ cron, prompt, member, once = false }, { madeAt: askedAt }) {
      const entry = await timetable.schedule({ cron, prompt, member, once, askedAt });
      return `Scheduled ${entry.id}: ${nextTime(entry)}`;
    },
  });
}

function listCronsTool({ timetable }: { timetable: CronAccess }): Tool {
  return coordinationTool({
    name: "list_crons",
    description: "Scheduled prompts.",
    input: NoInput,
    async answer() {
      const entries = await timetable.list();
      return entries.map(cronLine).join("\n") || "No crons.";
    },
  });
}

const CancelCronInput = z.object({ id: FilledText });

function cancelCronTool({ timetable }: { timetable: CronAccess }): Tool {
  return coordinationTool({
    name: "cancel_cron",
    description: "Stop one.",
    input: CancelCronInput,
    answer: async ({ id }) => `Cancelled ${(await timetable.cancel(id)).id}`,
  });
}

function cronLine(entry: CronEntry): string {
  const { id, cron, once, member, prompt } = entry;
  const pattern = onOneLine(cron) + (once ? " once" : "");
  return `${id}: ${pattern} to ${member}, ${nextTime(entry)}: ${onOneLine(prompt)}`;
}

function nextTime({ next_at: time }: CronEntry): string {
  return time === null ? "no next time" : `next at ${time}`;
}
