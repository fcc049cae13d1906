import { expect, test } from "vitest";
import { Progress } from "../../../src/cli/render/progress.ts";

const at = "2026-11-18T09:00:00.000Z";

test("a warning is printed whole with its hint, other lines are cut", () => {
  const long = "word ".repeat(60);
  const progress = new Progress();

  const [warning] = progress.lines({
    ...{ type: "warning", at, message: `${long}.`, hint: "Free some space." },
  });
  const [wait] = progress.lines({ type: "model-wait", at, reason: `${long}.`, delay_ms: 1_000 });

  expect(warning).toBe(`warning: ${long}. Free some space.`);
  expect(wait).toHaveLength(160);
});
