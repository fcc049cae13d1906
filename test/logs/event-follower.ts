import { dirname } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { DirectoryWatch } from "../../src/lib/directory-watch.ts";
import { FileEventReader } from "../../src/logs/file-event-reader.ts";

/**
 * A process that follows the log named by its argument, prints the number of each event, and ends
 * after the event that says "stop".
 */
const [path = ""] = process.argv.slice(2);
const wakes = new DirectoryWatch({
  directory: dirname(path),
  clock: systemClock,
  onFallback: (reason) => console.error(reason),
});
const keepAlive = setInterval(() => {}, 1000);
console.log("ready");
const { signal } = new AbortController();
for await (const { seq, event } of new FileEventReader({ path, wakes }).follow({ signal })) {
  console.log(seq);
  if (event.type === "warning" && event.message === "stop") break;
}
clearInterval(keepAlive);
wakes[Symbol.dispose]();
