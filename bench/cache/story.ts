import type { ReplyBlock } from "../../src/protocol/transcript.ts";
import type { ProviderRequest } from "../../src/testing/provider-server/provider-api.ts";
import { calls, reply, type ScriptedReply, says } from "../../src/testing/scripted-model.ts";

const teammates = ["alice", "bob", "carol", "dave"];

/** Turns of a member in each of its runs, without those that begin and end it. */
const turnsPerRun = 15;

/** How many files there are to read; no member reads one twice. */
export const fileCount = 100;

/** What the models of a team say: who reads a file, who writes to whom, and when a run is over. */
export class Story {
  readonly #left = new Map<string, number>();
  readonly #read = new Map<string, number>();
  #runs = 0;

  answer(member: string, request: ProviderRequest): ScriptedReply {
    if (request.text.includes("Your context is nearly full")) return reply([says(summary)]);
    const left = this.#left.get(member) ?? turnsPerRun + (member === "lead" ? 2 : 0);
    this.#left.set(member, left - 1);
    if (left <= 0) {
      this.#left.delete(member);
      return reply([says(`${member} has read its files. ${filler}`)]);
    }
    return reply(member === "lead" ? this.#lead(left) : this.#teammate(member, left));
  }

  #lead(left: number): ReplyBlock[] {
    if (left === turnsPerRun + 2) return this.#begin();
    if (left === 1) return [calls("wait_for_teammates", {})];
    return this.#work("lead");
  }

  /** Teammates are spawned in the first run, written to in the others; in the last, one is replaced. */
  #begin(): ReplyBlock[] {
    this.#runs++;
    if (this.#runs === 1) return teammates.map((name) => spawn(name, "reader"));
    const written = this.#runs < 4 ? teammates : teammates.slice(1);
    return [
      ...(this.#runs < 4 ? [] : [spawn("alice", "reviewer")]),
      ...written.map((to) => calls("send_message", { to, content: `Go on. ${filler}` })),
    ];
  }

  #teammate(member: string, left: number): ReplyBlock[] {
    if (left % 5 !== 0) return this.#work(member);
    const to = teammates[(teammates.indexOf(member) + 1) % teammates.length];
    return [...this.#work(member), calls("send_message", { to, content: `News. ${filler}` })];
  }

  #work(member: string): ReplyBlock[] {
    const number = (this.#read.get(member) ?? 0) + 1;
    this.#read.set(member, number);
    return [says(`Next is file ${number}.`), calls("read_file", { path: `file-${number}.txt` })];
  }
}

const filler =
  "What was found is written down, with the places, the figures and what is left to do. ";
const summary = filler.repeat(10);

function spawn(name: string, role: string): ReplyBlock {
  return calls("spawn_teammate", { name, role, prompt: `Read the files. ${filler}` });
}
