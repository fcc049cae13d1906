import type { Secrets } from "../lib/secrets.ts";
import { Serial } from "../lib/serial.ts";
import type { BackgroundJob, BackgroundJobs } from "../processes/background-jobs.ts";

export interface BackgroundMailOptions {
  /** Leaves mail for the jobs' owner. */
  tell(content: string): Promise<unknown>;
  secrets: Secrets;
}

/** Tells a member by mail, once, that a background job of its own has ended. Ends them with it. */
export class BackgroundMail implements AsyncDisposable {
  readonly #background: BackgroundJobs;
  readonly #mail = new Serial();
  readonly #stopListening: () => void;

  constructor(background: BackgroundJobs, { tell, secrets }: BackgroundMailOptions) {
    this.#background = background;
    this.#stopListening = background.onEnd((job) => {
      void this.#mail.run(() => tell(secrets.mask(report(job)))).catch(throwLater);
    });
  }

  /** Whoever closes a member knows that its jobs end: no mail tells of it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening();
    await this.#background[Symbol.asyncDispose]();
    await this.#mail.run(async () => undefined);
  }
}

function report({ id, command, status, output }: BackgroundJob): string {
  return `Background task ${id} has ended: ${status}\n$ ${command}\n${output}`;
}

/** A store that takes no mail is broken, and that must not go unnoticed. */
function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
