import { spawn } from "node:child_process";
import { once } from "node:events";
import { z } from "zod";
import { serve } from "../../lib/serve.ts";

/** The floor: a bare process of Node's that starts the same commands at once and waits for all. */
serve(z.object({ commands: z.int() }), async ({ commands }) => {
  const startMs = performance.now();
  const children = Array.from({ length: commands }, () =>
    once(spawn("bash", ["-c", "sleep 1"], { stdio: "ignore" }), "close"),
  );
  await Promise.all(children);
  return { tookMs: performance.now() - startMs };
});
