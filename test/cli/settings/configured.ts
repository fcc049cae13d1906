import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { run } from "../../../src/cli/commands/run.ts";
import { recordAnswer } from "../../../src/cli/settings/consent.ts";
import { resolveSettings } from "../../../src/cli/settings/resolve-settings.ts";
import { readSettingsFile } from "../../../src/cli/settings/settings-file.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";

/** A workspace, and a home of a user, with files of settings as a test writes them. */
export async function configured(files: { workspace?: unknown; user?: unknown } = {}) {
  const directory = await temporaryDirectory();
  const root = directory.path;
  const paths = {
    workspace: join(root, "troupe.json"),
    user: join(root, "config", "troupe", "config.json"),
  };
  const processInfo = (env: Record<string, string>) => ({
    cwd: root,
    home: root,
    env: { XDG_CONFIG_HOME: join(root, "config"), XDG_STATE_HOME: join(root, "state"), ...env },
  });
  const write = async (place: keyof typeof paths, content: unknown) => {
    await mkdir(dirname(paths[place]), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await writeFile(paths[place], text);
  };
  if (files.workspace !== undefined) await write("workspace", files.workspace);
  if (files.user !== undefined) await write("user", files.user);
  return {
    root,
    paths,
    processInfo: processInfo({}),
    write,
    /** What `troupe run` comes to with these flags. */
    resolve: (values: Record<string, unknown> = {}, env: Record<string, string> = {}) =>
      resolveSettings(run, values, { processInfo: processInfo(env) }),
    async trust() {
      const file = await readSettingsFile(paths.workspace);
      if (file) await recordAnswer(file, "trusted", processInfo({}));
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
