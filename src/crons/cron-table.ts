import { TeamError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { Serial } from "../lib/serial.ts";
import { type CronDraft, type CronEntry, newCronId } from "../protocol/cron.ts";
import { lead, type MemberName, outside, parseMemberName } from "../protocol/ids.ts";
import { isContentSize, maxContentBytes } from "../protocol/message.ts";
import type { CronBook } from "./cron-book.ts";
import { dueTime, parsePattern, planAgain, requireUpcoming } from "./cron-pattern.ts";

export interface CronTableOptions {
  book: CronBook;
  clock: Clock;
  /** Throws unless there is such a member. */
  requireMember(name: MemberName): Promise<unknown>;
  /**
   * Sends the prompt. Where a process dies between this and the record of it, or the record fails,
   * it is called again for the same entry and time: with a message id made of these two, the prompt
   * is sent once.
   */
  fire(due: DueCron): Promise<void>;
  onWarning(message: string): void;
}

export interface DueCron {
  entry: CronEntry;
  /** The scheduled time, which is in the past where the machine slept. */
  at: Date;
}

interface CronPlan {
  entry: CronEntry;
  /** True also while a failed firing waits to be tried again. */
  isFiring: boolean;
}

/** So many entries may be scheduled at once. */
const maxEntries = 100;
/** Between two looks at the clock, so that a machine that slept or a clock that was set is noticed. */
const maxLookDelayMs = 60_000;
const retryDelayMs = 60_000;
/**
 * A clock set back by less is waited for: times that have come do not come again. One set back by
 * more was wrong before, so that all times are planned again.
 */
const maxWaitedSetbackMs = 3 * 3_600_000;

/**
 * Fires what is in the book when its time has come, in local time. A time that passed while no
 * table was open, or the machine slept, is made up for where the entry comes once, and skipped
 * where it recurs. The table does not keep the process alive.
 */
export class CronTable implements AsyncDisposable {
  readonly #options: CronTableOptions;
  readonly #plans = new Map<string, CronPlan>();
  readonly #writes = new Serial();
  readonly #underWay = new Set<Promise<void>>();
  #lastLookMs = 0;
  #cancelLook = (): void => undefined;
  #isClosed = false;

  private constructor(options: CronTableOptions) {
    this.#options = options;
  }

  /** Schedules the entries of the book, up to the limit. A missed entry that comes once fires at once. */
  static async open(options: CronTableOptions): Promise<CronTable> {
    const table = new CronTable(options);
    const now = options.clock.now();
    const entries = await options.book.list();
    for (const entry of withinLimit(entries)) {
      const plan = { entry, isFiring: false };
      table.#plans.set(entry.id, plan);
      table.#planAgain(plan, now);
    }
    if (entries.length > maxEntries) {
      const count = `There are ${entries.length} crons, more than ${maxEntries}`;
      options.onWarning(
        `${count}: only the oldest ${maxEntries} run. The others stay in the team's directory until a start has room for them.`,
      );
    }
    table.#look();
    return table;
  }

  /** Throws `config-invalid` where the pattern is none or never comes, or there are too many. */
  async schedule({ prompt, once, askedAt, ...draft }: CronDraft): Promise<CronEntry> {
    const cron = parsePattern(draft.cron);
    const now = this.#options.clock.now();
    // An entry that comes once, and whose time has passed, comes late rather than a year later.
    const after = once && askedAt && askedAt < now ? askedAt : now;
    const next_at = requireUpcoming(cron, after).toISOString();
    requirePromptSize(prompt);
    const member = parseMemberName(draft.member ?? lead);
    await this.#options.requireMember(member);
    const id = newCronId();
    const created_at = now.toISOString();
    // Only the lead has a timetable.
    return this.#add({ id, cron, prompt, member, once, created_by: lead, created_at, next_at });
  }

  /** Oldest first. */
  async list(): Promise<CronEntry[]> {
    return [...this.#plans.values()].map(({ entry }) => entry);
  }

  /** Throws `cron-unknown` where there is none; the hint names those there are. */
  cancel(id: string): Promise<CronEntry> {
    return this.#writes.run(async () => {
      const plan = this.#plans.get(id);
      if (!plan) throw unknownCron(id, [...this.#plans.keys()]);
      await this.#drop(plan);
      return plan.entry;
    });
  }

  /** Stops, and waits for what is being fired. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#cancelLook();
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #add(entry: CronEntry): Promise<CronEntry> {
    return this.#writes.run(async () => {
      if (this.#plans.size >= maxEntries) throw tooMany();
      await this.#options.book.put(entry);
      this.#plans.set(entry.id, { entry, isFiring: false });
      this.#look();
      return entry;
    });
  }

  /** Fires what is due, skips what was missed, and sees to it that there is a next look. */
  #look(): void {
    if (this.#isClosed) return;
    const now = this.#options.clock.now();
    const isSetBack = this.#lastLookMs - now.getTime() > maxWaitedSetbackMs;
    this.#lastLookMs = now.getTime();
    let delayMs = Infinity;
    for (const plan of this.#plans.values()) {
      if (plan.isFiring) continue;
      if (isSetBack) this.#planAgain(plan, now);
      this.#fireIfDue(plan, now);
      delayMs = Math.min(delayMs, millisecondsUntilNext(plan, now));
    }
    this.#cancelLook();
    if (delayMs === Infinity) return;
    const look = () => this.#look();
    this.#cancelLook = this.#options.clock.schedule(Math.min(delayMs, maxLookDelayMs), look);
  }

  #fireIfDue(plan: CronPlan, now: Date): void {
    const { entry } = plan;
    if (entry.next_at === null) return;
    const next = new Date(entry.next_at);
    if (next > now) return;
    const at = dueTime(entry, next, now);
    if (at) this.#own(this.#fire(plan, at));
    else this.#planAgain(plan, now);
  }

  async #fire(plan: CronPlan, at: Date): Promise<void> {
    const { entry } = plan;
    plan.isFiring = true;
    try {
      await this.#options.fire({ entry, at });
      if (entry.once) await this.#writes.run(() => this.#drop(plan));
    } catch (error) {
      this.#warn(`Cron ${entry.id} for '${entry.member}' could not be fired`, error);
      if (entry.once) return this.#fireAgainLater(plan);
    }
    plan.isFiring = false;
    if (!entry.once) this.#planAgain(plan, at);
    this.#look();
  }

  #fireAgainLater(plan: CronPlan): void {
    this.#options.clock.schedule(retryDelayMs, () => {
      plan.isFiring = false;
      this.#look();
    });
  }

  /** Plans what comes after `after`. The book follows, so that people see it there. */
  #planAgain(plan: CronPlan, after: Date): void {
    const before = plan.entry;
    try {
      plan.entry = planAgain(before, after);
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      plan.entry = { ...before, next_at: null };
      this.#warn(`Cron ${before.id} does not run until it is corrected or cancelled`, error);
    }
    if (plan.entry.next_at !== before.next_at) this.#own(this.#keep(plan));
  }

  async #keep(plan: CronPlan): Promise<void> {
    try {
      await this.#writes.run(async () => {
        if (this.#has(plan)) await this.#options.book.put(plan.entry);
      });
    } catch (error) {
      // The next start plans recurring entries again, so that nothing is lost by it.
      this.#warn(`The next time of cron ${plan.entry.id} could not be recorded`, error);
    }
  }

  /** Does nothing where the entry was cancelled meanwhile. */
  async #drop(plan: CronPlan): Promise<void> {
    if (!this.#has(plan)) return;
    await this.#options.book.remove(plan.entry.id);
    this.#plans.delete(plan.entry.id);
  }

  #has(plan: CronPlan): boolean {
    return this.#plans.get(plan.entry.id) === plan;
  }

  #own(work: Promise<void>): void {
    const owned = work.finally(() => this.#underWay.delete(owned));
    this.#underWay.add(owned);
  }

  #warn(problem: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.#options.onWarning(`${problem}: ${reason}`);
  }
}

