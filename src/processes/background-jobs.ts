import { randomBytes } from "node:crypto";
import type { Clock } from "../lib/clock.ts";
import { Listeners } from "../lib/listeners.ts";
import type { Secrets } from "../lib/secrets.ts";
import { Serial } from "../lib/serial.ts";
import { type MemberName, type MessageId, newMessageId } from "../protocol/ids.ts";
import type { JobRecord } from "../protocol/job.ts";
import type {
  CommandEnd,
  CommandNotStarted,
  CommandRequest,
  CommandRunner,
  RunningCommand,
} from "./command-runner.ts";
import { describeEnd, hasSucceeded } from "./describe-end.ts";
import type { JobRecords } from "./job-records.ts";

/** A command that runs while its member continues. */
export interface BackgroundJob {
  /** Never used twice, in this or any other process. */
  readonly id: string;
  /** With its secrets masked. */
  readonly command: string;
  readonly startedAt: Date;
  readonly pid: number;
  readonly status: "running" | "completed" | "failed" | "stopped";
  /** The text for a model: the output so far, and how it ended once it has. */
  readonly output: string;
  /** The id of the message that reports its end. */
  readonly messageId: MessageId;
}

export type JobRequest = Pick<CommandRequest, "command" | "timeoutMs" | "isUnconfined">;

type JobIdentity = Pick<BackgroundJob, "id" | "command" | "startedAt" | "messageId">;

interface Job extends JobIdentity {
  running: RunningCommand;
  end: CommandEnd | undefined;
  stop: AbortController;
  /** Resolves when it has ended and all listeners have been called. */
  reported: Promise<void>;
}

/** Each has its own processes; a member that starts many must stop some first. */
const maxRunning = 32;
/** How many ended ones can still be looked up. */
const maxEnded = 32;

const namePrefix = "background-";

export interface BackgroundJobsOptions {
  runner: CommandRunner;
  secrets: Secrets;
  clock: Clock;
  /** The owner of the jobs. */
  member: MemberName;
  /** Stores a record of each job before it starts. It is removed when its end has been reported. */
  records: JobRecords;
}

/** The background jobs of one member. They end with it. */
export class BackgroundJobs implements AsyncDisposable {
  readonly #options: BackgroundJobsOptions;
  readonly #jobs = new Map<string, Job>();
  readonly #starts = new Serial();
  readonly #onEnd = new Listeners<BackgroundJob>();

  constructor(options: BackgroundJobsOptions) {
    this.#options = options;
  }

  start(request: JobRequest): Promise<BackgroundJob | CommandNotStarted> {
    // One after the other, so that jobs of the same turn are counted too.
    return this.#starts.run(() => this.#start(request));
  }

  async #start(request: JobRequest): Promise<BackgroundJob | CommandNotStarted> {
    if (this.#count("running") >= maxRunning) return tooMany();
    const { runner, secrets, clock, records } = this.#options;
    const id = randomBytes(4).toString("hex");
    const startedAt = clock.now();
    const command = secrets.mask(request.command);
    const identity = { id, command, startedAt, messageId: newMessageId(startedAt) };
    await records.add(this.#recordOf(identity));
    const stop = new AbortController();
    const options = { ...request, name: `${namePrefix}${id}`, signal: stop.signal, onOutput() {} };
    const running = await runner.start(options);
    if (running.type === "not-started") {
      await records.remove(id);
      return running;
    }

    const reported = running.ended.then((end) => this.#finish(id, end));
    const job = { ...identity, running, end: undefined, stop, reported };
    this.#jobs.set(id, job);
    return toBackgroundJob(job);
  }

  /** In the order in which they were started. */
  list(): BackgroundJob[] {
    return [...this.#jobs.values()].map(toBackgroundJob);
  }

  /** Calls `listener` once for each job that ends, however it ends. */
  onEnd(listener: (job: BackgroundJob) => void): () => void {
    return this.#onEnd.add(listener);
  }

  /** Ends the job and all it has started. An ended or unknown one is ignored. */
  async stop(id: string): Promise<void> {
    const job = this.#jobs.get(id);
    job?.stop.abort();
    await job?.reported;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Queued after those that are about to start.
    await this.#starts.run(() => Promise.all([...this.#jobs.keys()].map((id) => this.stop(id))));
  }

  #recordOf({ id, command, startedAt, messageId }: JobIdentity): JobRecord {
    const { member } = this.#options;
    const started_at = startedAt.toISOString();
    return { id, member, command, started_at, message_id: messageId };
  }

  #finish(id: string, end: CommandEnd): void {
    const job = this.#jobs.get(id);
    if (!job) return;
    job.end = end;
    this.#forgetOldest();
    this.#onEnd.emit(toBackgroundJob(job));
  }

  #forgetOldest(): void {
    let tooMany = this.#count("ended") - maxEnded;
    for (const { id, end } of this.#jobs.values()) {
      if (end && tooMany-- > 0) this.#jobs.delete(id);
    }
  }

  #count(state: "running" | "ended"): number {
    return [...this.#jobs.values()].filter(({ end }) => (end ? "ended" : "running") === state)
      .length;
  }
}

function toBackgroundJob(job: Job): BackgroundJob {
  const { id, command, startedAt, messageId, running, end } = job;
  const output = end ? describeEnd(end) : running.output();
  const known = { id, command, startedAt, messageId, pid: running.pid };
  return { ...known, status: statusOf(end), output };
}

function statusOf(end: CommandEnd | undefined): BackgroundJob["status"] {
  if (!end) return "running";
  if (end.ending === "aborted") return "stopped";
  return hasSucceeded(end) ? "completed" : "failed";
}

function tooMany(): CommandNotStarted {
  const problem = `${maxRunning} commands run in the background already. Wait until one has ended, or end one with kill; check_background tells their pids.`;
  return { type: "not-started", problem };
}
