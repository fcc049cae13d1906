/**
 * The long run of the store's fault tests: `npm run soak:store [-- --seed N]`. One line a fault,
 * with its counts, those of its control, and the seed. The exit code is not zero when something is
 * lost, doubled, torn or out of order, when a fault never strikes, or when a control shows nothing.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { type Errno, FaultyFileSystem } from "../test/support/faulty-file-system.ts";
import { fillDisk, useUpDescriptors } from "./exhaustion.ts";
import { flipBits, tearEverywhere } from "./mail-damage.ts";
import { MailTrial, randomSteps, type Step } from "./mail-trial.ts";
import {
  type KillOptions,
  killReaders,
  killWriters,
  readBacklog,
  runCrowd,
} from "./many-processes.ts";
import { Random } from "./random.ts";
import {
  claimStory,
  decisionStory,
  fenceStory,
  naiveStory,
  rosterStory,
} from "./record-stories.ts";
import { type RecordStory, RecordTrial } from "./record-trial.ts";
import { type SweepResult, sweepCrashes, sweepErrors } from "./sweep.ts";
import { untilShown } from "./until-shown.ts";

const { values } = parseArgs({ options: { seed: { type: "string" } } });
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
const random = new Random(seed);
const faulty = await FaultyFileSystem.install();
let failures = 0;

type Counts = Record<string, number>;

/** The counts that must be zero in every tally. */
const wrongs = ["lost", "twice", "torn", "misordered", "vanished", "violations"];

interface Fault {
  name: string;
  run(): Promise<Counts | undefined>;
  /** Counts that are zero only if the fault did not occur. */
  mustShow?: readonly string[];
  control?: { shows: string; run(): Promise<Counts> };
}

async function report({ name, run, mustShow = [], control }: Fault): Promise<void> {
  const startMs = performance.now();
  const counts = await run();
  if (!counts) return console.log(`skipped  ${name}: this machine does not permit it`);
  const controlCounts = await control?.run();
  const isShown = !control || (controlCounts?.[control.shows] ?? 0) > 0;
  const verdict = judge(counts, { mustShow, isShown });
  if (verdict !== "ok") failures++;
  const shown = controlCounts ? ` | control: ${format(controlCounts)}` : "";
  const seconds = Math.round((performance.now() - startMs) / 1000);
  console.log(`${verdict}  ${name}: ${format(counts)}${shown} | seed ${seed} | ${seconds} s`);
}

function judge(counts: Counts, { mustShow, isShown }: Evidence): string {
  if (wrongs.some((wrong) => counts[wrong])) return "VIOLATED";
  if (!mustShow.every((name) => (counts[name] ?? 0) > 0)) return "FAULT NEVER STRUCK";
  return isShown ? "ok" : "CONTROL SHOWS NOTHING";
}

interface Evidence {
  mustShow: readonly string[];
  /** Whether the control, if there is one, shows its fault. */
  isShown: boolean;
}

function format(counts: Counts): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");
}

/** Adds up the counts of several runs. */
async function total(runs: number, run: () => Promise<object>): Promise<Counts> {
  const sums: Counts = {};
  for (let done = 0; done < runs; done++) {
    for (const [name, count] of Object.entries(await run())) {
      sums[name] = (sums[name] ?? 0) + Number(count);
    }
  }
  return sums;
}

function countSweep({ hits, violations }: SweepResult): Counts {
  for (const violation of violations.slice(0, 5)) console.error(`  ${violation}`);
  return { hits, violations: violations.length };
}

function mailSweep(steps: readonly Step[]) {
  return {
    faulty,
    prepare: (directory: string) => MailTrial.prepare({ directory, faulty, steps }),
    writtenShares: [0, 0.5, 0.99],
  };
}

function recordSweep<Store>(tell: () => RecordStory<Store>) {
  return {
    faulty,
    prepare: (directory: string) => RecordTrial.prepare({ directory, faulty, story: tell() }),
    writtenShares: [0, 0.5, 0.99],
  };
}

const errors: readonly (Errno | "short-write")[] = [
  "EIO",
  "ENOSPC",
  "EROFS",
  "EMFILE",
  "short-write",
];

async function reportSweeps(): Promise<void> {
  const steps: Step[] = ["drain"];
  await report({
    name: "mail, a crash at every change and in every recovery, 5 random sequences of steps",
    run: () =>
      total(5, async () => countSweep(await sweepCrashes(mailSweep(randomSteps(random, 3))))),
    control: {
      shows: "violations",
      run: async () => {
        const habit = "forgets-transcript";
        const prepare = (directory: string) =>
          MailTrial.prepare({ directory, faulty, steps, habit });
        const { hits, violations } = await sweepCrashes({ faulty, prepare });
        return { hits, violations: violations.length };
      },
    },
  });
  for (const kind of errors) {
    await report({
      name: `mail, ${kind} at every call, 10 random sequences of steps`,
      run: () => {
        return total(10, async () => {
          return countSweep(await sweepErrors(mailSweep(randomSteps(random, 10)), kind));
        });
      },
    });
  }
  await reportRecords();
}

