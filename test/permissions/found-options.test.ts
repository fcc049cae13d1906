import { execFile } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { judgeLine, project } from "./judge-lines.ts";

const run = promisify(execFile);
const mode = "bypassPermissions";

test.each([
  "> ./--target-directory=.team; cp evil *",
  "> ./--target-directory=.te''am; cp evil *",
  "touch ./--target-directory=.te''am; cp evil -* e*",
  "d=.te; e=am; > ./--target-directory=$d$e; mv evil *",
])(
  "%j writes the team's records through a file name that a pattern finds, and is refused",
  async (line) => {
    await using workspace = await project();
    await writeFile(join(workspace.root, "evil"), "x");
    const { decision } = await judgeLine(workspace.permissions({ mode }), line);

    await run("bash", ["-c", line], { cwd: workspace.root }).catch(() => undefined);

    expect(await readdir(join(workspace.root, ".team")), "the control").toContain("evil");
    expect(decision).toBe("deny");
  },
);

test("an existing file whose name becomes an option that affects the team's records is refused", async () => {
  await using workspace = await project();
  const permissions = workspace.permissions({ mode });
  const before = await judgeLine(permissions, "cp src/a.ts *");
  await writeFile(join(workspace.root, "-t.team"), "");

  const after = await judgeLine(permissions, "cp src/a.ts *");

  expect([before.decision, after.decision]).toEqual(["allow", "deny"]);
});

test.each(["cp evil -t.te''am", "install -t .te''am evil"])(
  "quotes in %j do not hide the team's records",
  async (line) => {
    await using workspace = await project();

    const { decision } = await judgeLine(workspace.permissions({ mode }), line);

    expect(decision).toBe("deny");
  },
);

test.each(["cp *.md src", "mv * build", "rm *", "cp evil -- *", "> build/x; cp *.md src"])(
  "%j still runs in bypassPermissions",
  async (line) => {
    await using workspace = await project();

    const { decision } = await judgeLine(workspace.permissions({ mode }), line);

    expect(decision).toBe("allow");
  },
);
