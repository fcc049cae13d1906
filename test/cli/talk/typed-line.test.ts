import { expect, test } from "vitest";
import { readTypedLine } from "../../../src/cli/talk/talk.ts";

test.each([
  ["a line", "fix the tests", { type: "message", to: "lead", text: "fix the tests" }],
  [
    "a name in front",
    "@alice how far are you?",
    { type: "message", to: "alice", text: "how far are you?" },
  ],
  ["a name with a comma", "@alice, stop", { type: "message", to: "alice", text: "stop" }],
  ["everybody", "@all stop", { type: "message", to: "all", text: "stop" }],
  ["a name alone", "@alice", { type: "message", to: "alice", text: "" }],
  ["several lines", "@bob one\ntwo", { type: "message", to: "bob", text: "one\ntwo" }],
  ["a name in the middle", "ask @alice", { type: "message", to: "lead", text: "ask @alice" }],
  ["a command", "/team", { type: "command", name: "team", argument: "" }],
  ["a slash alone", "/", { type: "command", name: "", argument: "" }],
  ["a command with more", "/inbox  bob ", { type: "command", name: "inbox", argument: "bob" }],
  [
    "a space before a slash",
    " /etc/hosts is odd",
    { type: "message", to: "lead", text: "/etc/hosts is odd" },
  ],
  [
    "a space before a name",
    " @alice is a handle",
    { type: "message", to: "lead", text: "@alice is a handle" },
  ],
  ["nothing", "   ", { type: "nothing" }],
  ["q", "q", { type: "leave" }],
  ["exit", " exit ", { type: "leave" }],
  [
    "a word that only begins so",
    "quick check",
    { type: "message", to: "lead", text: "quick check" },
  ],
])("%s is parsed correctly", (_title, typed, read) => {
  expect(readTypedLine(typed)).toEqual(read);
});

test("in a member's view a line goes to that member, unless it names another", () => {
  expect(readTypedLine("go on", "alice")).toEqual({ type: "message", to: "alice", text: "go on" });
  expect(readTypedLine("@lead go on", "alice")).toMatchObject({ to: "lead" });
});
