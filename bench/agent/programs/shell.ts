import { spawn } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";
import { serve } from "../../lib/serve.ts";

/** The floor: a bare Node process that starts the same command and waits for it. */
serve(z.object({ rounds: z.int() }), async ({ rounds }) => {
  const spawnMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now();
    const child = spawn("bash", ["-c", "echo hi"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    await once(child, "close");
    spawnMs.push(performance.now() - startMs);
  }
  return { spawnMs };
});
