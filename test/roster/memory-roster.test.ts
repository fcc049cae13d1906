import { MemoryRoster } from "../../src/roster/memory-roster.ts";
import { exampleTeam, testRoster } from "../../src/testing/conformance/roster.ts";

testRoster("MemoryRoster", async () => ({
  roster: new MemoryRoster(exampleTeam()),
  [Symbol.asyncDispose]: async () => undefined,
}));
