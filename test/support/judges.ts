import type { Permissions } from "../../src/permissions/permissions.ts";

/** Permissions that ask about everything. */
export const alwaysAsks: Pick<Permissions, "judge"> = {
  judge: async () => ({ decision: "ask", reason: "it is a test", isReadOnly: false }),
};
