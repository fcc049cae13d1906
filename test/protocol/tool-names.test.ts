import { expect, test } from "vitest";
import { foreignNamesOf, isLackingTool, ownNamesOf } from "../../src/protocol/tool-names.ts";

test("Claude Code's names mean the tools that do the same work", () => {
  expect(ownNamesOf("Read")).toEqual(["read_file"]);
  expect(ownNamesOf("MultiEdit")).toEqual(["edit_file"]);
  expect(ownNamesOf("Bash")).toEqual(["bash", "background_run", "check_background"]);
});

test("a tool has all names that mean it", () => {
  expect(foreignNamesOf("edit_file")).toEqual([
    "Edit",
    "MultiEdit",
    "apply_patch",
    "edit",
    "patch",
  ]);
  expect(foreignNamesOf("complete_task")).toEqual([]);
});

test("a tool that Troupe lacks is known, and means none", () => {
  expect(["WebSearch", "NotebookEdit", "Task"].every(isLackingTool)).toBe(true);
  expect(ownNamesOf("WebSearch")).toEqual([]);
});

test.each(["toString", "constructor", "__proto__", "Nothing", ""])(
  "%j is the name of no tool",
  (name) => {
    expect(ownNamesOf(name)).toEqual([]);
    expect(isLackingTool(name)).toBe(false);
  },
);
