import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { coder, nextQuestion } from "../e2e/promises/scenes.ts";
import { viewTeam } from "../support/team.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";

test("an answer given while the team is not running takes effect when it runs again", async () => {
  await using wire = await TeamOnWire.start({
    lead: [says("Noted.")],
    alice: [calls("write_file", { path: "made.txt", content: "text" }), says("Over.")],
  });
  const team = await wire.open();
  const asked = nextQuestion(team, "permission");
  await team.spawn(coder("alice"));
  const id = await asked;
  await team.close();

  await viewTeam(wire.root).answer(id, { decision: "allow-once" });
  const later = await wire.open();
  await later.quiet();

  await expect(readFile(join(wire.root, "made.txt"), "utf8")).resolves.toBe("text");
});
