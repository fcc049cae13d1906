import { ruleOf } from "../../permissions/persons-question.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { PersonsAnswer } from "../../team/protocols/persons-answer.ts";
import type { InputLine } from "./input-line.ts";
import { KeyGuard } from "./key-guard.ts";
import type { Key, NamedKey } from "./keys.ts";
import type { QuestionQueue } from "./question-queue.ts";

/**
 * Where the keys go: `none`, to the line; `choose`, to the question; `confirm`, to the rule that
 * "always" would add; `reason`, to the reason of a denial. `gone`: the selected question was
 * answered elsewhere or withdrawn. `done`: the last question was answered a moment ago.
 */
export type QuestionStage = "none" | "choose" | "confirm" | "reason" | "gone" | "done";

type FocusState =
  | { stage: "choose" | "confirm" | "reason"; request: TeamRequest }
  | { stage: "none" | "gone" | "done" };

interface FocusOptions {
  questions: QuestionQueue;
  line: Pick<InputLine, "insert" | "paste" | "detour">;
  answer(request: TeamRequest, answer: PersonsAnswer): void;
  note(text: string): void;
  schedule(delayMs: number, run: () => void): () => void;
  /** Called after a change that no key caused. */
  onChange(): void;
}

/** The questions, for drawing. */
export interface QuestionState {
  question: TeamRequest | undefined;
  number: number;
  count: number;
  stage: QuestionStage;
  /** Whether keys answer yet. */
  isArmed: boolean;
}

/** How long a question must have been on the screen before a key can answer it. */
const unseenMs = 300;
/** How long the effect of a key must have been on the screen: a paste arrives faster. */
const hastyMs = 100;
/** How long after the last answer its key may repeat by accident. */
const doneMs = 600;

/**
 * Decides which keys answer a question: only those pressed after the person has selected it with
 * Ctrl-X, which types nothing, and has had time to see it. All other text goes to the line.
 */
export class QuestionFocus {
  readonly #options: FocusOptions;
  readonly #questionGuard: KeyGuard;
  readonly #stageGuard: KeyGuard;
  readonly #doneGuard: KeyGuard;
  #focus: FocusState = { stage: "none" };
  /** Letters that could have been an answer but were not: they become text if more text follows. */
  #held = "";
  #seenQuestion: string | undefined;
  #seenStage = "";

  constructor(options: FocusOptions) {
    const { schedule, onChange } = options;
    this.#options = options;
    this.#questionGuard = new KeyGuard({ schedule, onOpen: onChange });
    this.#stageGuard = new KeyGuard({ schedule, onOpen: onChange });
    this.#doneGuard = new KeyGuard({ schedule, onOpen: () => this.#forgetDone() });
  }

