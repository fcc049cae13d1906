import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { Bubblewrap } from "./bubblewrap.ts";
import { howToPermit } from "./how-to-permit.ts";
import { reportsOf } from "./reports-of.ts";
import type { Confinement, Sandbox } from "./sandbox.ts";
import { Seatbelt } from "./seatbelt.ts";
import { isFiltered } from "./seccomp-filter.ts";

/** The sandbox of this machine, or why there is none. */
export type FoundSandbox =
  | {
      readonly type: "found";
      /** Its name and version. */
      readonly description: string;
      open(confinement: Confinement): Sandbox;
    }
  | { readonly type: "missing"; readonly problem: string; readonly remedy: string };

/** Finds the sandbox of this machine and tries it. `find` has the path of a program, outside every workspace. */
export async function findSandbox(find: (name: string) => Promise<string>): Promise<FoundSandbox> {
  if (process.platform === "darwin") return await findSeatbelt(find);
  if (process.platform !== "linux") return missing("There is none for this system", elsewhere);
  const program = await find("bwrap");
  const version = await versionOf(program);
  if (version === undefined) return missing("bubblewrap is not installed", howToInstall);
  if (!isAtLeast(version, leastVersion)) {
    return missing(`bubblewrap ${version} is older than ${leastVersion.join(".")}`, howToInstall);
  }
  const disablesNamespaces = isAtLeast(version, namespacesVersion);
  if (!isFiltered(process.arch) && !disablesNamespaces) {
    return missing(
      `On ${process.arch}, bubblewrap ${namespacesVersion.join(".")} or newer is needed`,
      howToInstall,
    );
  }
  const nsenter = await find("nsenter");
  if ((await versionOf(nsenter)) === undefined) {
    return missing(
      "nsenter is not installed",
      "Install util-linux, or run troupe with --sandbox off.",
    );
  }
  const programs = { bubblewrap: program, nsenter, bash: await find("bash") };
  const open = (confinement: Confinement) =>
    new Bubblewrap({ programs, disablesNamespaces, confinement });
  await using trial = open(nothingButRead);
  const failure = await tryOut(trial);
  if (failure === undefined) return { type: "found", description: `bubblewrap ${version}`, open };
  return missing(`bubblewrap does not work: ${failure}`, await howToPermit());
}

async function findSeatbelt(find: (name: string) => Promise<string>): Promise<FoundSandbox> {
  const bash = await find("bash");
  const open = (confinement: Confinement) => new Seatbelt({ bash, confinement });
  await using trial = open(nothingButRead);
  const failure = await tryOut(trial);
  if (failure === undefined) return { type: "found", description: "sandbox-exec", open };
  return missing(`sandbox-exec does not work: ${failure}`, elsewhere);
}

const leastVersion = [0, 5] as const;
/** Since then it can forbid further user namespaces. */
const namespacesVersion = [0, 8] as const;

const howToInstall =
  "Install it (apt-get install bubblewrap, dnf install bubblewrap), or run troupe with --sandbox off.";
const elsewhere = "Run troupe in a container or a virtual machine, or with --sandbox off.";

function missing(problem: string, remedy: string): FoundSandbox {
  return { type: "missing", problem, remedy };
}

/** For a trial: nothing can be written. */
const nothingButRead: Confinement = {
  writable: [],
  readable: [],
  protected: async () => [],
  hidden: [],
  temporary: tmpdir(),
  home: "/nonexistent",
  network: "off",
};

/** What a program prints and how it ends, of a start that has a limit. */
async function versionOf(program: string): Promise<string | undefined> {
  const child = spawn(program, ["--version"], {
    env: {},
    stdio: ["ignore", "pipe", "ignore"],
    timeout: trialMs,
  });
  const [said] = await Promise.all([text(child.stdout), once(child, "exit")]).catch(() => [""]);
  return /\d+(\.\d+)+/.exec(said)?.[0];
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [itsMajor = 0, itsMinor = 0] = version.split(".").map(Number);
  return itsMajor > major || (itsMajor === major && itsMinor >= minor);
}

const trialMs = 10_000;
/** An exit code that no failure has. */
const expectedCode = 37;

/** Runs a command in the sandbox: the first line of what went wrong, or undefined. */
async function tryOut(sandbox: Sandbox): Promise<string | undefined> {
  try {
    return await runIn(sandbox);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function runIn(sandbox: Sandbox): Promise<string | undefined> {
  const { argv, inputs, reports, outcome } = await sandbox.confine({
    argv: ["/bin/sh", "-c", `exit ${expectedCode}`],
    cwd: "/",
  });
  const [program, ...rest] = argv;
  const child = spawn(program, rest, {
    env: {},
    stdio: ["ignore", "ignore", "pipe", ...Array(inputs.length + reports).fill("pipe")],
    timeout: trialMs,
  });
  const exit = once(child, "exit").then(([code]) => Number(code));
  inputs.forEach((bytes, index) => {
    const input = child.stdio[3 + index];
    // One that fails at once has closed it.
    if (input instanceof Writable) input.on("error", () => undefined).end(bytes);
  });
  if (!child.stderr) return "it has no descriptors";
  const [said, errors, code] = await Promise.all([
    reportsOf(child, { inputs, reports }),
    text(child.stderr),
    exit,
  ]);
  const ended = outcome(said);
  if (ended.started && (ended.exitCode ?? code) === expectedCode) return undefined;
  return errors.trim().split("\n")[0]?.replace(/\.$/, "") || "it ended without a word";
}
