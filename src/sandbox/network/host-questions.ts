import { onAbort } from "../../lib/on-abort.ts";

/** Asks the person whether a host may be reached. The question ends when the signal is aborted. */
export type AskHost = (host: string, signal: AbortSignal) => Promise<boolean>;

interface OpenQuestion {
  readonly answer: Promise<boolean>;
  readonly withdrawn: AbortController;
  /** How many connections wait for the answer. */
  askers: number;
}

/** So many at once, so that a program cannot flood the person with them. */
const maxOpen = 5;
/** And so many in all: each is written down. */
const maxAsked = 100;

/**
 * Asks the person once about each host, however many connections want it, and keeps the answer. A question that nobody
 * waits for any more is withdrawn, and asked again by the next connection. What is too much is refused without a question.
 */
export class HostQuestions implements AsyncDisposable {
  readonly #ask: AskHost;
  readonly #questions = new Map<string, OpenQuestion>();
  #openCount = 0;
  #asked = 0;

  constructor(ask: AskHost) {
    this.#ask = ask;
  }

  async isPermitted(host: string, gone: AbortSignal): Promise<boolean> {
    const question = this.#questions.get(host) ?? this.#open(host);
    if (!question) return false;
    question.askers++;
    const stopListening = onAbort(gone, () => {
      question.askers--;
      if (question.askers === 0) this.#withdraw(host, question);
    });
    try {
      return await question.answer;
    } finally {
      stopListening();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const open = [...this.#questions];
    for (const [host, question] of open) this.#withdraw(host, question);
    await Promise.allSettled(open.map(([, { answer }]) => answer));
  }

  #open(host: string): OpenQuestion | undefined {
    if (this.#openCount >= maxOpen || this.#asked >= maxAsked) return undefined;
    this.#openCount++;
    this.#asked++;
    const withdrawn = new AbortController();
    const answer = this.#ask(host, withdrawn.signal).finally(() => this.#openCount--);
    const question = { answer, withdrawn, askers: 0 };
    this.#questions.set(host, question);
    // One that could not be asked is no answer.
    question.answer.catch(() => this.#forget(host, question));
    return question;
  }

  #withdraw(host: string, question: OpenQuestion): void {
    question.withdrawn.abort();
    this.#forget(host, question);
  }

  #forget(host: string, question: OpenQuestion): void {
    if (this.#questions.get(host) === question) this.#questions.delete(host);
  }
}
