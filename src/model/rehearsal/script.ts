import { canonicalJson } from "../../lib/canonical-json.ts";
import type { DoneCall, Happening } from "./happening.ts";
import type { RequestReading } from "./read-request.ts";

export interface ScriptedCall {
  name: string;
  input: Readonly<Record<string, unknown>>;
}

/** A reply's calls with their results, and the mail that came after them. */
interface Turn {
  calls: readonly DoneCall[];
  mail: Happening[];
}

/**
 * What a member does in a scene: it yields a call, is given the turn that came of it, and returns in
 * the end. It depends on nothing else, so it can be run again from the beginning of the scene up to
 * where the conversation is.
 */
export type Script<Result> = Generator<ScriptedCall, Result, Turn>;

/** The next call, or the text that ends the scene. What another model did in it is passed over. */
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

function turnsIn(happenings: readonly Happening[]): [Turn, ...Turn[]] {
  const turns: [Turn, ...Turn[]] = [{ calls: [], mail: [] }];
  for (const happening of happenings) {
    if (happening.type === "reply") turns.push({ calls: happening.calls, mail: [] });
    if (happening.type === "mail") turns.at(-1)?.mail.push(happening);
  }
  return turns;
}

function isMade({ name, input }: ScriptedCall, made: readonly DoneCall[]): boolean {
  const calls = made.map((call) => [call.name, call.input]);
  return canonicalJson(calls) === canonicalJson([[name, input]]);
}

/** What a script knows of its conversation, and how it makes calls. */
export class PlayedScene {
  readonly self: RequestReading["self"];
  readonly past: readonly Happening[];
  /** All calls so far, of this scene and before. */
  readonly calls: DoneCall[];
  /** All mail so far, the oldest first. */
  readonly mail: Happening[];
  /** The mail of this scene that nobody has taken. */
  readonly #waiting: Happening[];

  constructor({ self, past }: RequestReading, { mail }: Turn) {
    this.self = self;
    this.past = past;
    this.calls = past.flatMap(({ calls }) => calls);
    this.mail = [...past.filter(({ type }) => type === "mail"), ...mail];
    this.#waiting = [...mail];
  }

  /**
   * Makes a call. A process that was killed leaves a call whose outcome nobody knows: it is made again,
   * and what the lost one had done already counts as done. Not so a call that `mayRepeat` excludes.
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

  /** Takes the oldest mail that nobody has taken; of what `isWanted`, where that is given. */
  take(isWanted: (mail: Happening) => boolean = () => true): Happening | undefined {
    const index = this.#waiting.findIndex(isWanted);
    return index === -1 ? undefined : this.#waiting.splice(index, 1)[0];
  }
}

/** A process that is killed again and again at the same call is not worth more tries. */
export const maxKills = 5;

/** How the runtime says that what a call was to do is done. */
const isDoneBefore = /^Error: .*(?: is already | is shut down already| is currently working)/;

/** Whether the process was killed while the call ran. */
export function isUnknown({ output, is_error }: DoneCall): boolean {
  return is_error && output.startsWith("Outcome unknown:");
}

/** The result of a step, in words for the one who asked for it. */
export interface StepOutcome {
  text: string;
  hasFailed: boolean;
}

/** Something that a member does. */
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
