/** Interrupts a command when no descriptor is left, and prints how it ended and whether it lives. */
import { systemProcesses } from "../../../src/lib/process-identity.ts";
import { fewDescriptors } from "../few-descriptors.ts";
import { openShell } from "../shell-fixture.ts";

await using fixture = await openShell();
const stop = new AbortController();
const command = await fixture.runner.start({
  name: "call-1",
  // Deaf to being asked: it must be made to end.
  command: "trap '' TERM; while :; do sleep 1; done",
  timeoutMs: undefined,
  signal: stop.signal,
  onOutput: () => {},
});
if (command.type === "not-started") throw new Error(command.problem);

const taken = fewDescriptors(0);
stop.abort();
const { ending } = await command.ended;
taken[Symbol.dispose]();

const isAlive = (await systemProcesses.startOf(command.pid)) !== undefined;
console.log(JSON.stringify({ ending, isAlive }));
