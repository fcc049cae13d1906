import type { Target } from "./campaign.ts";

/** What the promises rest on most. The tests of the command line and of the page do not count here. */
export const targets: readonly Target[] = [
  { source: "src/team", tests: ["test/team", "test/e2e/promises"] },
  {
    source: "src/agent",
    tests: [
      "test/agent",
      "test/faults/agent-crash.test.ts",
      "test/faults/agent-interrupt.test.ts",
      "test/team",
      "test/e2e/promises",
    ],
  },
  { source: "src/permissions", without: "src/permissions/commands", tests: ["test/permissions"] },
  {
    source: "src/model/governor.ts",
    tests: ["test/model/governor.test.ts", "test/faults/rate-limits.test.ts"],
  },
  {
    source: "src/mailbox",
    tests: [
      "test/mailbox",
      "test/faults/mail-crashes.test.ts",
      "test/faults/delivery.test.ts",
      "test/faults/rotation.test.ts",
    ],
  },
];
