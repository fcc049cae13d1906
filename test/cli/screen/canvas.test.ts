import { expect, test } from "vitest";
import { Canvas, type ScreenFrame } from "../../../src/cli/screen/canvas.ts";
import { VirtualTerminal } from "../../support/virtual-terminal.ts";

function onCanvas({ columns = 40, rows = 10 } = {}) {
  const terminal = new VirtualTerminal({ columns, rows });
  return { terminal, canvas: new Canvas(terminal) };
}

/** A frame with the cursor at the end of its last line. */
function frame(...lines: string[]): ScreenFrame {
  return { lines, cursor: { row: lines.length - 1, column: (lines.at(-1) ?? "").length } };
}

test("a frame replaces the previous one", () => {
  const { terminal, canvas } = onCanvas();

  canvas.draw(frame("alice works", "› he"));
  canvas.draw(frame("alice is idle", "› hello"));

  expect(terminal.text).toBe("alice is idle\n› hello");
  expect(terminal.cursor).toEqual({ row: 1, column: 7 });
});

test("a frame can grow and shrink, and leaves nothing behind", () => {
  const { terminal, canvas } = onCanvas();

  canvas.draw(frame("one", "two", "three", "› "));
  canvas.draw(frame("one", "› "));
  canvas.draw(frame("one", "two", "› "));
  canvas.draw(frame("› "));

  expect(terminal.text).toBe("›");
});

test("printed lines stay above the frame, in order", () => {
  const { terminal, canvas } = onCanvas();

  canvas.draw(frame("strip", "› "));
  canvas.draw(frame("strip", "› a"), ["first", "second"]);
  canvas.draw(frame("strip", "› ab"), ["third"]);

  expect(terminal.text).toBe("first\nsecond\nthird\nstrip\n› ab");
});

test("printed lines stay after the screen is full", () => {
  const { terminal, canvas } = onCanvas({ rows: 5 });
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`);

  for (const line of lines) canvas.draw(frame("strip", "› "), [line]);

  expect(terminal.text).toBe([...lines, "strip", "›"].join("\n"));
});

test("only changed lines are written again", () => {
  const { terminal, canvas } = onCanvas();
  canvas.draw(frame("a strip that stays as it is", "› h"));
  const before = terminal.raw.length;

  canvas.draw(frame("a strip that stays as it is", "› he"));

  expect(terminal.raw.slice(before)).not.toContain("strip");
  expect(terminal.text).toBe("a strip that stays as it is\n› he");
});

test("a frame taller than the terminal shows its end, and scrolls nothing away", () => {
  const { terminal, canvas } = onCanvas({ rows: 4 });
  canvas.draw(frame("› "), ["said before"]);

  canvas.draw(frame("1", "2", "3", "4", "5", "› "));
  canvas.draw(frame("1", "2", "3", "4", "5", "› x"));

  expect(terminal.text).toBe("said before\n4\n5\n› x");
});

test("the cursor is in the input line, not at the end of the frame", () => {
  const { terminal, canvas } = onCanvas();

  canvas.draw({ lines: ["strip", "› hello", "hints"], cursor: { row: 1, column: 4 } });
  canvas.draw({ lines: ["strip", "› hallo", "hints"], cursor: { row: 1, column: 5 } }, ["said"]);

  expect(terminal.text).toBe("said\nstrip\n› hallo\nhints");
  expect(terminal.cursor).toEqual({ row: 2, column: 5 });
});

test("clearing the canvas keeps the printed lines", () => {
  const { terminal, canvas } = onCanvas();
  canvas.draw(frame("strip", "› bye"), ["said"]);

  canvas.clear();

  expect(terminal.text).toBe("said");
});
