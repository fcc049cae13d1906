import { execFile } from "node:child_process";
import { promisify } from "node:util";
import packageJson from "../../../package.json" with { type: "json" };
import { hasErrno, onErrno } from "../../errors.ts";
import { childEnvironment, Secrets } from "../../lib/secrets.ts";
import {
  type ProviderConfiguration,
  providerKeyNames,
  providerKeys,
} from "../../model/provider-settings.ts";
import { trySandbox } from "../../team/team-sandbox.ts";
import { findRipgrep } from "../../tools/files/ripgrep.ts";
import type { Check, Finding } from "./check.ts";

/** Checks the programs that troupe needs or can use. */
export function programChecks(configuration: ProviderConfiguration, workspace: string): Check[] {
  return [
    {
      name: "node",
      look: async () => [nodeFinding(process.versions.node, packageJson.engines.node)],
    },
    { name: "git", look: (signal) => gitFindings({ ...configuration, signal }) },
    { name: "ripgrep", look: (signal) => ripgrepFindings({ ...configuration, signal }) },
    { name: "sandbox", look: () => sandboxFindings(configuration.env.PATH, workspace) },
  ];
}

/** `needed` is a range such as `>=20.19`. */
export function nodeFinding(version: string, needed: string): Finding {
  const [major = 0, minor = 0] = numbersIn(version);
  const [neededMajor = 0, neededMinor = 0] = numbersIn(needed);
  const isEnough = major > neededMajor || (major === neededMajor && minor >= neededMinor);
  if (isEnough) return { state: "ok", text: version };
  return {
    state: "problem",
    text: `${version} is too old`,
    remedy: `Install Node ${needed.replace(/^\D+/, "")} or newer.`,
  };
}

function numbersIn(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

interface ProgramEnvironment extends ProviderConfiguration {
  signal: AbortSignal;
}

async function gitFindings(environment: ProgramEnvironment): Promise<Finding[]> {
  const said = await firstLine("git", ["--version"], environment);
  if (said !== undefined) return [{ state: "ok", text: said }];
  return [
    { state: "note", text: "is not installed", remedy: "Install git so that members can use it." },
  ];
}

async function ripgrepFindings(environment: ProgramEnvironment): Promise<Finding[]> {
  // The package may be missing, as after an interrupted installation.
  const program = await findRipgrep().catch(onErrno(undefined, "ERR_MODULE_NOT_FOUND"));
  const said = program && (await firstLine(program, ["--version"], environment));
  if (said) return [{ state: "ok", text: said }];
  return [
    {
      state: "problem",
      text: "the bundled program does not run, so the tools glob and grep do not work",
      remedy: "Reinstall troupe with its optional dependencies.",
    },
  ];
}

/** Tries the sandbox, as a team does that asks for one. */
async function sandboxFindings(path: string | undefined, workspace: string): Promise<Finding[]> {
  const found = await trySandbox({ path, workspace });
  if (found.type === "found") {
    return [
      {
        state: "ok",
        text: `${found.description} works; members' commands run in it unless --sandbox is off`,
      },
    ];
  }
  return [{ state: "note", text: found.problem, remedy: found.remedy }];
}

/** The first line that a program prints; undefined if it is missing or fails. */
async function firstLine(
  program: string,
  args: readonly string[],
  { signal, ...configuration }: ProgramEnvironment,
): Promise<string | undefined> {
  const { env, providers } = configuration;
  const secrets = new Secrets(providerKeys(configuration));
  try {
    const running = promisify(execFile)(program, args, {
      env: childEnvironment(env, { names: providerKeyNames(providers), secrets }),
      signal,
    });
    // The signal only asks the program to end; one that ignores it would keep this process alive.
    signal.addEventListener("abort", () => running.child.kill("SIGKILL"), { once: true });
    const { stdout } = await running;
    return stdout.split("\n")[0]?.trim();
  } catch (error) {
    if (hasErrno(error, "ENOENT", "EACCES", "ENOEXEC", "ABORT_ERR")) return undefined;
    // The program ended with a nonzero code or by a signal.
    if (error instanceof Error && "killed" in error) return undefined;
    throw error;
  }
}
