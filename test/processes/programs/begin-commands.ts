/**
 * Runs one command as a call and one in the background, and prints what it has started:
 * `begin-commands.ts <owner> stay|exit|kill-all`.
 */
import { openShell } from "../shell-fixture.ts";

const [owner = "", way] = process.argv.slice(2);
const fixture = await openShell({ owner });
const job = await fixture.background.start({ command: "sleep 1000", timeoutMs: undefined });
if ("problem" in job) throw new Error(job.problem);
const command = await fixture.shell.start({
  name: "call-1",
  // It says so only when the child has left the group.
  command: "setsid sleep 1000 & until [ $(ps -o pgid= $!) = $! ]; do :; done; echo $!; wait",
  timeoutMs: undefined,
  signal: new AbortController().signal,
  onOutput: (text) => begun(Number(text)),
});
if (command.type === "not-started") throw new Error(command.problem);
const pids = { job: job.pid, shell: command.pid };

function begun(escaped: number): void {
  process.stdout.write(`${JSON.stringify({ ...pids, escaped })}\n`, () => {
    if (way === "stay") return;
    if (way === "kill-all") fixture.running.killAll();
    process.exit();
  });
}
