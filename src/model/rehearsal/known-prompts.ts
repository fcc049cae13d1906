import { shortly } from "./sentences.ts";

/** Prompts that the player is sure to understand, with their variants of names, files and numbers. */
const knownPrompts = [
  "Spawn alice (coder) and bob (tester). Have alice send bob a message.",
  'Broadcast "status update: phase 1 complete" to all teammates',
  "Check the lead inbox for any messages",
  "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.",
  "Check your inbox for alice's result.",
  "Spawn bob as a tester. Ask him to check if schema.sql exists and list its contents.",
  "Spawn alice as a coder. Then request her shutdown.",
  "List teammates to see alice's status after shutdown approval",
  "Spawn bob with a risky refactoring task. Review and reject his plan.",
  "Spawn charlie, have him submit a plan, then approve it.",
  "Create 3 tasks on the board, then spawn alice and bob. Watch them auto-claim and work.",
  "Create tasks with dependencies. Watch teammates respect the blocked order.",
] as const;

export const introduction =
  "I am the rehearsal model: a small player of set pieces, not a language model. The mail, the tools and the files are real.";

/** What is said to a prompt that is not understood. */
export function notUnderstood(texts: readonly string[]): string {
  return [
    `I did not understand: ${shortly(texts.join(" / "))}`,
    "As the rehearsal model I play prompts such as these, also with other names, roles, files and texts:",
    ...knownPrompts.map((prompt) => `- ${prompt}`),
    "",
    "For anything else, choose a language model with --model <provider>/<model>.",
  ].join("\n");
}
