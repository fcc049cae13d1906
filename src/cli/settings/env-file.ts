import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { TeamError } from "../../errors.ts";
import type { Environment } from "../../model/provider-settings.ts";
import type { Surroundings } from "../command.ts";

/** The environment, and beneath it what the file of `--env-file` has: what is set already wins. */
export async function environmentWith(
  envFile: string | undefined,
  { cwd, env }: Surroundings,
): Promise<Environment> {
  if (envFile === undefined) return env;
  return { ...parseEnv(await readEnvFile(resolve(cwd, envFile))), ...env };
}

async function readEnvFile(path: string): Promise<string> {
  try {
    // It may be a pipe, such as a shell makes of a command that prints keys.
    return await readFile(path, "utf8");
  } catch (error) {
    if (!(error instanceof Error && "errno" in error)) throw error;
    throw new TeamError("config-invalid", `--env-file ${path} cannot be read: ${error.message}`, {
      cause: error,
      hint: "Name a file that has lines such as ANTHROPIC_API_KEY=….",
    });
  }
}
