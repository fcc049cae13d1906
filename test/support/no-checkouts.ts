import type { SupervisorOptions } from "../../src/team/supervisor-options.ts";

/** For a team in which nobody has a checkout. */
export const noCheckouts: SupervisorOptions["checkouts"] = {
  isolation: "shared",
  make: async () => {
    throw new Error("There are no checkouts");
  },
  abandon: async () => undefined,
  retire: async () => undefined,
  tryToKeep: async () => undefined,
  recover: async () => undefined,
};
