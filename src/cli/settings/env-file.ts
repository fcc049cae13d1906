import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { TeamError } from "../../errors.ts";
import type { EnvironmentVariables } from "../../model/provider-settings.ts";
import type { ProcessInfo } from "../command.ts";

/** The environment with the variables of `--env-file`. Variables already set win. */
export async function environmentWith(
  envFile: string | undefined,
  { cwd, env }: ProcessInfo,
): Promise<EnvironmentVariables> {
  if (envFile === undefined) return env;
  return { ...parseEnv(await readEnvFile(resolve(cwd, envFile))), ...env };
}

async function readEnvFile(path: string): Promise<string> {
  try {
    // The file may be a pipe, as in `--env-file <(command)`.
    return await readBounded(path);
  } catch (error) {
    if (!(error instanceof Error && "errno" in error)) throw error;
    throw new TeamError("config-invalid", `--env-file ${path} cannot be read: ${error.message}`, {
      cause: error,
      hint: "Give a file with lines such as ANTHROPIC_API_KEY=….",
    });
  }
}

/** No environment is larger: Linux takes 2 MiB of it and of the arguments together. */
const maxBytes = 2 * 1024 * 1024;

async function readBounded(path: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    if (!Buffer.isBuffer(chunk)) throw new Error("A stream without an encoding has bytes");
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(path);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function tooLarge(path: string): TeamError {
  return new TeamError("config-invalid", `--env-file ${path} has more than ${maxBytes} bytes`, {
    hint: "Give a file with lines such as ANTHROPIC_API_KEY=….",
  });
}
