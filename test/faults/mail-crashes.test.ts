import { expect, test } from "vitest";
import { MailTrial, randomSteps, type Step } from "../../soak/mail-trial.ts";
import { Random } from "../../soak/random.ts";
import { type SweepOptions, sweepCrashes, sweepErrors } from "../../soak/sweep.ts";
import { FaultyFileSystem } from "../support/faulty-file-system.ts";

const operations: [string, Step[]][] = [
  ["a send", ["send"]],
  ["taking mail in", ["drain"]],
  ["rotating the log", ["send-large", "drain", "send"]],
  ["giving mail back", ["give-back"]],
  ["setting a damaged line aside", ["damage", "drain"]],
  ["opening again", ["reopen", "drain"]],
  ["a jump of the clock", ["day-forward", "send", "hour-back", "send"]],
];

test.each(operations)(
  "a crash at any change of the disk in %s, or in the recovery, loses and duplicates nothing",
  async (_, steps) => {
    using faulty = await FaultyFileSystem.install();

    const { hits, violations } = await sweepCrashes(sweepOf(faulty, steps));

    expect(violations).toEqual([]);
    expect(hits).toBeGreaterThan(0);
  },
);

test.each(operations)(
  "an error in any call of %s loses and duplicates nothing, and the same objects continue",
  async (_, steps) => {
    using faulty = await FaultyFileSystem.install();

    for (const kind of ["EIO", "ENOSPC", "EROFS", "EMFILE", "short-write"] as const) {
      const { violations } = await sweepErrors(sweepOf(faulty, steps), kind);
      expect(violations).toEqual([]);
    }
  },
);

test("random steps with a random error lose and duplicate nothing", async () => {
  using faulty = await FaultyFileSystem.install();
  const seed = Math.floor(Math.random() * 1_000_000);
  const steps = randomSteps(new Random(seed), 8);

  const { violations } = await sweepErrors(sweepOf(faulty, steps), "EIO");

  expect(violations, `seed ${seed}: ${steps.join(", ")}`).toEqual([]);
});

test.each([
  ["acknowledges-first", "lost"],
  ["forgets-transcript", "twice"],
] as const)("control: a reader that %s shows messages %s", async (habit, fault) => {
  using faulty = await FaultyFileSystem.install();
  const prepare = (directory: string) => {
    return MailTrial.prepare({ directory, faulty, steps: ["drain"], habit });
  };

  const { violations } = await sweepCrashes({ faulty, prepare, recoveryStride: 100 });

  expect(violations).toContainEqual(expect.stringContaining(fault));
});

function sweepOf(faulty: FaultyFileSystem, steps: readonly Step[]): SweepOptions {
  const prepare = (directory: string) => MailTrial.prepare({ directory, faulty, steps });
  return { faulty, prepare, recoveryStride: 5 };
}
