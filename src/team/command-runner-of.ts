import { dirname } from "node:path";
import type { CommandRunner } from "../processes/command-runner.ts";
import { HostCommandRunner } from "../processes/host-command-runner.ts";
import { type MemberName, system } from "../protocol/ids.ts";
import type { Equipment } from "./equipment.ts";
import type { MemberDefinition } from "./members/member-definition.ts";
import type { SandboxedMember } from "./team-sandbox.ts";

type RunnerOwner = Pick<
  MemberDefinition,
  "name" | "sandbox" | "checkout" | "cwd" | "root" | "ofRole"
>;

/** What runs the commands of a member, in its sandbox if it has one. */
export function commandRunner(
  equipment: Equipment,
  { name, sandbox: mode, checkout, cwd, root, ofRole }: RunnerOwner,
): CommandRunner {
  const { environment, checkouts } = equipment;
  return hostRunner(equipment, name, {
    cwd,
    environment: checkout ? apart(environment, checkout.path) : environment,
    sandboxed: async () => {
      const readable = checkout ? await checkouts.readable(name) : [];
      const { network, asks_nobody: asksNobody } = ofRole ?? {};
      const ownsGit = checkout !== undefined;
      return { workspace: root, mode, ownsGit, readable, network, asksNobody };
    },
  });
}

/** What runs hooks in the directory of a member: in its sandbox, if it has one, those that are not the person's own. */
export function hookRunner(
  equipment: Equipment,
  { name, sandbox: mode, checkout, cwd, root }: RunnerOwner,
): CommandRunner {
  const { environment, checkouts } = equipment;
  // The lead's directory, so that a member with a checkout does not choose the scripts that hooks run.
  const project = equipment.cwd;
  return hostRunner(equipment, name, {
    cwd,
    environment: {
      ...(checkout ? apart(environment, checkout.path) : environment),
      ...{ TROUPE_PROJECT_DIR: project, CLAUDE_PROJECT_DIR: project },
    },
    sandboxed: async () => {
      const readable = checkout ? await checkouts.readable(name) : [];
      return { workspace: root, mode, ownsGit: checkout !== undefined, readable };
    },
  });
}

/** What runs the check of landings: without network, and only in the directory of their files. */
export function checkRunner(equipment: Equipment, tree: string): CommandRunner {
  return hostRunner(equipment, system, {
    cwd: tree,
    environment: equipment.environment,
    sandboxed: async () => ({ workspace: tree, ownsGit: true, network: "off" }),
  });
}

interface HostRunnerParts {
  cwd: string;
  environment: Readonly<Record<string, string>>;
  sandboxed(): Promise<SandboxedMember>;
}

function hostRunner(
  equipment: Equipment,
  owner: MemberName,
  { sandboxed, ...parts }: HostRunnerParts,
): CommandRunner {
  const { place, outputFiles, pipes, programs, running, sandbox } = equipment;
  return new HostCommandRunner({
    ...{ ...parts, clock: place.clock, outputFiles, pipes, programs, running },
    owner: equipment.commandOwner(owner),
    sandbox: async () => sandbox.of(owner, await sandboxed()),
  });
}

/** Git does not look for a repository above the checkout, if its own is gone. */
function apart(
  environment: Readonly<Record<string, string>>,
  path: string,
): Readonly<Record<string, string>> {
  return { ...environment, GIT_CEILING_DIRECTORIES: dirname(path) };
}
