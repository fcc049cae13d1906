import { expect, test } from "vitest";
import { damageTeams } from "../../soak/damage/damage-teams.ts";

const seed = Number(process.env.TROUPE_SEED ?? 4_200);

test("P08 P15 whatever file of a team is damaged, it starts, nothing undamaged is lost, and no request is refused", async () => {
  const said: string[] = [];

  const counts = await damageTeams({ seed, trials: 20, say: (line) => said.push(line) });

  const faults = said.filter((line) => !/: (declined|untold): /.test(line));
  expect(faults, `seed ${seed}`).toEqual([]);
  expect(counts.rested).toBeGreaterThan(10);
  expect(counts.wholeLetters).toBeGreaterThan(200);
}, 300_000);
