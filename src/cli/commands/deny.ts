import { z } from "zod";
import { answerQuestion } from "../answer-question.ts";
import { type Command, lookOptions } from "../command.ts";
import { parseOptions } from "../parse-arguments.ts";

const Flags = z.object({ reason: z.string().optional() });

export const deny: Command = {
  name: "deny",
  group: "act",
  summary: "Refuse what a member asks you about; it is told, and goes on without",
  parameters: ["[<id>]"],
  options: {
    reason: { takes: '"<text>"', summary: "why, for the member to do better" },
    ...lookOptions,
  },
  examples: [
    {
      call: 'troupe deny 019b78c9-21 --reason "Use the staging server"',
      does: "the beginning of an id will do; `troupe approvals` shows the ids",
    },
  ],
  notes: [
    "Without an id, what waits is listed and nothing is decided.",
    "Whoever runs the team carries it out; where nobody does, it is taken up when the team runs again.",
  ],

  async run({ positionals: [id], json, teamDir, values }, io) {
    const { reason } = parseOptions(Flags, values, deny);
    return answerQuestion({ id, answer: { decision: "deny", reason }, json, teamDir }, io);
  },
};
