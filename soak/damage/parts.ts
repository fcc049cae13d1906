import type { ReplyBlock } from "../../src/protocol/transcript.ts";
import type { ScriptedAnswer } from "../../src/testing/provider-server/answers.ts";
import type { ProviderRequest } from "../../src/testing/provider-server/provider-api.ts";
import { calls, reply, says, thinks } from "../../src/testing/scripted-model.ts";
import { memberOf } from "../../test/support/team-on-wire.ts";

const teammates = ["ada", "bob", "cyd", "dan"] as const;
export const members = ["lead", ...teammates] as const;

/** Each command of a member appends a line to this file: a duplicate line means it ran twice. */
export const logFile = "work.log";

/** The member with a background job that runs when the team is killed. */
export const jobOwner = "cyd";

/** A reply after which the conversation is summarized. */
export const fullWords = "Ada is full.";
const full = { usage: { input_tokens: 120_000 } };

interface Step {
  /** What the member must have been shown before; until then it stays idle. */
  after?: string;
  answer(): ScriptedAnswer;
}

/** The replies of each member's model while the team is created, step by step. */
const parts: Record<string, readonly Step[]> = {
  lead: [
    step(
      thinks("Who does what?"),
      says("I share the work out."),
      calls("create_task", { subject: "piece-1", owner: "lead" }),
      calls("create_task", { subject: "piece-2", blocked_by: ["1"] }),
      calls("create_task", { subject: "piece-3", blocked_by: ["2"], description: "the last" }),
    ),
    step(...teammates.map(spawning)),
    step(
      calls("schedule_cron", { cron: "0 4 1 1 *", prompt: "cron-yearly" }),
      calls("schedule_cron", { cron: "0 5 1 1 *", prompt: "cron-once", once: true }),
      working("lead", 1),
    ),
    step(thinks("Tell them."), calls("broadcast", { content: "letter-broadcast" })),
  ],
  ada: [
    step(thinks("Where to begin?"), says("I begin."), working("ada", 1), reading()),
    step(thinks("On."), writing("bob", "letter-ada-bob"), working("ada", 2)),
    { after: goLetter("ada"), answer: () => reply([says(fullWords)], full) },
    after("letter-more-ada", thinks("Again."), working("ada", 3), writing("cyd", "letter-ada-cyd")),
    step(working("ada", 4), reading(), working("ada", 5)),
    step(thinks("May I?"), asking("ada", 6)),
  ],
  bob: [
    step(thinks("A plan."), calls("plan_approval", { plan: "plan-of-bob" })),
    step(reading(), writing("dan", "letter-bob-dan")),
  ],
  cyd: [
    step(says("I begin."), working("cyd", 1), working("cyd", 2)),
    step(writing("ada", "letter-cyd-ada")),
    step(reading(), working("cyd", 3)),
    step(calls("background_run", { command: "sleep 600" })),
  ],
  dan: [
    step(thinks("Hm."), working("dan", 1), working("dan", 2)),
    after(goLetter("dan"), working("dan", 3), writing("lead", "letter-dan-lead")),
    step(asking("dan", 4)),
  ],
};

/** The message that makes a member continue its part. */
export function goLetter(name: string): string {
  return `letter-go-${name}`;
}

/** Answers according to the parts; a member that waits, or has finished, ends its run. */
export function playParts(): (request: ProviderRequest) => ScriptedAnswer {
  const taken = new Map<string, number>();
  return (request) => {
    const member = memberOf(request);
    if (isSummarizing(request)) return says(`summary-of-${member}`);
    const index = taken.get(member) ?? 0;
    const next = parts[member]?.[index];
    if (!next || (next.after && !request.text.includes(next.after))) return rests(request);
    taken.set(member, index + 1);
    return next.answer();
  };
}

/** The replies of all models after the damage: they call nothing, so any call is a fault. */
export function rests(request: ProviderRequest): ScriptedAnswer {
  return says(`${memberOf(request)} rests.`);
}

function isSummarizing({ text }: ProviderRequest): boolean {
  return text.includes("Your context is nearly full. Summarize");
}

function step(...blocks: ReplyBlock[]): Step {
  return { answer: () => reply(blocks.map(anew)) };
}

function after(letter: string, ...blocks: ReplyBlock[]): Step {
  return { after: letter, ...step(...blocks) };
}

/** No provider uses the id of a call twice. */
function anew(block: ReplyBlock): ReplyBlock {
  return block.type === "tool-call" ? calls(block.name, block.input) : block;
}

function spawning(name: (typeof teammates)[number]): ReplyBlock {
  const model = name === "cyd" ? { model: "openai/scripted" } : {};
  const plan = name === "bob" ? { plan_required: true } : {};
  const prompt = `letter-spawn-${name}`;
  return calls("spawn_teammate", { name, role: "worker", prompt, ...model, ...plan });
}

function working(member: string, number: number): ReplyBlock {
  return calls("bash", { command: `echo ${member}-line-${number} | tee -a ${logFile}` });
}

/** No rule allows this one, so the person is asked. */
function asking(member: string, number: number): ReplyBlock {
  return calls("bash", { command: `printf '%s\\n' ${member}-line-${number} >> ${logFile}` });
}

function reading(): ReplyBlock {
  return calls("read_file", { path: "README.md" });
}

function writing(to: string, content: string): ReplyBlock {
  return calls("send_message", { to, content });
}
