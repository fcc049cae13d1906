import { type CronBook, MemoryCronBook } from "../../src/crons/cron-book.ts";
import { CronTable, type DueCron } from "../../src/crons/cron-table.ts";
import { TeamError } from "../../src/errors.ts";
import type { CronDraft } from "../../src/protocol/cron.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** A morning in local time, as patterns are. */
export function at(hour: number, minute = 0, day = 1): Date {
  return new Date(2026, 0, day, hour, minute);
}

export function draft(fields: Partial<CronDraft> = {}): CronDraft {
  return { cron: "* * * * *", prompt: "Look.", member: undefined, once: false, ...fields };
}

/** A place where tables are opened one after the other, as by starts of one team. */
export class TableFixture {
  readonly clock: ManualClock;
  readonly book: CronBook = new MemoryCronBook();
  readonly fired: DueCron[] = [];
  readonly warnings: string[] = [];
  /** What becomes of each firing. */
  answer: () => Promise<void> = async () => {};

  constructor(start: Date) {
    this.clock = new ManualClock(start);
  }

  open(book = this.book): Promise<CronTable> {
    return CronTable.open({
      book,
      clock: this.clock,
      requireMember: async (name) => {
        if (name !== "lead" && name !== "alice") {
          throw new TeamError("member-unknown", `There is no member '${name}'`);
        }
      },
      fire: (due) => {
        this.fired.push(due);
        return this.answer();
      },
      onWarning: (message) => void this.warnings.push(message),
    });
  }

  /** Makes firings hang until the returned function is called. */
  hold(): () => void {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.answer = () => held;
    return release;
  }

  /** Lets time pass and whatever is fired meanwhile be done with. Only with something to wait for. */
  async pass(durationMs: number): Promise<void> {
    this.clock.advance(durationMs);
    await this.clock.waiting();
  }

  times(): Date[] {
    return this.fired.map((due) => due.at);
  }
}
