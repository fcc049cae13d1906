import { spawnSync } from "node:child_process";
import { missing, missingProgram } from "./missing.ts";

/** Why no sandbox works here; undefined where one does. */
export const noSandbox =
  process.platform === "linux"
    ? (missingProgram("bwrap", "apt-get install bubblewrap") ?? namespacesRefused())
    : "bubblewrap is for Linux";

function namespacesRefused(): string | undefined {
  const { status, stderr } = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-all", "true"]);
  if (status === 0) return undefined;
  return missing(`bubblewrap does not work here: ${String(stderr).trim()}`);
}