/** As many as may be scheduled: entries of troupe before others, and the oldest first. */
function withinLimit(entries: readonly CronEntry[]): readonly CronEntry[] {
  if (entries.length <= maxEntries) return entries;
  const isOurs = ({ created_by }: CronEntry) => created_by !== outside;
  const ranked = [...entries.filter(isOurs), ...entries.filter((entry) => !isOurs(entry))];
  return ranked.slice(0, maxEntries);
}

/** Infinity for what never comes, and for what is being fired. */
function millisecondsUntilNext({ entry, isFiring }: CronPlan, now: Date): number {
  if (isFiring || entry.next_at === null) return Infinity;
  return Math.max(0, Date.parse(entry.next_at) - now.getTime());
}

function requirePromptSize(prompt: string): void {
  if (isContentSize(prompt)) return;
  throw new TeamError("content-too-large", `The prompt is over ${maxContentBytes} bytes`, {
    hint: "Write it to a file, and let the prompt name its path.",
  });
}

function tooMany(): TeamError {
  return new TeamError("config-invalid", `There are ${maxEntries} crons already`, {
    hint: "Cancel one that is no longer needed.",
  });
}

function unknownCron(id: string, known: readonly string[]): TeamError {
  return new TeamError("cron-unknown", `There is no cron ${JSON.stringify(id)}`, {
    hint: known.length > 0 ? `Crons: ${known.join(", ")}.` : "Nothing is scheduled.",
  });
}
