import type { FilePath } from "../lib/file-path.ts";
import { type Damage, parseLine } from "../lib/json-lines.ts";
import { UsageLine } from "../protocol/usage.ts";
import { LogTail } from "./log-tail.ts";

/** The kept lines of a ledger from the oldest on, and later those that came since. */
export class UsageHistory {
  readonly #tail: LogTail;
  readonly #onDamage: (damage: Damage) => void;

  constructor({ path, onDamage }: { path: FilePath; onDamage(damage: Damage): void }) {
    this.#tail = new LogTail(path);
    this.#onDamage = onDamage;
  }

  /** How often the ledger was replaced, so that everything came again from its start. */
  get restarts(): number {
    return this.#tail.restarts;
  }

  async *readOn(): AsyncGenerator<UsageLine> {
    for await (const line of this.#tail.readOn()) {
      const record = parseLine(line, UsageLine, this.#onDamage);
      if (record) yield record;
    }
  }
}
