import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Whether the tmux around this process passes sequences on to the terminal outside. */
export async function passesThroughTmux(): Promise<boolean> {
  try {
    const asked = ["show-options", "-Apv", "allow-passthrough"];
    const { stdout } = await promisify(execFile)("tmux", asked, { timeout: 2_000 });
    return ["on", "all"].includes(stdout.trim());
  } catch (error) {
    // An older tmux has no such option; the program may also be missing where TMUX is inherited.
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}
