import { dirname } from "node:path";
import { HostCommandRunner } from "../processes/host-command-runner.ts";
import type { Equipment } from "./equipment.ts";
import type { MemberDefinition } from "./members/member-definition.ts";

/** What runs the commands of a member, in its sandbox if it has one. */
export function commandRunner(
  equipment: Equipment,
  {
    name,
    sandbox: mode,
    checkout,
    cwd,
    root,
  }: Pick<MemberDefinition, "name" | "sandbox" | "checkout" | "cwd" | "root">,
): HostCommandRunner {
  const { place, environment, outputFiles, pipes, programs, running, checkouts } = equipment;
  const confined = { workspace: root, mode, ownsGit: checkout !== undefined };
  return new HostCommandRunner({
    ...{ cwd, clock: place.clock, outputFiles, pipes, programs, running },
    environment: checkout ? apart(environment, checkout.path) : environment,
    owner: equipment.commandOwner(name),
    sandbox: async () => {
      const readable = checkout ? await checkouts.readable(name) : [];
      return await equipment.sandbox.of(name, { ...confined, readable });
    },
  });
}

/** Git does not look for a repository above the checkout, if its own is gone. */
function apart(
  environment: Readonly<Record<string, string>>,
  path: string,
): Readonly<Record<string, string>> {
  return { ...environment, GIT_CEILING_DIRECTORIES: dirname(path) };
}
