import { cannotLook, findMarkedAtOnce } from "./process-list.ts";
import { type ProcessTree, signalProcess } from "./process-tree.ts";

/** The commands of a team that this process runs, in the foreground and in the background. */
export class RunningCommands {
  readonly #trees = new Map<string, ProcessTree>();

  add(tree: ProcessTree): void {
    this.#trees.set(tree.marker, tree);
  }

  remove({ marker }: ProcessTree): void {
    this.#trees.delete(marker);
  }

  has(marker: string): boolean {
    return this.#trees.has(marker);
  }

  /**
   * Kills every command at once, for a process that is about to exit and cannot wait. On macOS, a
   * process that has left its group continues until it is found as an orphan.
   */
  killAll(): void {
    if (this.#trees.size === 0) return;
    for (const { group } of this.#trees.values()) signalProcess(-group, "SIGKILL");
    try {
      const marked = findMarkedAtOnce((marker) => this.has(marker));
      for (const pid of marked) signalProcess(pid, "SIGKILL");
    } catch (error) {
      // The commands become orphans. An exit must not fail because of it.
      if (!cannotLook(error)) throw error;
    }
  }
}
