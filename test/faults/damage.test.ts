import { expect, test } from "vitest";
import { damageTeams } from "../../soak/damage/damage-teams.ts";

const seed = Number(process.env.TROUPE_SEED ?? 4_200);

test("P08 P15 with any damaged file a team starts, reports it, loses nothing undamaged, and no request is refused", async () => {
  const said: string[] = [];

  const counts = await damageTeams({ seed, trials: 20, say: (line) => said.push(line) });

  const faults = said.filter((line) => !/: declined: .*\/keys\//.test(line));
  expect(faults, `seed ${seed}`).toEqual([]);
  expect(counts).toMatchObject({ faulty: 0, untold: 0, refused: 0 });
  expect(counts.rested).toBeGreaterThan(10);
  expect(counts.wholeLetters).toBeGreaterThan(200);
}, 300_000);

test("control: the damage soak finds a lost message and unreported damage", async () => {
  const say = () => undefined;

  const loss = await damageTeams({ seed, trials: 2, control: "loss", say });
  const silence = await damageTeams({ seed, trials: 4, control: "silence", say });

  expect(loss.faulty, `seed ${seed}`).toBeGreaterThan(0);
  expect(silence.untold, `seed ${seed}`).toBeGreaterThan(0);
}, 300_000);
