import { expect, test } from "vitest";
import { type ItemOptions, renderItem } from "../../../src/cli/render/item.ts";
import { paintFor } from "../../../src/cli/render/paint.ts";
import type { TalkItem } from "../../../src/cli/talk/event-items.ts";
import { lead, newMessageId, TeammateName } from "../../../src/protocol/ids.ts";

const format = { width: 40, paint: paintFor(false), opener: "ctrl-o" };
const lines = (item: TalkItem, options?: ItemOptions) => renderItem(item, format, options).lines;
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

function result(more: Partial<Extract<TalkItem, { type: "result" }>>): TalkItem {
  return {
    ...{ type: "result", callId: "1", name: "bash", input: { command: "x" } },
    ...{ output: "", isError: false },
    ...more,
  };
}

const edit = {
  name: "edit_file",
  input: { path: "a.ts", old_text: "  return 1;", new_text: "  return 2;" },
  output: "Edited a.ts",
};

test("P40 an edit shows what it changed", () => {
  expect(lines(result(edit))).toEqual([
    "  └ Edited a.ts",
    "    -   return 1;",
    "    +   return 2;",
  ]);
});

test("an edit whose question has shown the change is not repeated", () => {
  expect(lines(result(edit), { showsChange: false })).toEqual(["  └ Edited a.ts"]);
});

test("an edit that failed shows no change", () => {
  const failed = result({ ...edit, output: "Error: Text not found", isError: true });

  expect(lines(failed)).toEqual(["  ✗ Error: Text not found"]);
});

test("P40 a file that was written shows its first 20 lines, and how many more there are", () => {
  const written = result({
    name: "write_file",
    input: { path: "a.ts", content: `${numbered(50)}\n` },
    output: "Wrote 9 bytes to a.ts",
  });

  const { lines: rows, isCut } = renderItem(written, format);

  expect(rows.slice(0, 3)).toEqual([
    "  └ Wrote 9 bytes to a.ts",
    "     1 + line 1",
    "     2 + line 2",
  ]);
  expect(rows.slice(-2)).toEqual(["    20 + line 20", "    … 30 more lines, ctrl-o opens"]);
  expect(isCut).toBe(true);
});

test("P40 a failed command shows its exit code, and the end of its output", () => {
  const failed = result({ output: `${numbered(32)}\n3 failed\n(exit 1)`, isError: true });

  expect(lines(failed)).toEqual([
    "  ✗ exit 1, 33 lines (ctrl-o opens), the",
    "    last 8:",
    ...[26, 27, 28, 29, 30, 31, 32].map((number) => `    line ${number}`),
    "    3 failed",
  ]);
});

test("a failure is red, and what the command printed is not", () => {
  const colored = { ...format, paint: paintFor(true) };
  const failed = result({ output: "oops\n(exit 1)", isError: true });

  expect(renderItem(failed, colored).lines).toEqual([
    "\u001b[31m  ✗ \u001b[39m\u001b[31mexit 1\u001b[39m",
    "    \u001b[2moops\u001b[22m",
  ]);
});

test("a short output is shown whole", () => {
  expect(renderItem(result({ output: numbered(9) }), format)).toMatchObject({ isCut: false });
  expect(lines(result({ output: "50 ok" }))).toEqual(["  └ 50 ok"]);
});

test("of a capped output, all lines are counted, and the file is named", () => {
  const output = `${numbered(9)}\n\n… 7 characters left out of 200000 lines; the whole is in /x.txt …\n\nend`;

  const [first, second] = renderItem(result({ output }), { ...format, width: 100 }).lines;

  expect(first).toBe("  └ 200000 lines (ctrl-o opens; the whole is in /x.txt), the last 8:");
  expect(second).toBe("    line 6");
});

test("of a line that was written over, the last writing is shown, and all of it when it is opened", () => {
  const progress = result({ output: "10%\r50%\r100% done\r\nnext\r\n" });

  expect(lines(progress)).toEqual(["  └ 100% done", "    next"]);
  expect(renderItem(progress, format).isCut).toBe(true);
  expect(renderItem(progress, { ...format, isWhole: true }).lines).toEqual([
    "  └ 10%\\x0d50%\\x0d100% done",
    "    next",
  ]);
  expect(renderItem(result({ output: "a\r\nb\r\n" }), format).isCut).toBe(false);
});

test("a command is shown with all of its lines, or its first ones", () => {
  const call = (command: string) =>
    lines({ type: "call", callId: "1", name: "bash", input: { command } });

  expect(call("cd a\nmake")).toEqual(["● bash cd a", "    make"]);
  expect(call("x".repeat(50))).toEqual([`● bash ${"x".repeat(33)}`, `    ${"x".repeat(17)}`]);
  expect(call(numbered(20)).at(-1)).toBe("    … 16 more lines, ctrl-o opens");
});

test("P40 an error of a tool is wrapped, not cut", () => {
  const output = "Outcome unknown: troupe stopped while this call was running.";

  expect(lines(result({ name: "wait", output, isError: true }))).toEqual([
    "  ✗ Outcome unknown: troupe stopped",
    "    while this call was running.",
  ]);
});

test("P40 mail is wrapped, not cut", () => {
  const from = TeammateName.parse("alice");
  const preview = "The tests pass, and the schema has a users table.\nSee schema.sql.";

  const id = newMessageId(new Date(0));
  const mail: TalkItem = {
    ...{ type: "mail", id, from, to: lead },
    ...{ kind: "message", preview, isWhole: true },
  };

  expect(lines(mail)).toEqual([
    "✉ alice → lead: The tests pass, and",
    "  the schema has a users table.",
    "  See schema.sql.",
  ]);
  const part = renderItem({ ...mail, preview: "The tests ", isWhole: false }, format);
  expect(part).toEqual({ lines: ["✉ alice → lead: The tests…"], isCut: true });
});
