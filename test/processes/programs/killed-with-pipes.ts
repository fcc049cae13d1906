/** Is killed when its pipes are made and before it knows of them: `killed-with-pipes.ts <directory>`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Pipes } from "../../../src/processes/pipes.ts";
import { Programs } from "../../../src/processes/programs.ts";

const [directory = ""] = process.argv.slice(2);
const path = process.env.PATH;
const script = [
  "#!/bin/sh",
  `PATH=${path}`,
  'mkfifo "$@"',
  `ls ${directory} > ${join(directory, "made")}`,
  `kill -9 ${process.pid}`,
];
writeFileSync(join(directory, "mkfifo"), `${script.join("\n")}\n`, { mode: 0o755 });

const programs = new Programs({ path: `${directory}:${path}`, workspace: "/nowhere" });
await new Pipes({ environment: { TMPDIR: directory }, programs }).take();
