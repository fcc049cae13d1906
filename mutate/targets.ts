import type { Target } from "./campaign.ts";

/**
 * Promises that are tested with a whole team in the process of the test. A mutant is not awake in
 * processes that a test starts: tests of killed processes would take their time and notice nothing.
 * Others of `test/e2e` notice hardly more than these, and take longer than all the rest.
 */
const promises = [
  ...["skewed-clocks", "headless", "shutdown", "foreign-team", "begin-and-end"],
  ...["undo", "undo-members", "withdrawn-mail", "set-model", "fallback"],
  ...["compaction-orders", "checkouts", "landing"],
].map(promise);

function promise(name: string): string {
  return `test/e2e/promises/${name}.test.ts`;
}

/**
 * The code on which the promises depend most. The tests of the command line and of the page do not
 * count here.
 */
export const targets: readonly Target[] = [
  { source: "src/team", tests: ["test/team", "test/tools/team", ...promises] },
  {
    source: "src/agent",
    // Hooks, refused images, and what outlives a compaction or a change of the model, are promised for a team.
    tests: [
      "test/agent",
      "test/faults/agent-interrupt.test.ts",
      "test/team/hooks.test.ts",
      "test/team/images.test.ts",
      "test/team/refused-images.test.ts",
      ...["compaction", "fallback", "thoughts", "set-model", "undo", "withdrawn-mail"].map(promise),
    ],
  },
  {
    source: "src/permissions",
    // Tables about programs, which are tested by the fuzzer of commands.
    without: "src/permissions/commands",
    tests: ["test/permissions", "test/faults/deceptive-commands.test.ts"],
  },
  { source: "src/model/governor.ts", tests: ["test/model/governor.test.ts"] },
  {
    source: "src/mailbox",
    // Checks for lost data, and reading for observers, are tested through a team.
    tests: [
      "test/mailbox",
      "test/faults/rotation.test.ts",
      "test/team/damage-told.test.ts",
      "test/team/view/file-team-view.test.ts",
    ],
  },
];
