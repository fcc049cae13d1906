import { z } from "zod";
import { answerQuestion } from "../answer-question.ts";
import { type Command, lookOptions } from "../command.ts";
import { parseOptions } from "../parse-arguments.ts";

const Flags = z.object({ always: z.boolean().default(false), reason: z.string().optional() });

export const approve: Command = {
  name: "approve",
  group: "act",
  summary: "Approve a member's request",
  parameters: ["[<id>]"],
  options: {
    always: {
      summary: "allow all such calls from now on, by the rule that `troupe approvals` shows",
    },
    reason: { takes: '"<text>"', summary: "a note for the member" },
    ...lookOptions,
  },
  examples: [
    { call: "troupe approvals", does: "list what waits for you, with the ids" },
    { call: "troupe approve 019b78c9-21", does: "the start of an id is enough" },
    { call: "troupe approve 019b78c9-21 --always", does: "and stop asking about such calls" },
  ],
  notes: [
    "Without an id, lists the open requests and decides nothing.",
    "The process that runs the team carries the answer out; if the team is not running, the answer waits until it runs again.",
  ],

  async run({ positionals: [id], json, teamDir, values }, io) {
    const { always, reason } = parseOptions(Flags, values, approve);
    const decision = always ? "allow-always" : "allow-once";
    return answerQuestion({ id, answer: { decision, reason }, json, teamDir }, io);
  },
};
