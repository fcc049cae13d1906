import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parseOrders } from "../../src/model/rehearsal/orders.ts";

test("the tutorial has every prompt that must work, and the rehearsal model understands them all", async () => {
  const tutorial = await readFile("docs/tutorial.md", "utf8");
  const prompts = [...tutorial.matchAll(/^> (.+)$/gm)].flatMap(([, prompt]) => prompt ?? []);

  expect(prompts).toEqual([
    "Spawn alice (coder) and bob (tester). Have alice send bob a message.",
    "/team",
    'Broadcast "status update: phase 1 complete" to all teammates',
    "Check the lead inbox for any messages",
    "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.",
    "Check your inbox for alice's result.",
    "Spawn bob as a tester. Ask him to check if schema.sql exists and list its contents.",
    "Spawn alice as a coder. Then request her shutdown.",
    "List teammates to see alice's status after shutdown approval",
    "Spawn bob with a risky refactoring task. Review and reject his plan.",
    "Spawn charlie, have him submit a plan, then approve it.",
    "Create 3 tasks on the board, then spawn alice and bob. Watch them auto-claim and work.",
    "Create tasks with dependencies. Watch teammates respect the blocked order.",
  ]);
  for (const prompt of prompts) {
    expect(parseOrders(prompt)).not.toContainEqual(expect.objectContaining({ type: "unknown" }));
  }
});
