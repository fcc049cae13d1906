import type { TeamRequest } from "../../protocol/request.ts";
import { briefly } from "../pick-request.ts";
import type { MemberOverview } from "../talk/member-overview.ts";
import type { Attention } from "./attention.ts";
import type { QuestionQueue } from "./question-queue.ts";

interface PersonCallerOptions {
  attention: Attention;
  overview: Pick<MemberOverview, "isAnyAtWork">;
  questions: Pick<QuestionQueue, "up">;
  schedule(delayMs: number, run: () => void): () => void;
}

/** Between two runs nobody works for a moment: only after this long, the team is done. */
const doneMs = 1_000;

/** Calls the person for each new question, and when the team is done; keeps the title up to date. */
export class PersonCaller {
  readonly #options: PersonCallerOptions;
  #wasAtWork = false;
  #isAway = false;
  #forgetEnd: (() => void) | undefined;

  constructor(options: PersonCallerOptions) {
    this.#options = options;
  }

  /** Call this for each new question. */
  asked(request: TeamRequest): void {
    if (!this.#isAway) this.#options.attention.call(`${briefly(request)}?`);
  }

  /** Call this when anything has changed. */
  update(): void {
    const { attention, overview, questions, schedule } = this.#options;
    if (this.#isAway) return;
    const isAtWork = overview.isAnyAtWork;
    const asking = questions.up && `? ${questions.up.from} asks`;
    attention.setTitle(asking ?? (isAtWork ? "working" : ""));
    if (isAtWork) {
      this.#forgetEnd?.();
      this.#forgetEnd = undefined;
    } else if (this.#wasAtWork) {
      this.#forgetEnd = schedule(doneMs, () => {
        if (!questions.up) attention.call("the team is done");
      });
    }
    this.#wasAtWork = isAtWork;
  }

  /** Leaves the terminal as it was, and writes nothing to it until `comeBack`. */
  leave(): void {
    this.#isAway = true;
    const { attention } = this.#options;
    this.#forgetEnd?.();
    attention.forget();
    attention.setTitle(undefined);
  }

  comeBack(): void {
    this.#isAway = false;
    this.update();
  }
}
