import { expect, test } from "vitest";
import { ScreenedTeam } from "../../support/screened-team.ts";

const enter = "\r";
const since = "2026-01-01T00:00:00.000Z";

test("/permissions lists all rules with whose they are, adds one, and removes one", async () => {
  await using screen = await ScreenedTeam.open();
  screen.rules.push(
    { decision: "deny", rule: "read_file(.env)", from: "start", origin: "troupe.json", since },
    { decision: "allow", rule: "bash(npm test:*)", from: "answer", since },
  );

  screen.press(`/permissions${enter}`);
  await screen.shows(/deny +read_file\(.env\) +from troupe.json +since 20/);
  await screen.shows(/allow +bash\(npm test:\*\) +you answered always +since 20/);
  screen.press(`/permissions ask bash(git push:*)${enter}`);
  await screen.shows("Rule added: ask bash(git push:*).");
  screen.press(`/permissions remove bash(npm test:*)${enter}`);
  await screen.shows("Rule removed: allow bash(npm test:*).");

  expect(screen.told).toEqual(["add ask bash(git push:*)", "remove allow bash(npm test:*)"]);
});

test("a rule that exists with two decisions is removed only by its decision", async () => {
  await using screen = await ScreenedTeam.open();
  const rule = "bash(npm test:*)";
  screen.rules.push(
    { decision: "allow", rule, from: "answer", since },
    { decision: "deny", rule, from: "person", since },
  );

  screen.press(`/permissions remove ${rule}${enter}`);
  await screen.shows("There are several rules bash(npm test:*)");
  expect(screen.told).toEqual([]);
  screen.press(`/permissions remove deny ${rule}${enter}`);
  await screen.shows("Rule removed: deny bash(npm test:*).");

  expect(screen.told).toEqual([`remove deny ${rule}`]);
});
