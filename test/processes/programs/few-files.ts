/**
 * Calls a tool with 0, 1, 2 … descriptors left, and once more when all are free again:
 * `few-files.ts bash|grep`. Prints what became of the calls, and how many descriptors were lost.
 */
import { readdirSync } from "node:fs";
import { callTool } from "../../../src/testing/call-tool.ts";
import { bashTool } from "../../../src/tools/bash.ts";
import { Scene } from "../../workspace/fixture.ts";
import { fewDescriptors } from "../few-descriptors.ts";
import { openShell } from "../shell-fixture.ts";

const call = process.argv[2] === "bash" ? runCommand : search;
await call(Infinity);
const openBefore = readdirSync("/dev/fd").length;

const outputs: string[] = [];
for (let left = 0; left < 40; left++) outputs.push(await call(left));
outputs.push(await call(Infinity));

const lost = readdirSync("/dev/fd").length - openBefore;
console.log(JSON.stringify({ outputs, lost }));

async function runCommand(left: number): Promise<string> {
  await using fixture = await openShell();
  using _ = fewDescriptors(left);
  return (await callTool(bashTool(fixture), { command: "echo ran" })).text;
}

async function search(left: number): Promise<string> {
  await using scene = await Scene.open({ file: "ran" });
  const member = await scene.member();
  using _ = fewDescriptors(left);
  return (await member.text("grep", { pattern: "ran" })).replace("file:1:", "");
}
