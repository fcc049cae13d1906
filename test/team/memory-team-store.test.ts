import { systemClock } from "../../src/lib/clock.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import { testTeamStore } from "../../src/testing/conformance/team-store.ts";

testTeamStore("MemoryTeamStore", async () => {
  const store = new MemoryTeamStore({ clock: systemClock });
  return { store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
});
