import type { Secrets } from "../lib/secrets.ts";
import { Serial } from "../lib/serial.ts";
import type { BackgroundJob, BackgroundJobs } from "../processes/background-jobs.ts";

export interface BackgroundMailOptions {
  /** Leaves mail for the jobs' owner. */
  tell(content: string): Promise<unknown>;
  secrets: Secrets;
  onWarning(message: string): void;
}

/** Tells a member by mail, once, that a background job of its own has ended. Ends them with it. */
export class BackgroundMail implements AsyncDisposable {
  readonly #background: BackgroundJobs;
  readonly #mail = new Serial();
  readonly #stopListening: () => void;

  constructor(background: BackgroundJobs, { tell, secrets, onWarning }: BackgroundMailOptions) {
    this.#background = background;
    this.#stopListening = background.onEnd((job) => {
      const telling = this.#mail.run(() => tell(secrets.mask(report(job))));
      // The owner can still look it up; a full disk must not end the team.
      void telling.catch((error: unknown) => {
        onWarning(`Nobody could be told that background task ${job.id} has ended: ${error}`);
      });
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
