import { open } from "node:fs/promises";
import { expect, test } from "vitest";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";

test("a team works with file handles that cannot dispose of themselves, such as those of Yarn's PnP", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      calls("write_file", { path: "a.txt", content: "one\n" }),
      calls("edit_file", { path: "a.txt", old_text: "one", new_text: "two" }),
      reply([calls("read_file", { path: "a.txt" }), calls("grep", { pattern: "two" })]),
      says("Done."),
    ],
  });
  using _ = await withoutDispose();
  const team = await wire.open({ mode: "acceptEdits" });

  await team.prompt("Go.");
  const { result } = await team.quiet();
  await team.close();
  const again = await wire.open();
  await again.close();

  expect(result).toBe("Done.");
  expect(await wire.made("a.txt")).toBe("two");
  expect(wire.shownTo("lead")).toContain("a.txt:1:");
});

/** Takes the method from all file handles, and gives it back. */
async function withoutDispose(): Promise<Disposable> {
  const handle = await open("/dev/null");
  const prototype: object = Object.getPrototypeOf(handle);
  await handle.close();
  const method = Object.getOwnPropertyDescriptor(prototype, Symbol.asyncDispose);
  if (!method) throw new Error("A file handle cannot dispose of itself: the test shows nothing");
  Reflect.deleteProperty(prototype, Symbol.asyncDispose);
  return {
    [Symbol.dispose]: () => {
      Object.defineProperty(prototype, Symbol.asyncDispose, method);
    },
  };
}
