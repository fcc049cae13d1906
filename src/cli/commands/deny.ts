import { z } from "zod";
import { answerQuestion } from "../answer-question.ts";
import { type Command, lookOptions } from "../command.ts";
import { parseOptions } from "../parse-arguments.ts";

const Flags = z.object({ reason: z.string().optional() });

export const deny: Command = {
  name: "deny",
  group: "act",
  summary: "Deny a member's request; the member continues without it",
  parameters: ["[<id>]"],
  options: {
    reason: { takes: '"<text>"', summary: "tell the member why" },
    ...lookOptions,
  },
  examples: [
    {
      call: 'troupe deny 019b78c9-21 --reason "Use the staging server"',
      does: "the start of an id is enough; `troupe approvals` lists them",
    },
  ],
  notes: [
    "Without an id, lists the open requests and decides nothing.",
    "The process that runs the team carries the answer out; if the team is not running, the answer waits until it runs again.",
  ],

  async run({ positionals: [id], json, teamDir, values }, io) {
    const { reason } = parseOptions(Flags, values, deny);
    return answerQuestion({ id, answer: { decision: "deny", reason }, json, teamDir }, io);
  },
};
