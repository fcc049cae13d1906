import type { SupervisorOptions } from "../../src/team/supervisor-options.ts";

/** For teams whose members have no checkouts. */
export const noLandings: SupervisorOptions["landing"] = {
  mode: "never",
  keep: async () => undefined,
  openWorks: () => Promise.reject(new Error("Nobody has handed in anything")),
};
