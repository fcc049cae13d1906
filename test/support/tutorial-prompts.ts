/** The prompts that must work word for word, whatever the product's own lists say. */
export const tutorialPrompts: readonly string[] = [
  "Spawn alice (coder) and bob (tester). Have alice send bob a message.",
  'Broadcast "status update: phase 1 complete" to all teammates',
  "Check the lead inbox for any messages",
  "Spawn alice as a backend developer. Ask her to create a file called schema.sql with a users table.",
  "Check your inbox for alice's result.",
  "Spawn bob as a tester. Ask him to check if schema.sql exists and list its contents.",
  "Spawn alice as a coder. Then request her shutdown.",
  "List teammates to see alice's status after shutdown approval",
  "Spawn bob with a risky refactoring task. Review and reject his plan.",
  "Spawn charlie, have him submit a plan, then approve it.",
  "Create 3 tasks on the board, then spawn alice and bob. Watch them auto-claim and work.",
  "Create tasks with dependencies. Watch teammates respect the blocked order.",
];

/** Those of the scene with checkouts, which needs a repository. */
export const checkoutPrompts: readonly string[] = [
  "Spawn alice, bob and carol in checkouts. Have each write a section of guide.md.",
  "Have alice and bob each add a section to guide.md.",
];
