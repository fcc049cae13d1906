import type { ModelPart, Utterance } from "../../../src/model/model.ts";
import { RehearsalModel } from "../../../src/model/rehearsal/rehearsal-model.ts";
import type { ReplyBlock } from "../../../src/protocol/transcript.ts";
import { request } from "../../../src/testing/conformance/model.ts";

export const leadSystem = "You are a team lead at /project.\n\nYou work there.";

export function teammateSystem(name = "alice", role = "coder"): string {
  return `You are '${name}', role: ${role}, at /project.\n\nYou work there.`;
}

/** What a call comes to: its output, an error, or mail behind its output. */
interface Outcome {
  output: string;
  isError?: boolean;
  mail?: readonly string[];
}

/** How the world answers calls. What it leaves out comes to "Done". */
export type World = (name: string, input: unknown) => string | Outcome | undefined;

interface Made {
  name: string;
  input: unknown;
}

/** A conversation with the rehearsal model, in a world of the test's choice. */
export class Dialogue {
  readonly conversation: Utterance[] = [];
  readonly #system: string;
  readonly #world: World;

  constructor(system: string, world: World = () => undefined) {
    this.#system = system;
    this.#world = world;
  }

  /** Everything that was called since the beginning. */
  get calls(): Made[] {
    return this.conversation
      .flatMap((utterance) => (utterance.type === "reply" ? utterance.blocks : []))
      .flatMap((block) =>
        block.type === "tool-call" ? [{ name: block.name, input: block.input }] : [],
      );
  }

  get names(): string[] {
    return this.calls.map(({ name }) => name);
  }

  /** Shows the model something and answers its calls until it has nothing more to call. */
  async tell(...texts: string[]): Promise<string> {
    this.conversation.push({ type: "input", texts });
    for (let turns = 0; turns < 50; turns++) {
      const blocks = await replyTo(this.#system, this.conversation);
      this.conversation.push({ type: "reply", blocks });
      const calls = blocks.filter((block) => block.type === "tool-call");
      if (calls.length === 0) return textOf(blocks);
      this.#answer(calls);
    }
    throw new Error("It calls and calls");
  }

  #answer(calls: readonly Extract<ReplyBlock, { type: "tool-call" }>[]): void {
    const outcomes = calls.map(({ name, input }) => asOutcome(this.#world(name, input)));
    this.conversation.push({
      type: "results",
      results: calls.map(({ call_id }, index) => ({
        call_id,
        output: outcomes[index]?.output ?? "Done",
        is_error: outcomes[index]?.isError ?? false,
      })),
    });
    const mail = outcomes.flatMap((outcome) => outcome?.mail ?? []);
    if (mail.length > 0) this.conversation.push({ type: "input", texts: mail });
  }
}

function asOutcome(answer: ReturnType<World>): Outcome | undefined {
  return typeof answer === "string" ? { output: answer } : answer;
}

export async function replyTo(
  system: string,
  conversation: readonly Utterance[],
): Promise<ReplyBlock[]> {
  const parts = await partsOf({ system, conversation });
  const end = parts.at(-1);
  if (end?.type !== "finish") throw new Error(`It ended with ${end?.type}`);
  return end.blocks;
}

export async function partsOf(
  overrides: Parameters<typeof request>[0],
  onPart: () => void = () => undefined,
): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of new RehearsalModel().stream(request(overrides))) {
    parts.push(part);
    onPart();
  }
  return parts;
}

export function textOf(blocks: readonly ReplyBlock[]): string {
  return blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** A message as a member is shown it. */
export function mail(from: string, type: string, text: string, attributes = ""): string {
  return `<teammate-message from="${from}" type="${type}" id="m1" sent="2026-01-01T00:00:00Z"${attributes && ` ${attributes}`}>${text}</teammate-message>`;
}
