/**
 * A process that wants to be the lead: `contender.ts <directory> file|naive`.
 *
 * It says `ready`, waits for a line, tries, and says `won` or `refused <code>`. Then it stays until
 * it is killed. The naive fence checks and then writes; between the two it says `checked` and waits
 * for another line, which holds open the window that a race would have to hit.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { TeamError } from "../../src/errors.ts";
import { FileFence } from "../../src/fence/file-fence.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemProcesses } from "../../src/lib/process-identity.ts";

const [directory = "", kind = ""] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

console.log("ready");
await lines.next();
console.log(await (kind === "naive" ? contendNaively() : contend()));
await lines.next();

async function contend(): Promise<string> {
  try {
    await new FileFence({
      directory,
      clock: systemClock,
      processes: systemProcesses,
      onNotice: console.error,
    }).acquire();
    return "won";
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return `refused ${error.code}`;
  }
}

async function contendNaively(): Promise<string> {
  const path = join(directory, "lead.json");
  if (existsSync(path)) return "refused lead-alive";
  console.log("checked");
  await lines.next();
  writeFileSync(path, String(process.pid));
  return "won";
}
