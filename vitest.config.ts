import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/leave-no-trace.ts"],
    // Fault tests start real processes; on a busy two-core machine that takes its time.
    testTimeout: 180_000,
    // A poll that is given up after the default of one second fails on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // Modules have no state of their own (AGENTS.md): loading them once for many files saves a minute.
    isolate: false,
    // One less than the cores, as is the default, would leave one of two unused.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
