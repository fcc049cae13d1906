/**
 * Runs commands in a sandbox until it is killed, each with a daemon, in the workspace of the first argument: `confined-command.ts
 * <workspace> <text>`. It prints a line once they run. All their processes have the text among their arguments.
 */
import { mkdir } from "node:fs/promises";
import { Bubblewrap } from "../../../src/sandbox/bubblewrap.ts";
import { openShell } from "../../processes/shell-fixture.ts";
import { systemPrograms } from "../../support/ordinary-programs.ts";

const [workspace = "", word = ""] = process.argv.slice(2);
const temporary = `${workspace}-tmp`;
await mkdir(temporary, { recursive: true });
const sandbox = new Bubblewrap({
  ...{ programs: systemPrograms, disablesNamespaces: true },
  confinement: {
    ...{ writable: [workspace], readable: [], hidden: [], temporary },
    ...{ home: "/nonexistent", network: "off" as const },
    protected: async () => [],
  },
});
const shell = await openShell({ cwd: workspace, sandbox: async () => sandbox });
const command = `setsid -f bash -c 'sleep 1000; : ${word}'; echo running; sleep 1000; : ${word}`;
let begun = 0;
for (let count = 0; count < 3; count++) {
  await shell.runner.start({
    ...{ command, name: `call-${count}`, timeoutMs: undefined },
    signal: new AbortController().signal,
    onOutput() {
      begun++;
      if (begun === 3) process.stdout.write("running\n");
    },
  });
}
