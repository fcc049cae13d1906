import fc from "fast-check";
import { expect, test } from "vitest";
import { lineDiff } from "../../../src/tools/files/guarded-change.ts";

test("a diff shows changes with three lines of context", () => {
  const before = lines(1, 20);
  const after = before.replace("line 10\n", "line ten\nline ten and a half\n");

  expect(lineDiff(before, after)).toBe(
    [
      "@@ -7 +7 @@",
      " line 7",
      " line 8",
      " line 9",
      "-line 10",
      "+line ten",
      "+line ten and a half",
      " line 11",
      " line 12",
      " line 13",
    ].join("\n"),
  );
});

test("long unchanged parts between two changes are omitted", () => {
  const before = lines(1, 40);
  const after = before.replace("line 5\n", "").replace("line 30\n", "line thirty\n");

  const diff = lineDiff(before, after);

  expect(diff?.match(/^@@.*@@$/gm)).toEqual(["@@ -2 +2 @@", "@@ -27 +26 @@"]);
  expect(diff).not.toContain("line 20");
});

test("texts that differ too much have no diff", () => {
  expect(lineDiff(lines(1, 3000), lines(4000, 7000))).toBeUndefined();
  expect(lineDiff(lines(1, 900), lines(4000, 4900))).toBeUndefined();
});

test("applying a diff to the old text gives the new one, for any texts", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 25 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = lineDiff(before.join("\n"), after.join("\n")) ?? "";

      expect(applied(before.join("\n"), diff)).toBe(after.join("\n"));
    }),
  );
});

function lines(from: number, to: number): string {
  let text = "";
  for (let number = from; number <= to; number++) text += `line ${number}\n`;
  return text;
}

function applied(before: string, diff: string): string {
  const old = before.split("\n");
  const result: string[] = [];
  let next = 0;
  for (const line of diff === "" ? [] : diff.split("\n")) {
    const start = /^@@ -(\d+) /.exec(line)?.[1];
    while (start && next < Number(start) - 1) result.push(old[next++] ?? "");
    if (start) continue;
    if (line[0] !== "+") expect(old[next++]).toBe(line.slice(1));
    if (line[0] !== "-") result.push(line.slice(1));
  }
  return [...result, ...old.slice(next)].join("\n");
}
