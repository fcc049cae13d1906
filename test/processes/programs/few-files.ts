/**
 * Runs a command with 0, 1, 2 … descriptors left, and one more when all are free again. Prints what
 * became of them, and how many descriptors were lost on the way.
 */
import { closeSync, openSync, readdirSync } from "node:fs";
import { hasErrno } from "../../../src/errors.ts";
import { bashTool } from "../../../src/tools/bash.ts";
import { callTool, openShell } from "../shell-fixture.ts";

await run("echo warm", Infinity);
const openBefore = readdirSync("/dev/fd").length;

const outputs: string[] = [];
for (let left = 0; left < 40; left++) outputs.push(await run("echo ran", left));
outputs.push(await run("echo again", Infinity));

const lost = readdirSync("/dev/fd").length - openBefore;
console.log(JSON.stringify({ outputs, lost }));

async function run(command: string, left: number): Promise<string> {
  await using fixture = await openShell();
  const taken = takeAll();
  for (const descriptor of taken.splice(0, left)) closeSync(descriptor);
  const { text } = await callTool(bashTool(fixture), { command });
  for (const descriptor of taken) closeSync(descriptor);
  return text;
}

/** Opens files until there can be no more. */
function takeAll(): number[] {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch (error) {
    if (!hasErrno(error, "EMFILE")) throw error;
    return taken;
  }
}
