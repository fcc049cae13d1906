import { spawn } from "node:child_process";
import { resolve } from "node:path";
import type { SandboxMode } from "../../src/protocol/sandbox-mode.ts";
import { ended } from "../start/stage.ts";
import { ProviderFigures, ProviderUrl } from "./contract.ts";
import type { Workbench } from "./workbench.ts";

/** `troupe run` of the built package, on a provider in another process. Returns the gap of its sleepers. */
export async function playProgram(
  workbench: Workbench,
  { name, teammates, sandbox }: { name: string; teammates: number; sandbox: SandboxMode },
): Promise<number> {
  const cwd = await workbench.directory(name);
  await using provider = await workbench.start("provider", { scene: "sleepers", teammates });
  const { url } = await provider.ask({ question: "url" }, ProviderUrl);
  const model = ["--model", "anthropic/instant"];
  const argv = ["run", "Go.", ...model, "--allow", "bash(sleep:*)", "--sandbox", sandbox];
  await ended(
    spawn(process.execPath, [resolve("dist/cli/main.js"), ...argv], {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: cwd,
        // As for a user: files of the first start are used by the next.
        XDG_CACHE_HOME: await workbench.directory("cache"),
        ANTHROPIC_API_KEY: "sk-of-a-benchmark",
        ANTHROPIC_BASE_URL: url,
      },
      stdio: "ignore",
    }),
  );
  const { gapsMs } = await provider.ask({ question: "figures" }, ProviderFigures);
  const [gapMs] = gapsMs;
  if (gapMs === undefined) throw new Error("The lead was not shown all reports");
  return gapMs;
}
