/**
 * What each member is told, which tools it has, and a policy for all calls. Exits with 1 if a member
 * did what it must not.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type CallAnswer, type HookedCall, Team } from "troupe";
import { calls, ProviderServer, reply, says, temporaryDirectory } from "troupe/testing";

await using workspace = await temporaryDirectory();
await using provider = await ProviderServer.start({ strict: true });
provider.replyWith(({ body }) => {
  const isLead = JSON.stringify(body.system).includes("You are a team lead");
  const done = JSON.stringify(body.messages).includes("tool_result");
  if (done) return says(isLead ? "alice wrote the notes." : "notes.md is written.");
  return isLead
    ? reply([
        calls("spawn_teammate", { name: "alice", role: "writer", prompt: "Write notes.md." }),
        calls("wait_for_teammates", {}),
      ])
    : reply([
        calls("write_file", { path: "notes.md", content: "One page." }),
        calls("write_file", { path: "secrets/key.md", content: "…" }),
      ]);
});

const log: string[] = [];

await using team = await Team.open({
  cwd: workspace.path,
  model: "anthropic/scripted",
  env: { ...process.env, ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: "none-is-needed" },
  instructions: { lead: "Delegate all writing.", teammates: "Write short sentences." },
  memberTools: {
    lead: ["read_file", "glob", "grep"],
    teammates: ["read_file", "glob", "grep", "write_file", "edit_file"],
  },
  hooks: {
    beforeCall: decide,
    afterCall({ member, tool, output }) {
      log.push(`${member}: ${tool}${output.isError ? " failed" : ""}`);
      return undefined;
    },
    onSpawn({ request }) {
      return { request: { ...request, instructions: `You report as ${request.name}.` } };
    },
  },
});

/** Writing is free, but for one folder. */
function decide({ action }: HookedCall): CallAnswer | undefined {
  if (action.type !== "write") return undefined;
  return action.path.startsWith("secrets/")
    ? { decision: "deny", reason: "nobody writes to secrets/" }
    : { decision: "allow" };
}

await team.prompt("Have the notes written.");
const { result, denied } = await team.quiet();
console.log(result);

const [lead, alice] = provider.requests.map(({ body }) => body);
assert.match(JSON.stringify(lead?.system), /Delegate all writing\./);
assert.match(JSON.stringify(alice?.system), /Write short sentences\..*You report as alice\./);
assert.doesNotMatch(JSON.stringify([lead?.tools, alice?.tools]), /"bash"/);
assert.equal(await readFile(join(workspace.path, "notes.md"), "utf8"), "One page.");
assert.equal(existsSync(join(workspace.path, "secrets")), false);
assert.deepEqual(denied, []);
assert.ok(log.includes("alice: write_file"));
