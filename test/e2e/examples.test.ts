import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { runNode } from "../support/programs.ts";

const examples = readdirSync("examples").filter((name) => /\.(ts|cjs)$/.test(name));

test.each(examples)("the example %s runs and passes its own checks", async (name) => {
  await using directory = await temporaryDirectory();
  const environment = { TMPDIR: directory.path, XDG_STATE_HOME: join(directory.path, "state") };

  const { code, err } = await runNode(["--import", "tsx", join("examples", name)], environment);

  expect({ code, err }).toEqual({ code: 0, err: "" });
});
