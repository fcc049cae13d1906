/**
 * Another process that changes the records of a team that runs:
 * `record-writer.ts <root> task` creates a task, `record-writer.ts <root> approve` allows what is asked.
 */
import { join } from "node:path";
import { hmacSignature } from "../../../../src/keys/signature.ts";
import { loadTeamKey, teamKeyPath } from "../../../../src/keys/team-key.ts";
import { systemClock as clock } from "../../../../src/lib/clock.ts";
import { user } from "../../../../src/protocol/ids.ts";
import { StoredRequests } from "../../../../src/requests/stored-requests.ts";
import { readTeamFile } from "../../../../src/roster/team-file.ts";
import { StoredTaskBoard } from "../../../../src/tasks/stored-task-board.ts";
import { teamPlace } from "../../../support/team.ts";

const [root = "", what = ""] = process.argv.slice(2);
const { directory, keyPlace } = teamPlace(root);
const roster = await readTeamFile(directory);
if (!roster) throw new Error(`There is no team in ${directory}`);
const key = await loadTeamKey({
  path: teamKeyPath({ teamId: roster.team.team_id, ...keyPlace }),
});
if (!key) throw new Error("The team has no key");
const signature = hmacSignature(key);
const onDamage = (problem: string) => {
  throw new Error(problem);
};

if (what === "task") {
  const board = StoredTaskBoard.inFiles({
    ...{ clock, signature, onDamage },
    directory: join(directory, "tasks"),
  });
  await board.create({ subject: "Mend the fence", created_by: user });
} else {
  const requests = StoredRequests.inFiles({
    ...{ clock, signature, onDamage, onForgery: onDamage },
    directory: join(directory, "requests"),
  });
  for (const { id, hash } of await requests.list({ state: "pending" })) {
    await requests.decide(id, { by: user, state: "approved", hash });
  }
}
