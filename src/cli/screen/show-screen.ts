import { Secrets } from "../../lib/secrets.ts";
import type { Warnings } from "../commands/talk.ts";
import { environmentSecrets } from "../known-secrets.ts";
import { oneLine } from "../render/one-line.ts";
import { paintFor } from "../render/paint.ts";
import type { ResolvedSettings } from "../settings/resolve-settings.ts";
import type { Departed, Talk } from "../talk/talk.ts";
import { History } from "./history.ts";
import { Screen } from "./screen.ts";

interface Occasion {
  talk: Talk;
  settings: Pick<ResolvedSettings, "model" | "permission-mode" | "env">;
  workspace: string;
  historyPath: string;
}

interface Circumstances {
  warnings: Warnings;
  monotonicMs(): number;
  signal: AbortSignal;
}

/** Shows the screen, and resolves when the person leaves it. */
export async function showScreen(
  { talk, settings, workspace, historyPath }: Occasion,
  { warnings, monotonicMs, signal }: Circumstances,
): Promise<Departed> {
  const { terminal } = talk.io;
  const onWarning = (message: string) => warnings.tell(message);
  const secrets = new Secrets(environmentSecrets(settings));
  const mask = (text: string) => secrets.mask(text);
  const history = await History.open({ path: historyPath, mask, onWarning });
  const screen = new Screen({
    talk,
    terminal,
    history,
    about: `${settings.model ?? ""} · ${settings["permission-mode"]}`,
    greeting: await greeting(talk, { workspace, hasColors: terminal.hasColors }),
    monotonicMs,
  });
  const toldBefore = warnings.tell;
  warnings.tell = (message) => screen.warn(message);
  try {
    return await screen.show(signal);
  } finally {
    warnings.tell = toldBefore;
  }
}

async function greeting(
  talk: Talk,
  { workspace, hasColors }: { workspace: string; hasColors: boolean },
): Promise<string[]> {
  const paint = paintFor(hasColors);
  const { members } = await talk.team.roster();
  const alive = members.filter(({ status }) => status !== "shutdown");
  const names = alive.map(({ name, status }) => `${name} (${status})`).join(", ");
  const isContinued = (await talk.team.usage()).size > 0;
  const before = isContinued ? await talk.take(`/log --lines ${repeated}`) : undefined;
  return [
    `${paint.bold("troupe")} ${paint.dim(`in ${oneLine(workspace)}`)}`,
    ...(before?.type === "shown"
      ? before.lines.map((line) => paint.dim(line))
      : [paint.dim("Say what you want done. The lead does it, or spawns teammates for it.")]),
    ...(alive.length > 0 ? [paint.dim(`The team continues: ${names}.`)] : []),
  ];
}

/** How much of the talk so far is shown again. */
const repeated = 12;
