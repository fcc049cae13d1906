import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import base from "../vitest.config.ts";
import { Plan } from "./log.ts";

const plan = Plan.parse(JSON.parse(readFileSync(process.env.TROUPE_MUTATION_PLAN ?? "", "utf8")));

/** Runs the files in the plan's order: what kills most for the least time comes first. */
class PlannedSequencer extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) =>
      plan.files.findIndex((file) => moduleId.endsWith(`/${file}`));
    return [...specifications].sort((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  cacheDir: "mutate/.cache",
  test: {
    ...base.test,
    root: join(import.meta.dirname, ".."),
    include: plan.files,
    runner: join(import.meta.dirname, "vitest-runner.ts"),
    maxWorkers: 1,
    sequence: { sequencer: PlannedSequencer },
  },
});