async function reportRecords(): Promise<void> {
  const sweeps = {
    "task claim": recordSweep(claimStory),
    "request decision": recordSweep(decisionStory),
    "roster change": recordSweep(rosterStory),
    fence: recordSweep(fenceStory),
  };
  for (const [name, sweep] of Object.entries(sweeps)) {
    await report({
      name: `${name}, a crash at every change and in every recovery`,
      run: async () => countSweep(await sweepCrashes(sweep)),
      control: {
        shows: "violations",
        run: async () => {
          const { hits, violations } = await sweepCrashes(recordSweep(naiveStory));
          return { hits, violations: violations.length };
        },
      },
    });
    for (const kind of errors) {
      await report({
        name: `${name}, ${kind} at every call`,
        run: async () => countSweep(await sweepErrors(sweep, kind)),
      });
    }
  }
}

async function reportProcesses(): Promise<void> {
  const small = { writers: 8, letterSize: 150, rotateBytes: 64 * 1024, burst: 16 };
  const naive = { ...small, lettersEach: 1000, rotateBytes: 1000, burst: 1, historyBytes: 1 };
  await report({
    name: "8 processes × 50,000 short letters",
    run: async () => ({ ...(await runCrowd({ ...small, lettersEach: 50_000 })) }),
    control: {
      shows: "lost",
      run: async () => ({ ...(await runCrowd({ ...naive, writerKind: "naive" })) }),
    },
  });
  await report({
    name: "8 processes × 2,000 letters of 150 B to 256 KB",
    run: async () => {
      return {
        ...(await runCrowd({ writers: 8, lettersEach: 2000, rotateBytes: 4000, burst: 4 })),
      };
    },
    control: {
      shows: "lost",
      run: async () => ({
        ...(await runCrowd({ ...small, lettersEach: 2000, habit: "truncates" })),
      }),
    },
  });
  const forgetful = {
    kills: 10,
    random,
    habit: "forgets-transcript",
    aims: ["kept"],
  } satisfies KillOptions;
  await report({
    name: "200 × kill -9 of the reader",
    run: () => total(10, () => killReaders({ kills: 20, random })),
    control: {
      shows: "twice",
      run: async () => ({ ...(await untilShown("twice", () => killReaders(forgetful))) }),
    },
  });
  await report({
    name: "200 × kill -9 of the writer",
    run: () => total(10, () => killWriters({ kills: 20, random })),
    mustShow: ["tornLines"],
    control: {
      shows: "lost",
      run: async () => ({ ...(await killWriters({ kills: 5, random, habit: "skips-torn" })) }),
    },
  });
}

async function reportDamage(): Promise<void> {
  await report({
    name: "200 bit flips, 20 times",
    run: () => total(20, () => flipBits({ letters: 400, flips: 200, random })),
    mustShow: ["damaged", "naivelyBelieved"],
  });
  await report({
    name: "a line torn at every byte",
    run: async () => ({ ...(await tearEverywhere()) }),
    mustShow: ["cuts"],
  });
  const backlog = { letters: 100_000, heapMb: 96 };
  await report({
    name: "100,000 unread with 96 MB",
    run: async () => ({ ...((await readBacklog(backlog)) ?? { lost: backlog.letters }) }),
    control: {
      shows: "died",
      run: async () => {
        return { died: (await readBacklog({ ...backlog, habit: "truncates" })) ? 0 : 1 };
      },
    },
  });
  await reportExhaustion();
}

async function reportExhaustion(): Promise<void> {
  await report({
    name: "disk full and freed again",
    run: async () => {
      const tally = await fillDisk();
      if (!tally) return undefined;
      // A carelessly replaced file is neither the old one nor the new one.
      const naivelyRuined = [1_000, 20_000].includes(tally.naivelyKept) ? 0 : 1;
      return { ...tally, naivelyRuined };
    },
    mustShow: ["refused", "sentAfterwards", "naivelyRuined"],
  });
  await report({
    name: "64 open files",
    run: useUpDescriptors,
    mustShow: ["refused", "sentAfterwards"],
  });
}

/** The fence has its own test, which takes the number of rounds from its environment. */
async function reportTwoLeads(): Promise<void> {
  const rounds = 200;
  await report({
    name: "two leads started 200 times, with its control",
    run: async () => {
      const given = ["node_modules/vitest/vitest.mjs", "run", "test/fence/two-leads.test.ts"];
      const env = { ...process.env, TROUPE_FENCE_ROUNDS: String(rounds) };
      const { status, stdout } = spawnSync(process.execPath, given, { env, encoding: "utf8" });
      if (status !== 0) console.error(stdout);
      return { rounds, violations: status === 0 ? 0 : 1 };
    },
  });
}

await reportSweeps();
await reportProcesses();
await reportDamage();
await reportTwoLeads();
console.log(failures === 0 ? "Nothing lost." : `${failures} faults were not withstood.`);
process.exitCode = failures === 0 ? 0 : 1;
