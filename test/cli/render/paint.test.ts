import { expect, test } from "vitest";
import { paintFor } from "../../../src/cli/render/paint.ts";

const paint = paintFor(true);

test("a style starts and ends with its own codes", () => {
  expect(paint.red("x")).toBe("\u001b[31mx\u001b[39m");
  expect(paint.red("")).toBe("");
});

test.each([
  ["a colour in a colour", paint.red(`a${paint.green("b")}c`), "\u001b[39m\u001b[31mc"],
  ["dim in bold", paint.bold(`a${paint.dim("b")}c`), "\u001b[22m\u001b[1mc"],
  ["bold in a colour", paint.red(`a${paint.bold("b")}c`), "\u001b[22mc"],
])("%s keeps the surrounding style", (_title, text, part) => {
  expect(text).toContain(part);
});

test("a known colour name colours the text, and an unknown one changes nothing", () => {
  expect(paint.named("cyan", "x")).toBe(paint.cyan("x"));
  for (const color of [undefined, "", "toString", "bold", "hasColors"]) {
    expect(paint.named(color, "x")).toBe("x");
  }
});

test("without colours text is unchanged", () => {
  const plain = paintFor(false);

  expect(plain.bold(plain.named("red", plain.dim("x")))).toBe("x");
});
