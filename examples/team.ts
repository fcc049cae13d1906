/**
 * A lead and two teammates build a small module: tasks with an order, a plan that is rejected and
 * another that is approved, a command that the person is asked about, mail, and a shutdown. Mailboxes,
 * files and commands are real. What language models would say comes from a script, over a real
 * connection, so that it runs without a key. Exits with 1 if the module is not built.
 */
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentEvent, Team } from "troupe";
import { type Answer, calls, ProviderServer, reply, says } from "troupe/testing";

/** What a member says when it is shown something, each once: the first that fits. */
type Part = [shown: RegExp, answer: (shown: RegExpExecArray) => Answer][];

const parts: Record<string, Part> = {
  lead: [
    [
      /greeting/,
      () =>
        reply([
          calls("spawn_teammate", {
            name: "alice",
            role: "coder",
            prompt: "You get a task. Hand in a plan first.",
            plan_required: true,
          }),
          calls("spawn_teammate", { name: "bob", role: "tester", prompt: "You get a task later." }),
          calls("create_task", { subject: "Write greet.mjs", owner: "alice" }),
          calls("create_task", { subject: "Test greet.mjs", owner: "bob", blocked_by: ["1"] }),
          calls("wait_for_teammates", {}),
        ]),
    ],
    [/request_id="([^"]+)">.*everything/s, ([, id]) => decide(id, false, "Keep what is there.")],
    [/request_id="([^"]+)">.*only greet/s, ([, id]) => decide(id, true)],
    [/Plan rejected|Plan approved/, () => calls("wait_for_teammates", {})],
    [/Plan rejected|Plan approved/, () => calls("wait_for_teammates", {})],
    [/bob" type="result".*passes/s, () => calls("shutdown_request", { teammate: "alice" })],
    [/Shutdown request/, () => says("greet.mjs is there, bob's test passes, and alice may go.")],
  ],
  alice: [
    [/plan first/, () => calls("plan_approval", { plan: "I delete everything and start over." })],
    [/approve="false"/, () => calls("plan_approval", { plan: "I write only greet.mjs." })],
    [
      /approve="true"/,
      () =>
        calls("write_file", {
          path: "greet.mjs",
          content: `export const greet = (name) => "Hello, " + name + "!";\n`,
        }),
    ],
    [
      /Wrote/,
      () =>
        reply([
          calls("complete_task", { task_id: "1", result: "greet(name)" }),
          calls("send_message", { to: "bob", content: "greet.mjs exports greet(name)." }),
        ]),
    ],
    [/Completed task 1/, () => says("greet.mjs is written.")],
    [
      /type="shutdown_request".*request_id="([^"]+)"/,
      ([, id]) => calls("shutdown_response", { request_id: id, approve: true }),
    ],
  ],
  bob: [
    [/a task later/, () => says("I wait for my task.")],
    [
      /Task 2 is yours/,
      () =>
        calls("write_file", {
          path: "test.mjs",
          content:
            'import assert from "node:assert";\nimport { greet } from "./greet.mjs";\nassert.equal(greet("you"), "Hello, you!");\n',
        }),
    ],
    [/Wrote/, () => calls("bash", { command: "node test.mjs" })],
    [/no output/, () => calls("complete_task", { task_id: "2", result: "node test.mjs passes" })],
    [/Completed task 2/, () => says("The test passes.")],
  ],
};

function decide(id: string | undefined, approve: boolean, feedback?: string): Answer {
  return calls("plan_approval", { request_id: id, approve, ...(feedback && { feedback }) });
}

await using provider = await ProviderServer.start({ strict: true });
provider.replyWith(({ body }) => {
  const name = /You are '(\w+)'/.exec(JSON.stringify(body.system))?.[1] ?? "lead";
  const shown = textsOf(body.messages.at(-1)).join("\n");
  const part = parts[name] ?? [];
  const index = part.findIndex(([pattern]) => pattern.test(shown));
  const [line] = index === -1 ? [] : part.splice(index, 1);
  const found = line?.[0].exec(shown);
  return line && found ? line[1](found) : says("Noted.");
});

/** All texts in a JSON value, in order. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

const workspace = await mkdtemp(join(tmpdir(), "troupe-team-"));
await using team = await Team.open({
  cwd: workspace,
  env: { ...process.env, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: "no-real-key" },
  model: "anthropic/scripted",
  mode: "acceptEdits",
  onWarning: console.error,
});

/** What each member has said in the turn it is in. */
const said = new Map<string, string>();

const telling = (async () => {
  for await (const event of team.events()) await tell(event);
})();

async function tell(event: AgentEvent): Promise<void> {
  const { member = "" } = event;
  switch (event.type) {
    case "tool-call":
      console.log(`${member.padEnd(6)} ● ${event.name} ${JSON.stringify(event.input)}`);
      break;
    case "tool-result":
      console.log(`${member.padEnd(6)}   ${event.output.split("\n", 1)[0]}`);
      break;
    case "text-delta":
      said.set(member, (said.get(member) ?? "") + event.text);
      break;
    case "turn-end":
      if (said.has(member)) console.log(`${member.padEnd(6)} “${said.get(member)}”`);
      said.delete(member);
      break;
    case "request-change": {
      if (event.request_type !== "permission" || event.state !== "pending") break;
      const question = (await team.openRequests()).find(({ id }) => id === event.id);
      console.log(
        `you    ? ${member} wants to run ${JSON.stringify(question?.subject.input)}: yes`,
      );
      await team.answer(event.id, { decision: "allow-once" });
    }
  }
}

console.log(`In ${workspace}\nyou    > Build a greeting module with a test. Plan it first.`);
await team.prompt("Build a greeting module with a test. Plan it first.");
const { result, tasks, members } = await team.quiet();
await team.close();
await telling;

console.log(`\n${result}`);
for (const { name, role, status } of members) console.log(`  ${name} (${role}): ${status}`);
for (const { id, subject, status } of tasks) console.log(`  task ${id}: ${subject} [${status}]`);
console.log(`Everything they said and did: ${join(workspace, ".team")}`);
const isBuilt = (await readFile(join(workspace, "greet.mjs"), "utf8")).includes("Hello");
const isDone = tasks.length === 2 && tasks.every(({ status }) => status === "completed");
process.exitCode = isBuilt && isDone && provider.refusals.length === 0 ? 0 : 1;
