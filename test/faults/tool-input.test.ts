import fc from "fast-check";
import { expect, test } from "vitest";
import { Team } from "../../src/team/team.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, ScriptedModel, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { TestAgent } from "../support/agent.ts";
import { providerEnvironment } from "../support/agent-on-wire.ts";
import { teamPlace } from "../support/team.ts";
import { scriptedModels } from "../support/team-on-wire.ts";

const toolNames = [
  ...["bash", "background_run", "check_background", "read_file", "write_file", "edit_file"],
  ...["glob", "grep", "constructor", "__proto__", "toString", "", "no such tool", "x".repeat(300)],
];

/** What a model that is out of its mind may write: all of JSON, and often the right names. */
const anyInput = fc.oneof(
  fc.json().map((text) => JSON.parse(text)),
  fc.dictionary(
    fc.constantFrom(
      ...["command", "path", "pattern", "content", "old_text", "new_text", "offset", "limit"],
      ...["timeout_s", "task_id", "replace_all", "__proto__", "constructor", "msg_type"],
    ),
    fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("", ".", "..", "/", "\0", "a".repeat(5_000), "-", "*", "[", "((((", "true"),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
    ),
  ),
);

const isBackgroundStart = (output: string) => /^Background task \S+ started/.test(output);

test("P17 for any call with any input, the model gets an answer and the run continues", async () => {
  await using directory = await temporaryDirectory();
  await using server = await ProviderServer.start({ strict: true });
  await using team = await Team.open({
    place: teamPlace(directory.path),
    env: { PATH: process.env.PATH, ...providerEnvironment(server) },
    cwd: directory.path,
    model: "anthropic/scripted",
    models: scriptedModels,
    maxTurns: 5,
    approvals: { unattended: () => "nobody is there" },
  });
  server.replyWith(() => says("Well."));
  const anyCall = fc.tuple(fc.constantFrom(...toolNames), anyInput);

  await fc.assert(
    fc.asyncProperty(fc.array(anyCall, { minLength: 1, maxLength: 6 }), async (made) => {
      server.reply(reply(made.map(([name, input]) => calls(name, input))));
      const results: string[] = [];
      const outcomes: string[] = [];
      let delivered = 0;
      const events = team.events();
      await team.prompt("Go.");
      for await (const event of events) {
        if (event.type === "tool-result") results.push(event.output);
        if (event.type === "message-delivered") delivered += 1;
        if (event.type === "run-end") outcomes.push(event.outcome);
        // Beside the prompt: a background command's end is mail, within the run or with its own.
        const isAll = delivered > results.filter(isBackgroundStart).length;
        if (event.type === "run-end" && isAll) break;
      }

      expect(new Set(outcomes)).toEqual(new Set(["done"]));
      expect(results).toHaveLength(made.length);
      expect(server.refusals).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test("control: a tool that trusts its input ends the run", async () => {
  const model = new ScriptedModel([calls("trusting", { path: 7 })]);
  const trusting: Tool = {
    spec: { name: "trusting", description: "", input_schema: { type: "object" } },
    prepare: (input) => {
      throw new TypeError(`${input} is not what it should be`);
    },
  };
  await using member = await TestAgent.open(model, { tools: [trusting] });
  await member.tell("Go.");

  await expect(member.run()).rejects.toThrow(TypeError);
});