  /** The state to draw. From now on it counts as seen. */
  see(): QuestionState {
    const { questions } = this.#options;
    const { up, number, count } = questions;
    if (up?.id !== this.#seenQuestion) {
      this.#seenQuestion = up?.id;
      if (up) this.#questionGuard.close(unseenMs);
    }
    if (this.#stageKey !== this.#seenStage) {
      this.#seenStage = this.#stageKey;
      this.#stageGuard.close(hastyMs);
    }
    return { question: up, number, count, stage: this.#focus.stage, isArmed: this.#isArmed };
  }

  /** Call this when the questions have changed. */
  refresh(): void {
    const focus = this.#focus;
    if (!("request" in focus) || this.#options.questions.isOpen(focus.request.id)) return;
    // A reason being typed stays; at its end the person sees that it is no longer needed.
    if (focus.stage !== "reason") this.#move({ stage: "gone" });
  }

  /**
   * Handles a key, or returns false to leave it to the line. `isAlone`: no other key came with it.
   */
  press(key: Key, isAlone: boolean): boolean {
    const focus = this.#focus;
    if (isChoosing(key) && focus.stage !== "reason") return this.#choose();
    switch (focus.stage) {
      case "none":
      case "reason":
        return false;
      case "choose":
        this.#pressAtQuestion(focus.request, key, isAlone);
        return true;
      case "confirm":
        this.#pressAtRule(focus.request, key, isAlone);
        return true;
      case "gone":
        this.#pressAfter(key);
        return true;
      case "done":
        return this.#pressWhenDone(key);
    }
  }

  cancel(): void {
    for (const guard of [this.#questionGuard, this.#stageGuard, this.#doneGuard]) guard.cancel();
  }

  /** Selects the visible question, or the next one if one is selected already. */
  #choose(): boolean {
    const { questions, note } = this.#options;
    const { stage } = this.#focus;
    const isTurning = stage === "choose" || stage === "confirm";
    if (isTurning) questions.turn();
    const { up } = questions;
    if (up && (isTurning || up.id === this.#seenQuestion)) {
      this.#move({ stage: "choose", request: up });
    } else if (!up) {
      this.#move({ stage: "none" });
      note("No question is open.");
    }
    return true;
  }

  #pressAtQuestion(request: TeamRequest, key: Key, isAlone: boolean): void {
    const letter = letterOf(key);
    if (key.type === "key") {
      if (isLeaving(key)) this.#move({ stage: "none" });
      else this.#options.note("Esc returns to your line.");
    } else if (letter === undefined) this.#backToLine(key);
    else if (isAlone && key.text.length === 1 && this.#isArmed) this.#take(request, letter);
    else this.#hold(key.text, "Too fast: nothing was answered. Press the key again.");
  }

  #take(request: TeamRequest, letter: AnswerLetter): void {
    switch (letter) {
      case "y":
        this.#give(request, { decision: "allow-once" });
        break;
      case "n":
        this.#give(request, { decision: "deny" });
        break;
      case "a":
        this.#offerRule(request);
        break;
      case "r":
        this.#askReason(request);
    }
  }

  #offerRule(request: TeamRequest): void {
    if (ruleOf(request) === undefined) {
      this.#hold("a", "No rule can always allow such calls: y allows this one.");
      return;
    }
    this.#move({ stage: "confirm", request });
    this.#held = "a";
  }

  #pressAtRule(request: TeamRequest, key: Key, isAlone: boolean): void {
    if (key.type === "key") {
      const isEnter = key.name === "enter" && !key.alt && !key.shift && !key.ctrl;
      if (isLeaving(key)) this.#move({ stage: "choose", request });
      else if (!isEnter) this.#options.note("Enter adds the rule, Esc goes back.");
      else if (isAlone && this.#isArmed) this.#give(request, { decision: "allow-always" });
      else this.#options.note("Too fast: no rule was added. Press Enter again.");
    } else if (letterOf(key)) this.#hold(key.text, "Enter adds the rule, Esc goes back.");
    else this.#backToLine(key);
  }

  #askReason(request: TeamRequest): void {
    const { questions, line, note } = this.#options;
    const isOpen = () => questions.isOpen(request.id);
    this.#move({ stage: "reason", request });
    line.detour({
      purpose: () => (isOpen() ? "no, because" : "no longer asked"),
      finish: (typed) => {
        const reason = typed.trim();
        if (isOpen()) {
          this.#give(request, { decision: "deny", reason: reason === "" ? undefined : reason });
          return;
        }
        this.#move({ stage: "none" });
        line.insert(reason);
        note("That question is no longer open: nothing was denied or sent.");
      },
      cancel: () => this.#move(isOpen() ? { stage: "choose", request } : { stage: "none" }),
    });
  }

  #give(request: TeamRequest, answer: PersonsAnswer): void {
    const { questions } = this.#options;
    questions.settle(request.id);
    const { up } = questions;
    if (up) this.#move({ stage: "choose", request: up });
    else {
      this.#move({ stage: "done" });
      this.#doneGuard.close(doneMs);
    }
    this.#options.answer(request, answer);
  }

  #pressAfter(key: Key): void {
    const isAnswer = letterOf(key) !== undefined;
    if (key.type === "text" && isAnswer) this.#hold(key.text, "That key answered nothing.");
    else if (key.type === "key") this.#move({ stage: "none" });
    else this.#backToLine(key);
  }

  #pressWhenDone(key: Key): boolean {
    if (key.type === "text" && letterOf(key) !== undefined) {
      this.#hold(key.text, "No question is open now.");
      return true;
    }
    const held = this.#held;
    this.#move({ stage: "none" });
    if (key.type !== "key") this.#options.line.insert(held);
    return false;
  }

  #forgetDone(): void {
    if (this.#focus.stage === "done") this.#move({ stage: "none" });
    this.#options.onChange();
  }

  #hold(text: string, hint: string): void {
    this.#held += text;
    this.#options.note(hint);
  }

  /** Passes typed text on to the line, together with the held letters. */
  #backToLine(key: Exclude<Key, NamedKey>): void {
    const held = this.#held;
    this.#move({ stage: "none" });
    const { line } = this.#options;
    line.insert(key.type === "text" ? held + key.text : held);
    if (key.type === "paste") line.paste(key.text);
  }

  #move(focus: FocusState): void {
    this.#focus = focus;
    this.#held = "";
  }

  get #stageKey(): string {
    const focus = this.#focus;
    return "request" in focus ? `${focus.stage} ${focus.request.id}` : focus.stage;
  }

  /** Only a question that has been on the screen for a moment can be answered. */
  get #isArmed(): boolean {
    const focus = this.#focus;
    const isSeen = "request" in focus && focus.request.id === this.#seenQuestion;
    const isStageSeen = this.#stageKey === this.#seenStage;
    return isSeen && isStageSeen && this.#questionGuard.isOpen && this.#stageGuard.isOpen;
  }
}

type AnswerLetter = "y" | "a" | "n" | "r";

/** The answer that a text could mean, pressed once or several times. */
function letterOf(key: Key): AnswerLetter | undefined {
  const [, letter] = key.type === "text" ? (/^([yanr])\1*$/i.exec(key.text) ?? []) : [];
  const lower = letter?.toLowerCase();
  return lower === "y" || lower === "a" || lower === "n" || lower === "r" ? lower : undefined;
}

function isChoosing(key: Key): boolean {
  return key.type === "key" && key.ctrl && !key.alt && key.name === "x";
}

function isLeaving({ name, ctrl }: NamedKey): boolean {
  return name === "escape" || (ctrl && name === "c");
}
