import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findSkills } from "../../src/skills/find-skills.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { Workspace } from "../../src/workspace/workspace.ts";

export async function writeFiles(root: string, files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
}

/** A directory with `work`, a repository, and `home`, the person's. */
export async function skillWorld(files: Readonly<Record<string, string>>, cwd = "project") {
  const directory = await temporaryDirectory();
  const { path } = directory;
  await writeFiles(path, { "project/.git/HEAD": "", "home/.keep": "", ...files });
  return {
    path,
    find: async () => {
      const found = await findSkills({
        workspace: await Workspace.open({ root: join(path, cwd), teamDirectory: ".team" }),
        teamDirectory: join(path, ".team"),
        personal: [join(path, "home/.agents/skills"), join(path, "home/.claude/skills")],
      });
      const unused = found.unused.map(
        (each) => `${each.path.replace(path, "…")}: ${each.reason.replaceAll(path, "…")}`,
      );
      return { ...found, unused, names: found.skills.map(({ name }) => name) };
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** A `SKILL.md` of these fields. */
export function skillFile(fields: string, body = "Do it."): string {
  return `---\n${fields}\n---\n\n${body}\n`;
}
