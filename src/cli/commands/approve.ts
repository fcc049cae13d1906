import { z } from "zod";
import { answerQuestion } from "../answer-question.ts";
import { type Command, lookOptions } from "../command.ts";
import { parseOptions } from "../parse-arguments.ts";

const Flags = z.object({ always: z.boolean().default(false), reason: z.string().optional() });

export const approve: Command = {
  name: "approve",
  group: "act",
  summary: "Let a member do what it asks you about",
  parameters: ["[<id>]"],
  options: {
    always: { summary: "let all such calls run from now on, by the rule that `approvals` shows" },
    reason: { takes: '"<text>"', summary: "something to tell the member with it" },
    ...lookOptions,
  },
  examples: [
    { call: "troupe approvals", does: "what waits for you, and under which id" },
    { call: "troupe approve 019b78c9-21", does: "the beginning of an id will do" },
    { call: "troupe approve 019b78c9-21 --always", does: "and do not ask about such calls again" },
  ],
  notes: [
    "Without an id, what waits is listed and nothing is decided.",
    "Whoever runs the team carries it out; where nobody does, it is taken up when the team runs again.",
  ],

  async run({ positionals: [id], json, teamDir, values }, io) {
    const { always, reason } = parseOptions(Flags, values, approve);
    const decision = always ? "allow-always" : "allow-once";
    return answerQuestion({ id, answer: { decision, reason }, json, teamDir }, io);
  },
};
