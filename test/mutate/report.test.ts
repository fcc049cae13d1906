import { expect, test } from "vitest";
import type { Outcome } from "../../mutate/campaign.ts";
import { mergedRows } from "../../mutate/report.ts";

const outcome: Outcome = {
  source: "src/agent",
  seed: 7,
  population: 1_500,
  sample: ["a", "b", "c", "d"],
  survivors: [{ mutant: "a", isReached: false }],
  hangs: ["b"],
  useless: [],
};

const earlier = `## What the tests notice

| killed in \`src/team\` | 85 % | ≥ 80 % | met |

| code | date | seed | mutants | tried | killed | of these by a hang | score | no test comes by |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| \`src/agent\` | 2026-11-01 | 3 | 1,400 | 60 | 30 | 1 | 50 % | 2 |
| \`src/mailbox\` | 2026-11-02 | 4 | 1,041 | 100 | 94 | 0 | 94 % | 1 |
| \`src/gone\` | 2026-11-03 | 5 | 10 | 10 | 9 | 0 | 90 % | 0 |
`;

test("code that was tried gets a new row, and all other targets keep theirs", () => {
  const rows = mergedRows(earlier, [outcome], new Date("2026-11-19T10:00:00Z"));

  expect(rows).toEqual([
    ["`src/agent`", "2026-11-19", "7", "1,500", "4", "3", "1", "75 %", "1"],
    ["`src/mailbox`", "2026-11-02", "4", "1,041", "100", "94", "0", "94 %", "1"],
  ]);
});
