import { type MemberName, system } from "../protocol/ids.ts";
import type { DisturbedFile } from "../workspace/shared-files.ts";
import type { Equipment } from "./equipment.ts";

const maxNamed = 20;

/**
 * Looks for files of others that change while a command of a member runs. Those whose files they are get mail, and
 * the member is told in the result.
 */
export async function watchOthers(
  { sharedFiles, store, secrets }: Equipment,
  name: MemberName,
): Promise<() => Promise<string | undefined>> {
  const changedFiles = await sharedFiles.beforeCommand(name);
  return async () => {
    const changed = await changedFiles();
    if (changed.length === 0) return undefined;
    for (const member of new Set(changed.map((file) => file.member))) {
      const paths = changed.filter((file) => file.member === member).map(({ path }) => path);
      const content = `While a command of ${name} ran, files changed that you have read or written in this run: ${listed(paths)}. Read them again before you rely on them.`;
      await store.send(member, { type: "message", from: system, content: secrets.mask(content) });
    }
    const paths = changed.map(({ path, member }: DisturbedFile) => `${path} (${member})`);
    return `Files that others work with changed meanwhile, and they have been told: ${listed(paths)}`;
  };
}

function listed(paths: readonly string[]): string {
  const more = paths.length - maxNamed;
  return `${paths.slice(0, maxNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
