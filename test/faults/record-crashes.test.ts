import { expect, test } from "vitest";
import {
  claimStory,
  decisionStory,
  fenceStory,
  naiveStory,
  rosterStory,
} from "../../soak/record-stories.ts";
import { type RecordStory, RecordTrial } from "../../soak/record-trial.ts";
import { type SweepOptions, sweepCrashes, sweepErrors } from "../../soak/sweep.ts";
import { FaultyFileSystem } from "../support/faulty-file-system.ts";

const stories = [
  ["a claim of a task", sweepOf(claimStory)],
  ["a decision of a request", sweepOf(decisionStory)],
  ["a change of the roster", sweepOf(rosterStory)],
  ["the taking of the fence", sweepOf(fenceStory)],
] as const;

test.each(stories)(
  "a crash at any change of the disk in %s leaves it done or not done",
  async (_, sweep) => {
    using faulty = await FaultyFileSystem.install();

    const { hits, violations } = await sweepCrashes(sweep(faulty));

    expect(violations).toEqual([]);
    expect(hits).toBeGreaterThan(0);
  },
);

test.each(stories)(
  "an error in any call of %s is reported, and it can be repeated",
  async (_, sweep) => {
    using faulty = await FaultyFileSystem.install();

    for (const kind of ["EIO", "ENOSPC", "EROFS", "EMFILE", "short-write"] as const) {
      const { violations } = await sweepErrors(sweep(faulty), kind);
      expect(violations).toEqual([]);
    }
  },
);

test("control: a record that is overwritten in place is read incompletely", async () => {
  using faulty = await FaultyFileSystem.install();

  const { violations } = await sweepCrashes(sweepOf(naiveStory)(faulty));

  expect(violations).toContainEqual(expect.stringContaining("the store is af"));
});

function sweepOf<Store>(tell: () => RecordStory<Store>) {
  return (faulty: FaultyFileSystem): SweepOptions => ({
    faulty,
    recoveryStride: 3,
    prepare: (directory) => RecordTrial.prepare({ directory, faulty, story: tell() }),
  });
}
