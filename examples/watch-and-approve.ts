/**
 * A program that acts for the person: it watches a team and answers its requests. A teammate's
 * first plan is rejected with a reason and its second one approved; one command is allowed and
 * another one denied. Exits with 1 if anything else happens.
 */
import assert from "node:assert/strict";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type PersonsAnswer, Team, type TeamRequest } from "troupe";
import { calls, ScriptedModel, says, temporaryDirectory } from "troupe/testing";

/**
 * Resolve when the plan has reached that state: unlike a model, a script does not wait for its
 * mail.
 */
const onPlan = new Map<string, () => void>();
const plan = (state: string) => new Promise<void>((resolve) => onPlan.set(state, resolve));
const [rejected, approved] = [plan("rejected"), plan("approved")];

/** The replies of the models. A team opens a model by the member's name. */
const scripts = {
  lead: new ScriptedModel([
    calls("spawn_teammate", {
      name: "alice",
      role: "coder",
      prompt: "Write notes.txt. Hand in a plan first.",
      plan_required: true,
    }),
    calls("wait_for_teammates", {}),
    says("alice has written notes.txt."),
  ]),
  alice: new ScriptedModel([
    calls("plan_approval", { plan: "I delete everything and start over." }),
    () =>
      rejected.then(() => calls("plan_approval", { plan: "I write notes.txt, and nothing else." })),
    () =>
      approved.then(() =>
        calls("write_file", { path: "notes.txt", content: "Nothing was deleted.\n" }),
      ),
    calls("bash", { command: "rm -rf build" }),
    says("notes.txt is written."),
  ]),
};

/** What this program decides on behalf of the person. */
function decide(request: TeamRequest): PersonsAnswer {
  if (request.type === "plan" && request.subject.plan.includes("delete everything")) {
    return { decision: "deny", reason: "Keep what is there." };
  }
  if (request.type === "permission" && JSON.stringify(request.subject.input).includes("rm -rf")) {
    return { decision: "deny", reason: "Nothing is to be removed." };
  }
  return { decision: "allow-once" };
}

const answers: string[] = [];
await using workspace = await temporaryDirectory();
await mkdir(join(workspace.path, "build"));
await using team = await Team.open({
  cwd: workspace.path,
  model: "scripted",
  openModel: (_id, member) => (member === "alice" ? scripts.alice : scripts.lead),
  planApproval: "user",
  onRequest: (request) => {
    const answer = decide(request);
    answers.push(`${request.from}: ${request.type}: ${answer.decision}`);
    return answer;
  },
});

const watching = (async () => {
  for await (const event of team.events()) {
    if (event.type !== "request-change") continue;
    console.log(`${event.member}: ${event.request_type}: ${event.state}`);
    if (event.request_type === "plan") onPlan.get(event.state)?.();
  }
})();

await team.prompt("Have alice write notes.txt.");
const { result, members } = await team.quiet();
await team.close();
await watching;

console.log(result);
assert.deepEqual(answers, [
  "alice: plan: deny",
  "alice: plan: allow-once",
  "alice: permission: allow-once",
  "alice: permission: deny",
]);
const told = JSON.stringify(scripts.alice.requests.at(-1)?.conversation);
assert.match(told, /Keep what is there/);
assert.match(told, /Nothing is to be removed/);
assert.equal(await readFile(join(workspace.path, "notes.txt"), "utf8"), "Nothing was deleted.\n");
assert.deepEqual((await readdir(workspace.path)).sort(), [".team", "build", "notes.txt"]);
assert.deepEqual(
  members.map(({ name, status }) => `${name}: ${status}`),
  ["lead: idle", "alice: idle"],
);
