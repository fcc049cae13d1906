/**
 * Runs a command that prints much, and prints by how many megabytes this process had grown at its
 * largest: `big-output.ts capped|collected <command>`.
 */
import { spawn } from "node:child_process";
import { openShell } from "../shell-fixture.ts";

const [way, command = ""] = process.argv.slice(2);
await using fixture = await openShell();
await fixture.run("echo warm");

const before = process.memoryUsage.rss();
let largest = before;
const sampling = setInterval(() => {
  largest = Math.max(largest, process.memoryUsage.rss());
}, 10);
if (way === "capped") await fixture.run(command);
else await collect();
clearInterval(sampling);
console.log(Math.round((largest - before) / 2 ** 20));

/** What a program without care does. */
async function collect(): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of spawn("bash", ["-c", command]).stdout) chunks.push(chunk);
  largest = Math.max(largest, process.memoryUsage.rss());
}
