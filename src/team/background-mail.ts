import type { Secrets } from "../lib/secrets.ts";
import { Serial } from "../lib/serial.ts";
import type { BackgroundJob, BackgroundJobs } from "../processes/background-jobs.ts";
import type { JobRecords } from "../processes/job-records.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import type { JobRecord } from "../protocol/job.ts";

export interface BackgroundMailOptions {
  member: MemberName;
  /** Leaves mail for the member. Mail with a known id is not shown to the member again. */
  tell(mail: { id: MessageId; content: string }): Promise<unknown>;
  /** The records of the jobs: each is removed when its end is reported to its owner. */
  records: JobRecords;
  secrets: Secrets;
  onWarning(message: string): void;
}

/**
 * Tells a member by mail, once, that a background job of its own has ended, and ends them with it.
 * A process that leaves disposes of this, and the next one tells their fates. `endForGood` is for a
 * member that is shut down: nobody is left to be told.
 */
export class BackgroundMail implements AsyncDisposable {
  readonly #background: BackgroundJobs;
  readonly #options: BackgroundMailOptions;
  readonly #mail = new Serial();
  readonly #stopListening: () => void;
  #untold = 0;

  constructor(background: BackgroundJobs, options: BackgroundMailOptions) {
    this.#background = background;
    this.#options = options;
    this.#stopListening = background.onEnd((job) => {
      this.#untold++;
      // The owner can still look it up; a full disk must not end the team.
      void this.#mail
        .run(() => this.#report(job))
        .catch((error: unknown) => {
          const { onWarning } = this.#options;
          onWarning(`The end of background task ${job.id} could not be reported: ${error}`);
        })
        .finally(() => this.#untold--);
    });
  }

  /** True while a job has ended and its owner's mail does not say so yet. */
  get isTelling(): boolean {
    return this.#untold > 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopListening();
    await this.#background[Symbol.asyncDispose]();
    await this.#mail.run(async () => undefined);
  }

  async endForGood(): Promise<void> {
    await this[Symbol.asyncDispose]();
    for (const { id } of await this.left()) await this.#options.records.remove(id);
  }

  /** The jobs whose end has not been told: at a start, those of an earlier process. */
  async left(): Promise<JobRecord[]> {
    const { records, member } = this.#options;
    return (await records.list()).filter((record) => record.member === member);
  }

  /**
   * Reports the results of the jobs that are left, once none of them runs and before any other is
   * started. The mail has the id that the one of the end has: where an earlier process died between
   * sending that and removing the record, the owner sees one report.
   */
  async tellFates(left: readonly JobRecord[]): Promise<void> {
    const { tell, records, secrets } = this.#options;
    for (const { id, command, message_id } of left) {
      const fate = `Background task ${id} was ended when troupe stopped; what it had done by then is unknown.`;
      await tell({ id: message_id, content: secrets.mask(`${fate}\n$ ${command}`) });
      await records.remove(id);
    }
  }

  async #report({ id, messageId, command, status, output }: BackgroundJob): Promise<void> {
    const { tell, records, secrets } = this.#options;
    const text = `Background task ${id} has ended: ${status}\n$ ${command}\n${output}`;
    await tell({ id: messageId, content: secrets.mask(text) });
    await records.remove(id);
  }
}
