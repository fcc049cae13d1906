import { canonicalJson } from "../../lib/canonical-json.ts";
import {
  type DoneCall,
  type Happening,
  type Input,
  isInput,
  isMail,
  type Mail,
} from "./happening.ts";
import type { Reading, Self } from "./reading.ts";

/** A call that the player wants to make. */
export interface Call {
  name: string;
  input: Readonly<Record<string, unknown>>;
}

/** What came of calls that were made in one reply, and what came in meanwhile. */
interface Answers {
  calls: readonly DoneCall[];
  inputs: readonly Input[];
}

/**
 * A part as it is played: it yields the calls of one reply, is given what they came to, and returns
 * in the end. It depends on nothing but what it is given, so that it can be played again from the
 * beginning up to where the conversation is.
 */
export type Play<Result> = Generator<readonly Call[], Result, Answers>;

/** The next reply: calls, or an answer without any. */
export type Move = { type: "calls"; calls: readonly Call[] } | { type: "answer"; text: string };

/** Plays the scene again up to where it is. What somebody else has said in it is passed over. */
export function nextMove(
  scene: readonly Happening[],
  begin: (inputs: Input[]) => Play<string>,
): Move {
  const [opening, ...turns] = turnsOf(scene);
  let play = begin([...opening.inputs]);
  let next = play.next();
  for (const turn of turns) {
    if (!next.done && isSame(next.value, turn.calls)) next = play.next(turn);
    else {
      play = begin([...turn.inputs]);
      next = play.next();
    }
  }
  return next.done ? { type: "answer", text: next.value } : { type: "calls", calls: next.value };
}

/** What came before the first reply, and then each reply with what came after it. */
function turnsOf(scene: readonly Happening[]): [Answers, ...Answers[]] {
  const opening = { calls: [], inputs: [] as Input[] };
  const turns: [Answers & { inputs: Input[] }, ...(Answers & { inputs: Input[] })[]] = [opening];
  for (const happening of scene) {
    if (happening.type === "reply") turns.push({ calls: happening.calls, inputs: [] });
    else if (isInput(happening)) turns.at(-1)?.inputs.push(happening);
  }
  return turns;
}

function isSame(wanted: readonly Call[], made: readonly DoneCall[]): boolean {
  const text = (calls: readonly Call[] | readonly DoneCall[]) =>
    canonicalJson(calls.map(({ name, input }) => [name, input]));
  return text(wanted) === text(made);
}

/** What the parts of one scene share: who plays, what has come in, what was before. */
export class Stage {
  readonly self: Self;
  readonly past: readonly Happening[];
  /** Everything that came in this scene so far, taken or not. */
  readonly seen: Input[];
  /** Every call that was made, before and in this scene. */
  readonly done: DoneCall[];
  readonly #waiting: Input[];

  constructor({ self, past }: Pick<Reading, "self" | "past">, inputs: Input[]) {
    this.self = self;
    this.past = past;
    this.seen = [...inputs];
    this.done = past.flatMap((happening) => (happening.type === "reply" ? happening.calls : []));
    this.#waiting = [...inputs];
  }

  /** Makes calls in one reply, and says what they came to. */
  *perform(...calls: readonly Call[]): Play<readonly DoneCall[]> {
    const { calls: done, inputs } = yield calls;
    this.done.push(...done);
    this.seen.push(...inputs);
    this.#waiting.push(...inputs);
    return done;
  }

  /** Makes one call. */
  *call(name: string, input: Call["input"]): Play<DoneCall> {
    const [done] = yield* this.perform({ name, input });
    return done ?? { name, input, output: "", is_error: true };
  }

  /** The oldest input that nobody has taken; of those that `isWanted`, where that is given. */
  take(isWanted: (input: Input) => boolean = () => true): Input | undefined {
    const index = this.#waiting.findIndex(isWanted);
    return index === -1 ? undefined : this.#waiting.splice(index, 1)[0];
  }

  /** All mail, the oldest first. */
  get mail(): Mail[] {
    return [...this.past, ...this.seen].filter(isMail);
  }

  /** True when the person has never been answered before. */
  get isFirstAnswer(): boolean {
    return !this.past.some(({ type }) => type === "prompt");
  }
}

/** What a piece of play came to, in words. */
export interface Told {
  text: string;
  hasFailed: boolean;
}

export function told(text: string): Told {
  return { text, hasFailed: false };
}

/** What went wrong, as the tool said it. */
export function failed(what: string, { output }: DoneCall): Told {
  return { text: `${what}: ${output.replace(/^Error: /, "")}`, hasFailed: true };
}
