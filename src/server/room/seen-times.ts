import type { MessageId } from "../../protocol/ids.ts";

const maxTimes = 10_000;

/** When messages were seen, of the newest. */
export class SeenTimes {
  readonly #times = new Map<MessageId, string>();

  get(id: MessageId): string | undefined {
    return this.#times.get(id);
  }

  set(id: MessageId, at: string): void {
    this.#times.set(id, at);
    if (this.#times.size <= maxTimes) return;
    const [oldest] = this.#times.keys();
    if (oldest !== undefined) this.#times.delete(oldest);
  }
}
