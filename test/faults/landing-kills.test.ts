import { expect, test } from "vitest";
import { killLandings } from "../../soak/landing/kill-landings.ts";
import { wrongs } from "../../soak/landing/verify.ts";
import { Random } from "../../soak/random.ts";
import { untilShown } from "../../soak/until-shown.ts";

const seed = Number(process.env.TROUPE_SEED ?? Math.floor(Math.random() * 1_000_000));

test(`P27 P28 kill -9 while work is kept and landed loses nothing and lands nothing twice (seed ${seed})`, async () => {
  const tally = await killLandings({ kills: 8, random: new Random(seed) });

  expect(tally).toMatchObject({
    kills: 8,
    ...Object.fromEntries(wrongs.map((wrong) => [wrong, 0])),
  });
  expect(tally.landings).toBeGreaterThan(0);
});

test("control: a queue that moves the target without comparing loses commits", async () => {
  const random = new Random(seed + 1);
  const run = () => killLandings({ kills: 1, random, habit: "moves-blindly" });

  expect((await untilShown("lost", run)).lost).toBeGreaterThan(0);
});
