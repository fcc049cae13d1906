import { expect, test } from "vitest";
import { HookConfiguration, HookEvent, readHooks } from "../../src/protocol/hook-configuration.ts";

const npmTest = { type: "command", command: "npm test" };

test("hooks of every event are read as they are written", () => {
  const group = { matcher: "", hooks: [{ ...npmTest, timeout: 120, required: true }] };
  const all = Object.fromEntries(HookEvent.options.map((event) => [event, [group]]));

  expect(readHooks(all)).toEqual({ hooks: all, ignored: [] });
  expect(HookConfiguration.parse(all)).toEqual(all);
});

test.each([
  ["nothing at all", null, "", "must be an object"],
  ["a list", [], "", "must be an object"],
  ["a group that is no list", { Stop: {} }, "Stop", "must be a list"],
  ["a hook without its group", { Stop: [npmTest] }, "Stop[0].hooks", "must be a list of hooks"],
  ["a text for a group", { Stop: ["npm test"] }, "Stop[0]", "must be an object"],
  [
    "a text for a hook",
    { Stop: [{ hooks: ["npm test"] }] },
    "Stop[0].hooks[0]",
    "must be an object",
  ],
  ["no type", { Stop: [{ hooks: [{ command: "x" }] }] }, "Stop[0].hooks[0].type", '"command"'],
  ["no command", { Stop: [{ hooks: [{ type: "command" }] }] }, "Stop[0].hooks[0].command", "text"],
  [
    "an empty command",
    { Stop: [{ hooks: [{ ...npmTest, command: "" }] }] },
    "Stop[0].hooks[0].command",
    "empty",
  ],
  [
    "a time of 0",
    { Stop: [{ hooks: [npmTest, { ...npmTest, timeout: 0 }] }] },
    "Stop[0].hooks[1].timeout",
    "seconds above 0",
  ],
  [
    "a text for required",
    { Stop: [{ hooks: [{ ...npmTest, required: "yes" }] }] },
    "Stop[0].hooks[0].required",
    "true or false",
  ],
  [
    "a matcher that does not end",
    { PreToolUse: [{ matcher: "(Bash", hooks: [npmTest] }] },
    "PreToolUse[0].matcher",
    "not a regular expression",
  ],
])("%s is an error with the path of the field", (_, value, path, problem) => {
  expect(readHooks(value)).toEqual({ path, problem: expect.stringContaining(problem) });
});

test("what Troupe does not have is named, and the rest is in force", () => {
  const stated = readHooks({
    PostToolBatch: "anything",
    Stop: [
      {
        matcher: "Bash",
        description: "tests",
        hooks: [
          { type: "prompt", prompt: "Are the tests green?" },
          { type: "http", url: "https://example.com" },
          { ...npmTest, async: true, statusMessage: "Testing", shell: "bash" },
          { ...npmTest, if: "Bash(git *)" },
          { ...npmTest, shell: "powershell" },
        ],
      },
    ],
  });

  expect(stated).toEqual({
    hooks: { Stop: [{ matcher: "Bash", hooks: [npmTest] }] },
    ignored: [
      { path: "PostToolBatch", reason: "is not an event of Troupe" },
      { path: "Stop[0].description", reason: "is not a field of Troupe" },
      { path: "Stop[0].matcher", reason: expect.stringContaining("nothing to compare") },
      { path: "Stop[0].hooks[0]", reason: expect.stringContaining('"prompt"') },
      { path: "Stop[0].hooks[1]", reason: expect.stringContaining('"http"') },
      { path: "Stop[0].hooks[2].async", reason: "is not a field of Troupe" },
      { path: "Stop[0].hooks[2].statusMessage", reason: "is not a field of Troupe" },
      { path: "Stop[0].hooks[3]", reason: expect.stringContaining('"if"') },
      { path: "Stop[0].hooks[4]", reason: expect.stringContaining('"shell"') },
    ],
  });
});

test("an event named like a property of every object is one that Troupe does not have", () => {
  const stated = readHooks(JSON.parse('{"__proto__": [], "constructor": []}'));

  expect(stated).toMatchObject({
    hooks: {},
    ignored: [{ path: "__proto__" }, { path: "constructor" }],
  });
});
