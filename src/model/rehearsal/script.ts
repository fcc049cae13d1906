import { canonicalJson } from "../../lib/canonical-json.ts";
import type { ConversationItem, DoneCall } from "./conversation-item.ts";
import type { RequestReading } from "./read-request.ts";

export interface ScriptedCall {
  name: string;
  input: Readonly<Record<string, unknown>>;
}

/** The calls of a reply with their results, and the mail that followed. */
interface Turn {
  calls: readonly DoneCall[];
  mail: ConversationItem[];
}

/**
 * A member's actions in a scene: the script yields a call, gets the turn with its result, and
 * finally returns. It depends on nothing else, so it can be replayed from the beginning of the
 * scene to the current point of the conversation.
 */
export type Script<Result> = Generator<ScriptedCall, Result, Turn>;

/**
 * The next call, or the text that ends the scene. Calls of another model in the scene are skipped.
 */
export function nextReply(
  reading: RequestReading,
  script: (scene: PlayedScene) => Script<string>,
): ScriptedCall | string {
  const [opening, ...turns] = turnsIn(reading.current);
  let running = script(new PlayedScene(reading, opening));
  let next = running.next();
  for (const turn of turns) {
    if (!next.done && isMade(next.value, turn.calls)) next = running.next(turn);
    else {
      running = script(new PlayedScene(reading, turn));
      next = running.next();
    }
  }
  return next.value;
}

function turnsIn(items: readonly ConversationItem[]): [Turn, ...Turn[]] {
  const turns: [Turn, ...Turn[]] = [{ calls: [], mail: [] }];
  for (const item of items) {
    if (item.type === "reply") turns.push({ calls: item.calls, mail: [] });
    if (item.type === "mail") turns.at(-1)?.mail.push(item);
  }
  return turns;
}

function isMade({ name, input }: ScriptedCall, made: readonly DoneCall[]): boolean {
  const calls = made.map((call) => [call.name, call.input]);
  return canonicalJson(calls) === canonicalJson([[name, input]]);
}

/** A script's access to its conversation and to tool calls. */
export class PlayedScene {
  readonly self: RequestReading["self"];
  readonly past: readonly ConversationItem[];
  /** All calls so far, in this scene and before. */
  readonly calls: DoneCall[];
  /** All mail so far, the oldest first. */
  readonly mail: ConversationItem[];
  /** The mail of this scene that has not been taken. */
  readonly #waiting: ConversationItem[];

  constructor({ self, past }: RequestReading, { mail }: Turn) {
    this.self = self;
    this.past = past;
    this.calls = past.flatMap(({ calls }) => calls);
    this.mail = [...past.filter(({ type }) => type === "mail"), ...mail];
    this.#waiting = [...mail];
  }

  /**
   * Makes a call. If the process was killed during the call, its outcome is unknown: it is made
   * again unless `mayRepeat` is false, and an error that the work is already done counts as
   * success.
   */
  *call(
    name: string,
    input: ScriptedCall["input"] = {},
    mayRepeat = name !== "bash",
  ): Script<DoneCall> {
    let made = yield* this.#make(name, input);
    for (let kills = 1; isUnknown(made) && mayRepeat && kills <= maxKills; kills++) {
      made = yield* this.#make(name, input);
      if (isDoneBefore.test(made.output)) return { ...made, is_error: false };
    }
    return made;
  }

  *#make(name: string, input: ScriptedCall["input"]): Script<DoneCall> {
    const turn = yield { name, input };
    this.calls.push(...turn.calls);
    this.mail.push(...turn.mail);
    this.#waiting.push(...turn.mail);
    return turn.calls[0] ?? { name, input, output: "", is_error: true };
  }

  /** Takes the oldest mail that has not been taken and for which `isWanted` returns true. */
  take(isWanted: (mail: ConversationItem) => boolean = () => true): ConversationItem | undefined {
    const index = this.#waiting.findIndex(isWanted);
    return index === -1 ? undefined : this.#waiting.splice(index, 1)[0];
  }
}

/** The limit of attempts at a call during which the process is killed each time. */
export const maxKills = 5;

/** The runtime's errors for work that is already done. */
const isDoneBefore = /^Error: .*(?: is already | is shut down already| is currently working)/;

/** Whether the process was killed during the call. */
export function isUnknown({ output, is_error }: DoneCall): boolean {
  return is_error && output.startsWith("Outcome unknown:");
}

/** The result of a step, as text for the member or person that asked. */
export interface StepOutcome {
  text: string;
  hasFailed: boolean;
}

/** One step of a scene. */
export type SceneStep = (scene: PlayedScene) => Script<StepOutcome>;

export function done(text: string): StepOutcome {
  return { text, hasFailed: false };
}

/** A step that makes one call. */
export function call(
  name: string,
  input: ScriptedCall["input"],
  told: (output: string) => string = (output) => output,
  mayRepeat?: boolean,
): SceneStep {
  return function* (scene) {
    return outcomeOf(yield* scene.call(name, input, mayRepeat), told);
  };
}

export function outcomeOf(
  { name, output, is_error }: DoneCall,
  told: (output: string) => string = (text) => text,
): StepOutcome {
  if (!is_error) return done(told(output));
  return { text: `${name} failed: ${output.replace(/^Error: /, "")}`, hasFailed: true };
}

/** Takes steps until one fails. */
export function inOrder(steps: readonly SceneStep[], separator = "\n"): SceneStep {
  return function* (scene) {
    const texts: string[] = [];
    for (const step of steps) {
      const { text, hasFailed } = yield* step(scene);
      if (text !== "") texts.push(text);
      if (hasFailed) return { text: texts.join(separator), hasFailed };
    }
    return done(texts.join(separator));
  };
}
