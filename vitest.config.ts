import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Fault tests start real processes; on a busy two-core machine that takes its time.
    testTimeout: 60_000,
  },
});
