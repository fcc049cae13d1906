import { setTimeout as sleep } from "node:timers/promises";
import { alternate, rounds } from "../lib/alternate.ts";
import type { Child } from "../lib/child.ts";
import { ChildGroup } from "../lib/child-group.ts";
import { formatCount, formatNumber, formatRate } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, medianRatio, sum } from "../lib/statistics.ts";
import { nowNs, nsPerSecond } from "../lib/time.ts";
import { Done, SendAnswer, TallyAnswer } from "./contract.ts";
import type { Workbench } from "./workbench.ts";

const senderNames = Array.from({ length: 8 }, (_, number) => `writer-${number}`);
const perSender = 5000;
/** Longer than a reader waits before it searches its rotated segments for late lines. */
const afterMs = 1200;
const total = senderNames.length * perSender;

/** Eight processes write to one mailbox while a ninth reads it. */
export async function measureCrowd(workbench: Workbench): Promise<Section> {
  await using troupe = await Crew.start(workbench, "troupe");
  await using teaching = await Crew.start(workbench, "teaching");
  const outcomesOf = await alternate([troupe, teaching], (crew, round) => crew.run(round));
  return describe(outcomesOf(troupe), outcomesOf(teaching));
}

/** One round of one design. */
interface Outcome extends TallyAnswer {
  /** Until the last send has returned. */
  sentPerSecond: number;
  /** For the messages that arrived, until the reader has the last of them. */
  seenPerSecond: number;
}

/** The processes of one design. */
class Crew implements AsyncDisposable {
  readonly #senders: ChildGroup<string>;
  readonly #receiver: Child;

  private constructor(senders: ChildGroup<string>, receiver: Child) {
    this.#senders = senders;
    this.#receiver = receiver;
  }

  static async start(workbench: Workbench, design: "troupe" | "teaching"): Promise<Crew> {
    const directory = await workbench.directory(`crowd-${design}`);
    const receiver = await workbench.start("receiver", { design, directory });
    const senders = await ChildGroup.start(senderNames, (from) => {
      return workbench.start("sender", { design, directory, from });
    });
    return new Crew(senders, receiver);
  }

  async run(round: number): Promise<Outcome> {
    await this.#receiver.ask({ type: "begin", round }, Done);
    const startNs = nowNs();
    const sent = await this.#senders.askAll({ round, count: perSender }, SendAnswer);
    const slowestNs = Math.max(...sent.map(({ elapsedNs }) => elapsedNs));
    const finish = { type: "finish", senders: senderNames, count: perSender };
    const { lastNs } = await this.#receiver.ask(finish, TallyAnswer);
    // Messages that a reader finds later count too, but not for the rate.
    await sleep(afterMs);
    const tally = await this.#receiver.ask(finish, TallyAnswer);
    return {
      ...tally,
      sentPerSecond: total / (slowestNs / nsPerSecond),
      seenPerSecond: (total - tally.lost) / ((lastNs - startNs) / nsPerSecond),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#senders[Symbol.asyncDispose]();
    await this.#receiver[Symbol.asyncDispose]();
  }
}

function describe(troupe: readonly Outcome[], teaching: readonly Outcome[]): Section {
  const ours = summarize(troupe);
  const theirs = summarize(teaching);
  const harmed = ours.lost + ours.torn + ours.twice;
  const sentRatio = medianRatio(ours.sent, theirs.sent);
  const seenRatio = medianRatio(ours.seen, theirs.seen);
  const row = (name: string, { sent, seen, lost, torn, twice }: Summary) => {
    const rates = [sent, seen].map((rounds) => formatRate(median(rounds)));
    return [name, ...rates, ...[lost, torn, twice].map(formatCount)];
  };
  return {
    title: "Eight writers, one reader",
    about: `Eight processes send ${formatCount(perSender)} messages each, as fast as they can, while a ninth takes them out. Troupe's reader checks signatures and schemas, appends to the transcript, acknowledges, and rotates at 1 MiB; the teaching design's reads the file and truncates it. "Sent" is until the last send has returned; "seen" is what arrived, until the reader has the last of it. For each message Troupe's one reader thread checks an HMAC and a schema and writes a transcript entry; the teaching design's only splits lines. What came twice is counted until a second later; lost, torn and twice are of all ${formatCount(total * rounds)} messages of the ${rounds} rounds.`,
    table: {
      head: ["design", "sent", "seen", "lost", "torn", "twice"],
      rows: [row("troupe", ours), row("teaching", theirs)],
    },
    targets: [
      {
        what: "8 writers and a reader: lost, torn or twice",
        figure: formatCount(harmed),
        target: "0",
        isMet: harmed === 0,
      },
      {
        what: "8 writers and a reader: lost by the teaching design (the control)",
        figure: formatCount(theirs.lost),
        target: "> 0",
        isMet: theirs.lost > 0,
      },
      {
        what: "8 writers and a reader: rate of sending / teaching design's",
        figure: formatNumber(sentRatio),
        target: "≥ 0.5",
        isMet: sentRatio >= 0.5,
      },
      {
        what: "8 writers and a reader: rate of arrival / teaching design's",
        figure: formatNumber(seenRatio),
        target: "≥ 0.5",
        isMet: seenRatio >= 0.5,
      },
    ],
  };
}

interface Summary {
  sent: number[];
  seen: number[];
  lost: number;
  torn: number;
  twice: number;
}

function summarize(outcomes: readonly Outcome[]): Summary {
  return {
    sent: outcomes.map(({ sentPerSecond }) => sentPerSecond),
    seen: outcomes.map(({ seenPerSecond }) => seenPerSecond),
    lost: sum(outcomes.map(({ lost }) => lost)),
    torn: sum(outcomes.map(({ torn }) => torn)),
    twice: sum(outcomes.map(({ twice }) => twice)),
  };
}
