import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { FileFence } from "../../src/fence/file-fence.ts";
import type { Clock } from "../../src/lib/clock.ts";
import type { ProcessIdentity, ProcessTable } from "../../src/lib/process-identity.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

/** A machine with its own clock and pids, on which each open fence belongs to another process. */
export class Machine implements ProcessTable {
  readonly clock = new ManualClock();
  readonly notices: string[] = [];
  readonly #name: string;
  readonly #starts = new Map<number, string>();
  #pid = 100;

  constructor(name: string) {
    this.#name = name;
    this.start(this.#pid, "1");
  }

  async self(): Promise<ProcessIdentity> {
    return {
      host: this.#name,
      boot_id: `boot of ${this.#name}`,
      pid_namespace: "pid:[1]",
      pid: this.#pid,
      process_start: (await this.startOf(this.#pid)) ?? "",
    };
  }

  async startOf(pid: number): Promise<string | undefined> {
    return this.#starts.get(pid);
  }

  /** Starts a process with this pid; from here on it is the one that acts. */
  start(pid: number, time: string): void {
    this.#pid = pid;
    this.#starts.set(pid, time);
  }

  kill(pid: number): void {
    this.#starts.delete(pid);
  }

  open(directory: string, clock: Clock = this.clock): FileFence {
    const onNotice = (notice: string) => this.notices.push(notice);
    return new FileFence({ directory, clock, processes: this, onNotice });
  }
}

export async function heartbeatIn(directory: string): Promise<{ epoch: number; beat: number }> {
  return JSON.parse(await readFile(join(directory, "heartbeat"), "utf8"));
}
