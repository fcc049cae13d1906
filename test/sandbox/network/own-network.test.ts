import { execFile, execFileSync } from "node:child_process";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { OwnNetwork } from "../../../src/sandbox/network/own-network.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { noSandbox } from "../../support/no-sandbox.ts";

/** Makes a program run as an ordinary user, whoever runs the tests. */
const asNobody = "setpriv --reuid=65534 --regid=65534 --clear-groups";
const mayChangeUser = process.getuid?.() === 0;

/** Programs like those of the system; root's are run by an ordinary user. */
async function ordinaryPrograms(directory: string) {
  if (!mayChangeUser) return { bubblewrap: "/usr/bin/bwrap", nsenter: "/usr/bin/nsenter" };
  const bubblewrap = join(directory, "bwrap");
  const nsenter = join(directory, "nsenter");
  await writeFile(bubblewrap, `#!/bin/bash\nexec ${asNobody} /usr/bin/bwrap "$@"\n`);
  // That user may not look into this process, so its descriptors are opened before.
  const places = "--user=/proc/self/fd/8 --net=/proc/self/fd/9";
  const enter = `#!/bin/bash\nexec 8<"\${1#--user=}" 9<"\${2#--net=}"\nshift 2\nexec ${asNobody} /usr/bin/nsenter ${places} "$@"\n`;
  await writeFile(nsenter, enter);
  for (const program of [bubblewrap, nsenter]) await chmod(program, 0o700);
  return { bubblewrap, nsenter };
}

test.skipIf(noSandbox)(
  "an ordinary user enters the network, and bubblewrap confines further in it",
  async () => {
    await using directory = await temporaryDirectory();
    const programs = await ordinaryPrograms(directory.path);

    using network = await OwnNetwork.open(programs);

    const [program, ...entering] = network.entering;
    const confining = ["/usr/bin/bwrap", "--unshare-user", "--ro-bind", "/", "/", "--dev", "/dev"];
    const argv = [...entering, ...confining, "--cap-drop", "ALL", "cat", "/proc/net/dev"];
    const interfaces = execFileSync(program, argv, { encoding: "utf8" });
    expect(interfaces.match(/\S+(?=:)/g)).toEqual(["lo"]);
  },
);

test.skipIf(noSandbox)(
  "an ordinary user reaches a server in it that this process serves",
  async () => {
    await using directory = await temporaryDirectory();
    const programs = await ordinaryPrograms(directory.path);

    using network = await OwnNetwork.open(programs, (socket) => socket.end("from outside\n"));

    const [program, ...entering] = network.entering;
    const argv = [...entering, "bash", "-c", "cat </dev/tcp/127.0.0.1/3128"];
    const { stdout } = await promisify(execFile)(program, argv);
    expect(stdout).toBe("from outside\n");
  },
);
