import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Message } from "../../../src/protocol/message.ts";
import type { TeamOnWire } from "../../support/team-on-wire.ts";
import type { Order } from "./programs/team-process.ts";

/** What a process that runs a team says, line by line. */
export type Said = Record<string, unknown>;

export interface TeamProcess extends AsyncDisposable {
  order(order: Order): void;
  /** Resolves once it has said `count` things for which `isIt` holds. */
  said(isIt: (line: Said) => boolean, count?: number): Promise<void>;
  /** How many such things it has said so far. */
  heard(isIt: (line: Said) => boolean): number;
  /** Ends it as nothing can be prepared for. */
  kill(): Promise<void>;
  /** Lets it leave by itself. */
  leave(): Promise<void>;
}

/** Where a process stays for ever: around the sending of a message of some sender and type. */
export type Hold = ["before" | "after", string, Message["type"]];

/** Starts a process of its own that runs the team of `wire`. */
export function startTeamProcess(wire: TeamOnWire, hold?: Hold): TeamProcess {
  const program = "test/e2e/promises/programs/team-process.ts";
  const argv = ["--import", "tsx", program, wire.root, wire.server.url, ...(hold ?? [])];
  const child = spawn(process.execPath, argv, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const lines: Said[] = [];
  const looks = new Set<() => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line));
    for (const look of [...looks]) look();
  });
  const order = (it: Order) => void child.stdin.write(`${JSON.stringify(it)}\n`);
  const kill = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  return {
    order,
    kill,
    async leave() {
      child.stdin.end();
      await exited;
    },
    heard: (isIt) => lines.filter(isIt).length,
    said: (isIt, count = 1) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (lines.filter(isIt).length < count) return;
          looks.delete(look);
          resolve();
        };
        looks.add(look);
        look();
        void exited.then(() => reject(new Error("The process ended before it said so")));
      }),
    [Symbol.asyncDispose]: kill,
  };
}
