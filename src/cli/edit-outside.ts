import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TeamError } from "../errors.ts";
import type { ProcessInfo } from "./command.ts";

/**
 * Has the person edit a text in the editor of `VISUAL` or `EDITOR`, which gets the terminal. Resolves
 * to the edited text.
 */
export async function editOutside(text: string, { env, cwd }: ProcessInfo): Promise<string> {
  const editor = env.VISUAL || env.EDITOR;
  if (!editor) {
    throw new TeamError("config-invalid", "No editor is set", {
      hint: "Set EDITOR, for example to vim, before you start troupe.",
    });
  }
  const directory = await mkdtemp(join(tmpdir(), "troupe-edit-"));
  try {
    const path = join(directory, "message.md");
    await writeFile(path, text, { mode: 0o600, flag: "wx" });
    // By the shell, because the variable may have arguments, as in `code --wait`.
    const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", path], {
      ...{ cwd, env, stdio: "inherit" },
    });
    const [code]: unknown[] = await once(child, "exit");
    if (code !== 0) {
      throw new TeamError("config-invalid", `The editor '${editor}' failed`, {
        hint: "Your line is as it was. Check EDITOR.",
      });
    }
    return (await readFile(path, "utf8")).replace(/\n$/, "");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
