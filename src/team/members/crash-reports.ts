import type { Clock } from "../../lib/clock.ts";
import { lead, type MemberName, system } from "../../protocol/ids.ts";
import { messageIdFor } from "../message-id-for.ts";
import type { Post } from "../post.ts";
import type { TeamTasks } from "../protocols/team-tasks.ts";
import type { SupervisorOptions } from "../supervisor-options.ts";
import type { TeamStore } from "../team-store.ts";

export interface CrashReportsOptions {
  store: Pick<TeamStore, "lost">;
  post: Pick<Post, "send">;
  tasks: Pick<TeamTasks, "releaseAll">;
  clock: Clock;
  checkouts: Pick<SupervisorOptions["checkouts"], "tryToKeep">;
  onWarning(message: string): void;
  /** Called when the report of a crash is finished. */
  onSettled(): void;
}

/** Reports the crash of a member's loop to the lead and the person, and frees the member's tasks. */
export class CrashReports {
  readonly #options: CrashReportsOptions;
  #open = 0;

  constructor(options: CrashReportsOptions) {
    this.#options = options;
  }

  get isAnyOpen(): boolean {
    return this.#open > 0;
  }

  begin(name: MemberName, reason: string): void {
    const { store, tasks, checkouts, onWarning, onSettled } = this.#options;
    // The members of a process that is no longer the lead fail by that. They run elsewhere by now.
    if (store.lost.aborted) return;
    onWarning(`'${name}' has failed: ${reason}`);
    if (name === lead) return;
    this.#open++;
    const work = [checkouts.tryToKeep(name), this.#tellLead(name, reason), tasks.releaseAll(name)];
    void Promise.allSettled(work).then((parts) => {
      this.#open--;
      for (const part of parts) if (part.status === "rejected") onWarning(String(part.reason));
      onSettled();
    });
  }

  async #tellLead(name: MemberName, reason: string): Promise<void> {
    const { post, clock } = this.#options;
    await post.send(lead, {
      id: messageIdFor(`${name} failed: ${reason}`, clock.now()),
      type: "teammate_terminated",
      from: system,
      teammate: name,
      reason,
      expected: false,
      content: `${name} has failed: ${reason}. A message starts it again.`,
    });
  }
}
