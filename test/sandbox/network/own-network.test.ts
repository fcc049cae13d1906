import { execFile, execFileSync } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { OwnNetwork } from "../../../src/sandbox/network/own-network.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { noSandbox } from "../../support/no-sandbox.ts";
import { ordinaryPrograms } from "../../support/ordinary-programs.ts";

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
