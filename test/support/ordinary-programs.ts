import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BubblewrapOptions } from "../../src/sandbox/bubblewrap.ts";

/** Whether tests that root runs can do something as another user. */
export const mayChangeUser = process.getuid?.() === 0;

/** The user that has nothing. */
export const nobody = 65_534;

/** The programs of the system, with which the tests' own user confines commands. */
export const systemPrograms: BubblewrapOptions["programs"] = {
  bubblewrap: "/usr/bin/bwrap",
  nsenter: "/usr/bin/nsenter",
  bash: "/bin/bash",
};

/** The same as an ordinary user, whoever runs the tests. That user must be able to enter `directory`. */
export async function ordinaryPrograms(directory: string): Promise<BubblewrapOptions["programs"]> {
  if (!mayChangeUser) return systemPrograms;
  const bubblewrap = join(directory, "bwrap");
  const nsenter = join(directory, "nsenter");
  const asNobody = `setpriv --reuid=${nobody} --regid=${nobody} --clear-groups`;
  // In a network that it has entered it is that user already.
  const confine = `#!/bin/bash\nexec 8>&- 9>&-\n[[ $EUID == 0 ]] || exec /usr/bin/bwrap "$@"\nexec ${asNobody} /usr/bin/bwrap "$@"\n`;
  await writeFile(bubblewrap, confine);
  // That user may not look into this process, so its descriptors are opened before.
  const places = "--user=/proc/self/fd/8 --net=/proc/self/fd/9";
  const enter = `#!/bin/bash\nexec 8<"\${1#--user=}" 9<"\${2#--net=}"\nshift 2\nexec ${asNobody} /usr/bin/nsenter ${places} "$@"\n`;
  await writeFile(nsenter, enter);
  for (const program of [bubblewrap, nsenter]) await chmod(program, 0o755);
  return { ...systemPrograms, bubblewrap, nsenter };
}
