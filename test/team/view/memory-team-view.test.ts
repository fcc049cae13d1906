import { systemClock } from "../../../src/lib/clock.ts";
import { MemoryTeamStore } from "../../../src/team/memory-team-store.ts";
import { testTeamView } from "../../../src/testing/conformance/team-view.ts";

testTeamView("MemoryTeamView", async () => {
  const store = new MemoryTeamStore({ clock: systemClock });
  return { store, view: store.view(), [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
});
