import { expect, test } from "vitest";
import { flipBits, tearEverywhere } from "../../soak/mail-damage.ts";
import { killReaders, killWriters, readBacklog, runCrowd } from "../../soak/many-processes.ts";
import { Random } from "../../soak/random.ts";
import { untilShown } from "../../soak/until-shown.ts";

const nothingWrong = { lost: 0, twice: 0, torn: 0, misordered: 0 };
const seed = Math.floor(Math.random() * 1_000_000);

test("P14 eight processes write while one reads and rotates: everything arrives once, whole and in order", async () => {
  const crowd = { writers: 8, lettersEach: 500, rotateBytes: 4000, burst: 1 };

  const tally = await runCrowd(crowd);

  expect(tally).toMatchObject({ ...nothingWrong, sent: 4000, seen: 4000 });
  expect(tally.rotations).toBeGreaterThan(5);
});

test("control: writers that do not check for a rotation lose mail", async () => {
  const crowd = { writers: 4, lettersEach: 300, letterSize: 150, rotateBytes: 1000, burst: 1 };

  const { lost } = await untilShown("lost", () => {
    return runCrowd({ ...crowd, historyBytes: 1, writerKind: "naive" });
  });

  expect(lost).toBeGreaterThan(0);
});

test("control: a reader that reads all and empties the file loses mail", async () => {
  const crowd = { writers: 4, lettersEach: 1000, letterSize: 150, rotateBytes: 0, burst: 8 };

  const { lost } = await untilShown("lost", () => runCrowd({ ...crowd, habit: "truncates" }));

  expect(lost).toBeGreaterThan(0);
});

test("P01 a reader that is killed repeatedly shows every message once", async () => {
  const tally = await killReaders({ kills: 4, random: new Random(seed) });

  expect(tally, `seed ${seed}`).toMatchObject({ ...nothingWrong, kills: 4 });
});

test("control: a killed reader that does not check its transcript shows messages twice", async () => {
  const random = new Random(seed);

  const { twice } = await untilShown("twice", () => {
    return killReaders({ kills: 4, random, habit: "forgets-transcript", aims: ["kept"] });
  });

  expect(twice, `seed ${seed}`).toBeGreaterThan(0);
});

test("P01 a writer that is killed repeatedly loses nothing that was acknowledged as sent", async () => {
  const tally = await killWriters({ kills: 4, random: new Random(seed) });

  expect(tally, `seed ${seed}`).toMatchObject({ ...nothingWrong, kills: 4 });
  expect(tally.tornLines, `seed ${seed}`).toBeGreaterThan(0);
});

test("control: a reader that skips torn lines loses messages sent after a killed writer", async () => {
  const random = new Random(seed);

  const { lost } = await killWriters({ kills: 4, random, habit: "skips-torn" });

  expect(lost, `seed ${seed}`).toBeGreaterThan(0);
});

test("many unread messages are read with little memory, in order", async () => {
  const tally = await readBacklog({ letters: 20_000, heapMb: 48 });

  expect(tally).toMatchObject({ ...nothingWrong, seen: 20_000 });
});

test("control: a reader that holds them all at once runs out of memory", async () => {
  const tally = await readBacklog({ letters: 20_000, heapMb: 48, habit: "truncates" });

  expect(tally).toBeUndefined();
});

test("in a log with 200 flipped bits every intact line is delivered, and every other is reported", async () => {
  const tally = await flipBits({ letters: 400, flips: 200, random: new Random(seed) });

  expect(tally, `seed ${seed}`).toMatchObject({ lost: 0, vanished: 0 });
  // The control: without signatures these would have been believed.
  expect(tally.naivelyBelieved, `seed ${seed}`).toBeGreaterThan(0);
});

test("a line torn at any byte is not a message and harms none, not even its own retry", async () => {
  expect(await tearEverywhere(7)).toMatchObject(nothingWrong);
});
