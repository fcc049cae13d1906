import { expect, test } from "vitest";
import { Repetition } from "../../src/agent/repetition.ts";
import type { ToolCall } from "../../src/protocol/transcript.ts";

function call(name: string, input: Record<string, unknown> = {}): ToolCall {
  return { call_id: "c", name, input };
}

/** Notes the same call with the same answer so many times. */
function repeat(repetition: Repetition, times: number): void {
  for (let n = 0; n < times; n++) repetition.note(call("look"), "nothing");
}

test("after eight calls without new results, only a repeated call is refused", () => {
  const repetition = new Repetition();
  repeat(repetition, 8);
  expect(repetition.refuse(call("look"))).toBeUndefined();
  repeat(repetition, 1);

  expect(repetition.refuse(call("look"))).toContain("was not run again");
  expect(repetition.refuse(call("look", { path: "a" }))).toBeUndefined();
});

test.each<[string, (repetition: Repetition) => void]>([
  ["another answer", (repetition) => repetition.note(call("look"), "something")],
  ["another call", (repetition) => repetition.note(call("search"), "nothing")],
  ["mail", (repetition) => repetition.noteMail()],
])("%s allows repeated calls again", (_, change) => {
  const repetition = new Repetition();
  repeat(repetition, 9);

  change(repetition);

  expect(repetition.refuse(call("look"))).toBeUndefined();
});

test("sixteen calls are remembered; the oldest one is forgotten for a new one", () => {
  const repetition = new Repetition();
  const names = Array.from({ length: 17 }, (_, n) => `tool ${n}`);
  for (const name of names) repetition.note(call(name), "same");
  for (let round = 0; round < 8; round++) repetition.note(call("tool 16"), "same");

  expect(names.filter((name) => !repetition.refuse(call(name)))).toEqual(["tool 0"]);
});

test("refusals in three replies in a row end the run; a reply without one starts the count again", () => {
  const repetition = new Repetition();
  repeat(repetition, 9);
  const endWith = (isRefused: boolean) => {
    if (isRefused) repetition.refuse(call("look"));
    return repetition.endReply();
  };

  expect([true, true, false, true, true, true].map(endWith)).toEqual([
    false,
    false,
    false,
    false,
    false,
    true,
  ]);
});
