import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { oneLine } from "../../src/cli/render/one-line.ts";
import type { Stage } from "./stage.ts";

/** Whether the interactive screen can be measured here. */
export type Screen = { type: "there" } | { type: "missing"; reason: string };

/** The prompt of the screen. */
const promptMark = "›";

/** Longer than any start takes. */
const patienceMs = 20_000;

/** Tries it once. It needs a terminal, which util-linux's `script` creates. */
export async function findScreen(stage: Stage): Promise<Screen> {
  const { error, stdout } = spawnSync("script", ["--version"], { encoding: "utf8" });
  if (error || !stdout.includes("util-linux")) {
    return {
      type: "missing",
      reason: "there is no `script` of util-linux to make a terminal with",
    };
  }
  const { isReady, output } = await untilReady(stage);
  if (isReady) return { type: "there" };
  return {
    type: "missing",
    reason: `\`troupe\` shows no prompt, but ${oneLine(output.slice(0, 80))}`,
  };
}

/** From the start to the prompt. */
export async function screenReadyMs(stage: Stage): Promise<number> {
  const { isReady, tookMs } = await untilReady(stage);
  if (!isReady) throw new Error("The screen has shown no prompt");
  return tookMs;
}

async function untilReady(stage: Stage) {
  // `script` creates a terminal without a size, which has no room for a prompt.
  const command = `stty rows 24 cols 80; exec '${process.execPath}' '${stage.program}'`;
  const begunMs = performance.now();
  const terminal = await stage.start("script", ["-qec", command, "/dev/null"], { stdio: "pipe" });
  const exit = once(terminal, "exit");
  const patience = setTimeout(() => terminal.kill(), patienceMs);
  let output = "";
  terminal.stdout?.setEncoding("utf8");
  const ready = new Promise<void>((resolve) => {
    terminal.stdout?.on("data", (text: string) => {
      output += text;
      if (output.includes(promptMark)) resolve();
    });
  });
  await Promise.race([ready, exit]);
  const tookMs = performance.now() - begunMs;
  // This closes the terminal, and the program exits.
  terminal.kill();
  clearTimeout(patience);
  await exit;
  return { isReady: output.includes(promptMark), tookMs, output };
}
