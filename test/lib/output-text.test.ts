import { expect, test } from "vitest";
import { gapNote, readCommandResult, readOutput } from "../../src/lib/output-text.ts";
import { summarizeCall } from "../../src/lib/summarize-call.ts";
import type { CommandEnd } from "../../src/processes/command-runner.ts";
import { describeEnd } from "../../src/processes/describe-end.ts";

const ended = (end: Partial<CommandEnd>): CommandEnd => ({
  ...{
    type: "ended",
    ending: "exited",
    exitCode: 0,
    signal: null,
    leftovers: 0,
    appeared: [],
    refusedHosts: [],
  },
  ...{ timeoutMs: 1_000, output: "a\nb\n" },
  ...end,
});

test.each<[Partial<CommandEnd>, string | undefined]>([
  [{}, undefined],
  [{ exitCode: 7 }, "exit 7"],
  [{ exitCode: null, signal: "SIGKILL" }, "killed by SIGKILL"],
  [{ ending: "timeout" }, "Timeout (1s)"],
  [{ ending: "aborted" }, "Interrupted; the command and all it had started are ended."],
])("the end of a command is told from its output: %o", (end, outcome) => {
  const result = readCommandResult(describeEnd(ended(end)));

  expect(result).toMatchObject({ lines: ["a", "b"], count: 2, outcome });
});

test("processes that had to end are part of how a command ended", () => {
  const { lines, outcome } = readCommandResult(describeEnd(ended({ exitCode: 1, leftovers: 2 })));

  expect(lines).toEqual(["a", "b"]);
  expect(outcome).toMatch(/^exit 1; 2 processes were still running/);
});

test("the lines of an output that was cut are all counted", () => {
  const note = gapNote({ characters: 900, lines: 5_000, whereabouts: "the whole is in /x.txt" });

  expect(readOutput(`a\n\n${note}\n\nz\n`)).toEqual({
    lines: ["a", "", note, "", "z"],
    count: 5_000,
    whereabouts: "the whole is in /x.txt",
  });
  expect(readOutput("")).toEqual({ lines: [], count: 0, whereabouts: undefined });
});

test("a search is summarized by what it looks for, then where", () => {
  expect(summarizeCall("grep", { path: "src", pattern: "function" })).toBe("function in src");
  expect(summarizeCall("glob", { pattern: "*.ts" })).toBe("*.ts");
});
