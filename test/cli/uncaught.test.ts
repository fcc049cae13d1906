import { expect, test } from "vitest";
import { runNode } from "../support/programs.ts";

/** Throws, where nobody awaits it, as soon as the program is ready for that. */
const saboteur = `data:text/javascript,process.on("newListener", (name) => {
  if (name === "uncaughtException") setImmediate(() => { throw new Error("boom"); });
});`.replaceAll("\n", "");

test("an unhandled rejection is reported as a bug too: exit 1", async () => {
  const program = ["--import", "tsx", "--import", saboteur, "src/cli/main.ts", "doctor"];

  const { code, err } = await runNode(program);

  expect(code).toBe(1);
  expect(err.split("\n").slice(0, 2)).toEqual([
    "error: troupe has a bug: boom",
    expect.stringContaining("--debug"),
  ]);
  expect(err).not.toContain("    at ");
});
