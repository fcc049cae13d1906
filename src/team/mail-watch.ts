import type { Clock } from "../lib/clock.ts";
import { DirectoryWatch } from "../lib/directory-watch.ts";
import type { FilePath } from "../lib/file-path.ts";
import type { MemberName } from "../protocol/ids.ts";

/** Says when there may be new mail for somebody. One watch serves all mailboxes of `inbox`. */
export class MailWatch implements Disposable {
  readonly #watch: DirectoryWatch;

  constructor(inbox: FilePath, clock: Clock) {
    // Where there are no mailboxes yet, looking once a second is what can be had.
    this.#watch = new DirectoryWatch({ directory: inbox, clock, onFallback: () => undefined });
  }

  /** Calls `wake` until the returned function is called. */
  subscribe(owner: MemberName, wake: () => void): () => void {
    return this.#watch.subscribe(`${owner}.jsonl`, wake);
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
  }
}
