/**
 * A custom tool, a custom model, and a team in memory with a manual clock: the pattern for tests of
 * your own tools. Exits with 1 if the model does not get the tool's result.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { defineTool, MemoryTeamStore, systemPlace, Team } from "troupe";
import { calls, ManualClock, ScriptedModel, says, temporaryDirectory } from "troupe/testing";
import { z } from "zod";

const clock = new ManualClock(new Date("2026-05-01T09:00:00.000Z"));

const openTickets = defineTool({
  name: "open_tickets",
  description: "Lists the open tickets of a component, newest first.",
  input: z.object({ component: z.string().min(1).describe("Such as parser") }),
  // It reaches nothing outside the team, so that nobody has to be asked.
  action: () => ({ type: "coordinate" }),
  async run({ component }) {
    const today = clock.now().toISOString().slice(0, 10);
    return { text: `${today}: 17 ${component} crashes on an empty file`, isError: false };
  },
});

const model = new ScriptedModel([
  calls("open_tickets", { component: "" }),
  calls("open_tickets", { component: "parser" }),
  says("Ticket 17 is open."),
]);

await using workspace = await temporaryDirectory();
const directory = join(workspace.path, ".team");
await using team = await Team.open({
  cwd: workspace.path,
  model: "scripted",
  openModel: () => model,
  tools: [openTickets],
  store: new MemoryTeamStore({ clock }),
  place: { ...systemPlace({ directory, onWarning: console.error }), clock },
});

await team.prompt("Which tickets of the parser are open?");
const { result } = await team.quiet();

console.log(result);
const [, afterBadInput, afterTheTool] = model.requests.map((request) =>
  JSON.stringify(request.conversation.at(-1)),
);
model.assertDone();
assert.equal(result, "Ticket 17 is open.");
assert.match(afterBadInput ?? "", /Invalid input for open_tickets: component/);
assert.match(afterTheTool ?? "", /2026-05-01: 17 parser crashes on an empty file/);
