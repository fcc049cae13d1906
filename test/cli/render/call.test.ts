import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { describeCall } from "../../../src/cli/render/call.ts";
import { paintFor } from "../../../src/cli/render/paint.ts";

const paint = paintFor(true);
const plain = (name: string, input: unknown, width = 60) =>
  describeCall({ tool: name, input }, { width, paint }).map(stripVTControlCharacters);

test("a command is shown with all its lines and all its options", () => {
  const input = { command: "cat <<E\n\u001b[2Jx\nE", timeout_s: 5 };

  expect(plain("bash", input)).toEqual([
    "bash",
    "$ cat <<E",
    "  <U+001B>[2Jx",
    "  E",
    "timeout_s: 5",
  ]);
});

test("what a tool says about its call comes before the arguments, on one line", () => {
  const subject = { tool: "tickets", input: { title: "b" }, summary: "Create\n\u001b[2Jticket b" };

  expect(describeCall(subject, { width: 60, paint }).map(stripVTControlCharacters)).toEqual([
    "tickets",
    "Create ⏎ \\x1b[2Jticket b",
    "title: b",
  ]);
});

test("characters that look like a space are spelled out", () => {
  expect(plain("bash", { command: "rm\u00a0-rf x" })).toEqual(["bash", "$ rm<U+00A0>-rf x"]);
});

test("a long command is wrapped, not cut", () => {
  expect(plain("bash", { command: "echo 1234567890" }, 10)).toEqual([
    "bash",
    "$ echo 123",
    "↪ 4567890",
  ]);
});

test("an edit is shown as a complete diff", () => {
  const before = "1\n2\n3\n4\n5\n6\nold";

  expect(
    plain("edit_file", { path: "a.ts", old_text: before, new_text: "1\nnew", replace_all: true }),
  ).toEqual(
    expect.arrayContaining([
      "edit_file",
      "a.ts",
      "  1",
      "- 6",
      "- old",
      "+ new",
      "replace_all: true",
    ]),
  );
});

test("a new file is shown whole", () => {
  expect(plain("write_file", { path: "a", content: "x\n\ny\n" })).toEqual([
    "write_file",
    "a",
    "1 + x",
    "2 + ",
    "3 + y",
  ]);
  expect(plain("write_file", { path: "a", content: "" })).toEqual(["write_file", "a", "(empty)"]);
});

test("other calls are shown by their arguments, and no name can look like another line", () => {
  const input = { to: "bob", content: "a\nb", "x\ny": [1] };

  expect(plain("send_message", input)).toEqual([
    "send_message",
    "to: bob",
    "content: ",
    "  a",
    "  b",
    '"x\\ny": ',
    "  [",
    "    1",
    "  ]",
  ]);
});

test("any input is shown, in lines that fit", () => {
  const name = fc.constantFrom("bash", "edit_file", "write_file", "x", "\u001b");
  fc.assert(
    fc.property(name, fc.jsonValue(), fc.integer({ min: 4, max: 60 }), (tool, input, width) => {
      for (const line of describeCall({ tool, input }, { width, paint })) {
        expect(stringWidth(line)).toBeLessThanOrEqual(width);
        expect(stripVTControlCharacters(line)).not.toMatch(/\p{Cc}/u);
      }
    }),
  );
});
