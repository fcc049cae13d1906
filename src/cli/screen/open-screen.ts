import { Secrets } from "../../lib/secrets.ts";
import { environmentSecrets } from "../../model/environment-secrets.ts";
import { lead } from "../../protocol/ids.ts";
import { oneLine } from "../render/one-line.ts";
import { paintFor } from "../render/paint.ts";
import { modelLine, type ResolvedSettings } from "../settings/resolve-settings.ts";
import type { Talk } from "../talk/talk.ts";
import { InputHistory } from "./input-history.ts";
import { pastItems } from "./past-items.ts";
import { Screen, type ScreenOptions } from "./screen.ts";

interface OpenScreenOptions extends Pick<ScreenOptions, "talk" | "monotonicMs" | "prompt"> {
  settings: Pick<ResolvedSettings, "model" | "notify" | "env" | "providers" | "origins">;
  workspace: string;
  historyPath: string;
  onWarning(message: string): void;
}

/** Makes the screen of a talk, with its history and its greeting. */
export async function openScreen(options: OpenScreenOptions): Promise<Screen> {
  const { talk, settings, workspace, historyPath, onWarning, monotonicMs } = options;
  const { terminal } = talk.io;
  const secrets = new Secrets(environmentSecrets(settings));
  const mask = (text: string) => secrets.mask(text);
  return new Screen({
    talk,
    terminal,
    history: await InputHistory.open({ path: historyPath, mask, onWarning }),
    prompt: options.prompt,
    model: settings.model ?? "",
    notify: settings.notify,
    past: await pastItems(await talk.io.viewTeam(talk.teamDir), lead, repeated),
    greeting: await greeting(talk, {
      workspace,
      chosen: modelLine(settings),
      hasColors: terminal.hasColors,
    }),
    monotonicMs,
  });
}

interface GreetingOptions {
  workspace: string;
  /** The note about a model that was chosen for the person. */
  chosen: string | undefined;
  hasColors: boolean;
}

async function greeting(
  talk: Talk,
  { workspace, chosen, hasColors }: GreetingOptions,
): Promise<string[]> {
  const paint = paintFor(hasColors);
  const { members } = await talk.team.roster();
  const alive = members.filter(({ status }) => status !== "shutdown");
  const names = alive.map(({ name, status }) => `${name} (${status})`).join(", ");
  const isContinued = (await talk.team.usage()).size > 0;
  return [
    `${paint.bold("troupe")} ${paint.dim(`in ${oneLine(workspace)}`)}`,
    ...(isContinued
      ? []
      : [paint.dim("Say what you want done. The lead does it, or spawns teammates for it.")]),
    ...(chosen ? [paint.dim(chosen)] : []),
    ...(alive.length > 0 ? [paint.dim(`The team continues: ${names}.`)] : []),
  ];
}

/** How many items of the lead are shown at the start. */
const repeated = 12;
