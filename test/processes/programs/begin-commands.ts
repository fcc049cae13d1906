/**
 * Runs one command as a call and one in the background, and prints what it has started:
 * `begin-commands.ts <team> <member> stay|exit|kill-all`.
 */
import { openShell } from "../shell-fixture.ts";

const [team = "", member = "", way] = process.argv.slice(2);
const fixture = await openShell({ owner: { team, member } });
const job = await fixture.background.start({
  command: "echo >begun; exec sleep 1000",
  timeoutMs: undefined,
});
if ("problem" in job) throw new Error(job.problem);
const command = await fixture.runner.start({
  name: "call-1",
  // A daemon in every respect: nothing it had from the command is left to it. Its pid is printed without a further process,
  // which could still be there when processes are counted.
  command:
    "env -i setsid -f bash -c 'echo $$ >pid; exec sleep 1000 </dev/null >/dev/null 2>&1'; until [ -s pid ] && [ -s begun ]; do sleep 0.01; done; read -r escaped <pid; echo $escaped; exec sleep 1000",
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
