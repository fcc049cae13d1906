import type { ConversationItem } from "./conversation-item.ts";
import { createdTasks, decidePlan } from "./lead-steps.ts";
import { isPrompt, reportOf, taskOfPlan } from "./mail.ts";
import { scenes } from "./scenes.ts";
import { inOrder, type PlayedScene, type Script } from "./script.ts";
import { readText, shortly } from "./sentences.ts";
import { workIn } from "./work.ts";

/** The lead carries out the person's requests and reports the mail that arrived. */
export function* playLead(scene: PlayedScene): Script<string> {
  const lines: string[] = [];
  let isPrompted = false;
  let hasTaskNews = false;
  for (let mail = scene.take(); mail; mail = scene.take()) {
    isPrompted ||= isPrompt(mail);
    hasTaskNews ||= mail.kind === "result" && /\bTask \d+ (?:is|has)\b/.test(mail.text);
    lines.push(yield* isPrompt(mail) ? answerPrompt(scene, mail.text) : answerMail(scene, mail));
  }
  if (hasTaskNews && !isPrompted && createdTasks(scene).size > 0) {
    const { output, is_error } = yield* scene.call("list_tasks");
    if (!is_error) lines.push(`The board:\n${output}`);
  }
  if (isPrompted && !scene.past.some(isPrompt)) lines.unshift(introduction);
  return lines.filter((line) => line !== "").join("\n\n") || "There is nothing new.";
}

/**
 * Plays the scenes of a prompt until a step fails. Work that is addressed to the lead is done by
 * the lead.
 */
function* answerPrompt(scene: PlayedScene, prompt: string): Script<string> {
  const pieces = readText(scenes, prompt).map(({ text, meaning }) => {
    const work = meaning ? [] : workIn(text).map(({ step }) => step);
    return { text, steps: meaning ?? work, isKnown: meaning !== undefined || work.length > 0 };
  });
  const steps = pieces.flatMap((piece) => piece.steps);
  const { text, hasFailed } = yield* inOrder(steps, "\n\n")(scene);
  const unknown = pieces.filter(({ isKnown }) => !isKnown).map((piece) => piece.text);
  if (hasFailed || (unknown.length === 0 && pieces.length > 0)) return text;
  return `${text}\n\n${notUnderstood(unknown)}`.trim();
}

/** A plan for a task that the lead has created is approved: the person asked for the task. */
function* answerMail(scene: PlayedScene, mail: ConversationItem): Script<string> {
  const isOwn = createdTasks(scene).has(taskOfPlan(mail.text) ?? "");
  if (mail.kind !== "plan_approval_request" || !isOwn) return reportOf(mail);
  return (yield* decidePlan(mail.from, true)(scene)).text;
}

/** Prompts that the rehearsal model understands, also with other names, files and numbers. */
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
  "Spawn alice, bob and carol in checkouts. Have each write a section of guide.md.",
  "Have alice and bob each add a section to guide.md.",
] as const;

const introduction =
  "I am the rehearsal model: I play prepared scenes and am not a language model. The mail, the tools and the files are real.";

/** The reply to a prompt that is not understood. */
function notUnderstood(texts: readonly string[]): string {
  return [
    `I did not understand: ${shortly(texts.join(" / "))}`,
    "As the rehearsal model I play prompts such as these, also with other names, roles, files and texts:",
    ...knownPrompts.map((prompt) => `- ${prompt}`),
    "",
    "For anything else, choose a language model with --model <provider>/<model>.",
  ].join("\n");
}
