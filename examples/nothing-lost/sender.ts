/** Sends mail to alice, as another shell would with `troupe send`, until its parent says stop. */
import { setTimeout } from "node:timers/promises";
import { systemPlace, TeamObserver } from "troupe";

const [directory = "", name = ""] = process.argv.slice(2);
let isStopped = false;
process.once("message", () => {
  isStopped = true;
});

const team = await TeamObserver.open(systemPlace({ directory, onWarning: console.error }));
let sent = 0;
while (!isStopped) {
  await team.send("alice", `message ${sent + 1} of ${name}`);
  sent++;
  await setTimeout(5);
}
process.send?.(sent);
