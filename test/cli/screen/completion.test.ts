import { expect, test } from "vitest";
import { type Completables, complete } from "../../../src/cli/screen/completion.ts";

const known: Completables = {
  commands: () => [
    { name: "team", words: [] },
    { name: "tasks", words: [] },
    { name: "stop", words: ["members"] },
    { name: "mode", words: [["default", "plan"], "members or all"] },
    { name: "model", words: ["models", "members"] },
  ],
  members: ["alice", "albert", "bob"],
  models: () => ["rehearsal", "openai/gpt-6-sol", "openai/gpt-6", "anthropic/claude-opus-5-5"],
  files: () => [
    "src/",
    "src/boat.ts",
    "src/my notes.md",
    "src/lib/",
    "src/lib/about.ts",
    "boxes.ts",
    "zebra/kabob.ts",
  ],
};

/** Completes where the bar is. */
function at(text: string) {
  const cursor = text.indexOf("|");
  return complete(text.replace("|", ""), cursor, known);
}

test.each([
  ["a command", "/t|", { from: 0, to: 2, candidates: ["/tasks", "/team"] }],
  [
    "all commands",
    "/|",
    { from: 0, to: 1, candidates: ["/mode", "/model", "/stop", "/tasks", "/team"] },
  ],
  [
    "a member, then files by how they fit",
    "@bo|",
    {
      ...{ from: 0, to: 3 },
      candidates: ["@bob", "@boxes.ts", "@src/boat.ts", "@zebra/kabob.ts", "@src/lib/about.ts"],
    },
  ],
  [
    "a file by its path",
    "see @src/l|",
    { from: 4, to: 10, candidates: ["@src/lib/", "@src/lib/about.ts"] },
  ],
  ["a path with a space", "@my|", { from: 0, to: 3, candidates: ['@"src/my notes.md"'] }],
  ["a member in any case", "@AL|", { from: 0, to: 3, candidates: ["@albert", "@alice", "@all"] }],
  ["a member inside of a text", "ask @alb| now", { from: 4, to: 8, candidates: ["@albert"] }],
  ["the rest of a word is replaced", "/te|xx", { from: 0, to: 5, candidates: ["/team"] }],
  ["a command's member", "/stop b|", { from: 6, to: 7, candidates: ["bob"] }],
  ["a command's word", "/mode p|", { from: 6, to: 7, candidates: ["plan"] }],
  [
    "a member with @ in a command, and no file",
    "/stop @bo|",
    { from: 6, to: 9, candidates: ["@bob"] },
  ],
  [
    "nobody but members where a command takes one",
    "/stop al|",
    { from: 6, to: 8, candidates: ["albert", "alice"] },
  ],
  [
    "all where a command takes that",
    "/mode plan al|",
    { from: 11, to: 13, candidates: ["albert", "alice", "all"] },
  ],
  ["a member after that word", "/mode plan b|", { from: 11, to: 12, candidates: ["bob"] }],
  [
    "a model by its provider",
    "/model op|",
    {
      ...{ from: 7, to: 9 },
      candidates: ["openai/gpt-6", "openai/gpt-6-sol", "anthropic/claude-opus-5-5"],
    },
  ],
  ["a model by its name", "/model gpt-6-s|", { from: 7, to: 14, candidates: ["openai/gpt-6-sol"] }],
  [
    "the last model of a list",
    "/model rehearsal,gpt-6-s|",
    { from: 7, to: 24, candidates: ["rehearsal,openai/gpt-6-sol"] },
  ],
  ["a member after the model", "/model rehearsal b|", { from: 17, to: 18, candidates: ["bob"] }],
])("%s is completed", (_title, text, completion) => {
  expect(at(text)).toEqual(completion);
});

test.each(["hello|", "|", "/nothing|", "@albert|", "/team a|", "a /t|", "mail@|x"])(
  "%j is not completed",
  (text) => {
    expect(at(text)).toBeUndefined();
  },
);
