import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { AgentEvent } from "../../src/protocol/events.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { troupeIn } from "../cli/troupe.ts";
import { providerEnvironment } from "../support/agent-on-wire.ts";
import { registeredCommands } from "../support/registered-commands.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";
import { cliPage } from "./pages/cli-page.ts";
import { eventExamples } from "./pages/event-examples.ts";
import { eventsPage } from "./pages/events-page.ts";
import { summaryExample, summaryFields } from "./pages/summary-example.ts";

const stale = "run `npm run docs:update`";

test("docs/events.md is what the schema of events generates", async () => {
  await expect(eventsPage(), stale).toMatchFileSnapshot("../../docs/events.md");
});

test("docs/cli.md is what the commands declare", async () => {
  const page = cliPage(await registeredCommands());

  await expect(page, stale).toMatchFileSnapshot("../../docs/cli.md");
});

test.each(Object.entries(eventExamples))("the example of %s is such an event", (type, example) => {
  const parsed = AgentEvent.parse(example);

  expect(parsed.type).toBe(type);
  expect(Object.keys(example).sort()).toEqual(Object.keys(parsed).sort());
});

test("the summary of a real run has exactly the documented fields", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("bash", { command: "touch x" }), says("I could not.")],
  });
  const env = providerEnvironment(wire.server);

  const run = ["run", "Go.", "--model", "anthropic/scripted", "--output", "json"];
  const { out } = await troupeIn({ root: wire.root, env }, ...run);

  const summary = JSON.parse(out.join(""));
  const keys = (value: object) => Object.keys(value).sort();
  expect(keys(summary)).toEqual(keys(summaryFields));
  expect(keys(summaryExample)).toEqual(keys(summaryFields));
  expect(keys(summary.members[0])).toEqual(keys(summaryExample.members[0] ?? {}));
  expect(keys(summary.members[0].usage)).toEqual(keys(summaryExample.members[0]?.usage ?? {}));
  expect(keys(summary.usage)).toEqual(keys(summaryExample.usage));
  expect(keys(summary.denied[0])).toEqual(keys(summaryExample.denied[0] ?? {}));
});

const workflow = readFileSync("examples/github-actions.yml", "utf8");

test("docs/ci.md shows examples/github-actions.yml unchanged", () => {
  expect(readFileSync("docs/ci.md", "utf8")).toContain(`\`\`\`yaml\n${workflow}\`\`\`\n`);
});

test.each(["examples/github-actions.yml", "docs/ci.md"])(
  "the flags that %s gives to troupe exist",
  async (path) => {
    const run = (await registeredCommands()).find(({ name }) => name === "run") ?? expect.fail();
    const called = troupeCalls(readFileSync(path, "utf8")).map((call) =>
      call.replace(/^.*?npx --no -- /, ""),
    );

    const flags = called.flatMap((call) => [...call.matchAll(/ --([a-z-]+)/g)].map(([, it]) => it));

    expect(called.length).toBeGreaterThan(0);
    expect(flags.length).toBeGreaterThan(4);
    expect(Object.keys(run.options)).toEqual(expect.arrayContaining(flags));
  },
);

test("no page has npx fetch troupe by name: the owner of that name would get the key", () => {
  const pages = readdirSync("docs", { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  );
  const paths = [
    "README.md",
    "examples/github-actions.yml",
    ...pages.map((name) => `docs/${name}`),
  ];
  const calls = paths.flatMap((path) => [
    ...readFileSync(path, "utf8").matchAll(/npx [^\n`]*?troupe|npm (?:i|install) troupe/g),
  ]);

  expect(calls.length).toBeGreaterThan(2);
  for (const [call] of calls) expect(call).toBe("npx --no -- troupe");
});

test("the workflow is valid YAML: spaces only, and the keys that GitHub requires", () => {
  const lines = workflow.split("\n");

  expect(workflow).not.toContain("\t");
  expect(lines.filter((line) => /^\S/.test(line) && !line.startsWith("#"))).toEqual([
    "name: Troupe",
    "on:",
    "permissions:",
    "jobs:",
  ]);
  expect(workflow).toMatch(/^ {4}runs-on: \S+$/m);
  expect(workflow).toMatch(/^ {4}steps:$/m);
  // Every line is a key, an item of a list, a comment, or below a `|`.
  const isRun = /^ {10}/;
  const known = /^( *(- )?[A-Za-z_-]+:( .*)?| *#.*|)$/;
  expect(lines.filter((line) => !known.test(line) && !isRun.test(line))).toEqual([]);
});

/** Every call of `troupe run` in a text, with the lines that a backslash joins to it. */
function troupeCalls(text: string): string[] {
  const joined = text.replaceAll(/\\\n\s*/g, " ");
  return joined.split("\n").filter((line) => /\btroupe run\b.* --/.test(line));
}
