import type { Clock } from "../lib/clock.ts";
import { hashOf } from "../lib/content-file.ts";
import {
  type ChangeHistory,
  changesSince,
  findRecent,
  type HistoryLimits,
  type KnownChange,
  type KnownChanges,
  latestOf,
  type NotedChange,
  standardLimits,
} from "./change-history.ts";

/** The changes of files, for as long as this process lives. */
export class MemoryChangeHistory implements ChangeHistory {
  readonly #clock: Clock;
  readonly #limits: HistoryLimits;
  readonly #contents = new Map<string, Buffer>();
  #changes: KnownChange[] = [];
  #droppedUntil: string | undefined;
  #bytes = 0;

  constructor(clock: Clock, limits: HistoryLimits = standardLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  async keep({ member, root, path, before, after, ...given }: NotedChange): Promise<void> {
    const size = before && !given.isSecret ? before.length : 0;
    if (given.makesRoom) this.#makeRoom(size);
    const hasRoom = given.makesRoom || this.#bytes + size <= this.#limits.bytes;
    const kept = !given.isSecret && hasRoom;
    const hash = before ? hashOf(before) : null;
    if (before && hash && kept && !this.#contents.has(hash)) {
      this.#contents.set(hash, Buffer.from(before));
      this.#bytes += size;
    }
    const at = this.#clock.now().toISOString();
    const hashes = { before: hash, after: after ? hashOf(after) : null };
    this.#changes.push({ at, member, root, path, ...hashes, kept });
  }

  async since(date: Date): Promise<KnownChanges> {
    return changesSince(date, { changes: this.#changes, droppedUntil: this.#droppedUntil });
  }

  async content(hash: string): Promise<Buffer | undefined> {
    const content = this.#contents.get(hash);
    return content && Buffer.from(content);
  }

  #makeRoom(coming: number): void {
    const { changes, bytes: maxBytes } = this.#limits;
    if (this.#changes.length < changes && this.#bytes + coming <= maxBytes) return;
    const sizeOf = (hash: string) => this.#contents.get(hash)?.length ?? 0;
    const limits = { changes: changes - 1, bytes: maxBytes };
    const { recent, bytes } = findRecent(this.#changes, { limits, coming, sizeOf });
    const dropped = this.#changes.slice(0, this.#changes.length - recent.length);
    const times = dropped.map(({ at }) => at);
    this.#droppedUntil = latestOf([...times, ...(this.#droppedUntil ? [this.#droppedUntil] : [])]);
    const named = new Set(recent.map(({ before }) => before));
    for (const hash of this.#contents.keys()) if (!named.has(hash)) this.#contents.delete(hash);
    this.#changes = recent;
    this.#bytes = bytes;
  }
}
