import { Secrets } from "../../lib/secrets.ts";
import { environmentSecrets } from "../../model/environment-secrets.ts";
import { lead } from "../../protocol/ids.ts";
import { oneLine } from "../render/one-line.ts";
import { paintFor } from "../render/paint.ts";
import type { ResolvedSettings } from "../settings/resolve-settings.ts";
import type { Talk } from "../talk/talk.ts";
import { InputHistory } from "./input-history.ts";
import { pastItems } from "./past-items.ts";
import { Screen, type ScreenOptions } from "./screen.ts";

interface OpenScreenOptions
  extends Pick<ScreenOptions, "talk" | "monotonicMs" | "prompt" | "model"> {
  settings: Pick<ResolvedSettings, "notify" | "env" | "providers" | "models">;
  /** What the person should know at the start, such as which model was chosen for them. */
  notes: readonly string[];
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
    model: options.model,
    listModels: () => readyModels(settings),
    notify: settings.notify,
    windowOf: windowsOf(settings),
    past: await pastItems(await talk.io.viewTeam(talk.teamDir), lead, {
      ...{ most: repeated, openedAt: talk.openedAt },
    }),
    greeting: await greeting(talk, {
      workspace,
      notes: options.notes,
      hasColors: terminal.hasColors,
    }),
    monotonicMs,
  });
}

/** The models that can be used: those of providers whose key is set, and the rehearsal model. */
async function readyModels(settings: OpenScreenOptions["settings"]): Promise<string[]> {
  const { allModels } = await import("../../model/list-models.ts");
  const models = await allModels(settings);
  return models
    .filter(({ id, isKnown, isReady }) => isReady && (isKnown || id === "rehearsal"))
    .map(({ id }) => id);
}

/** Looks each model up once: the table of all of them is big. */
function windowsOf({
  models,
  providers,
}: OpenScreenOptions["settings"]): ScreenOptions["windowOf"] {
  const known = new Map<string, number | undefined>();
  return async (model) => {
    if (known.has(model)) return known.get(model);
    const { sharedWindow } = await import("../../model/model-facts.ts");
    const window = await sharedWindow(model, { models, providers });
    known.set(model, window);
    return window;
  };
}

interface GreetingOptions extends Pick<OpenScreenOptions, "workspace" | "notes"> {
  hasColors: boolean;
}

async function greeting(
  talk: Talk,
  { workspace, notes, hasColors }: GreetingOptions,
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
    ...notes.map((note) => paint.dim(oneLine(note))),
    ...(alive.length > 0 ? [paint.dim(`The team continues: ${names}.`)] : []),
  ];
}

/** How many items of the lead are shown at the start. */
const repeated = 12;
