import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { HookSource } from "../../../src/hooks/command-hooks.ts";
import { parseJson } from "../../../src/lib/json.ts";
import {
  type CommandHook,
  HookEvent,
  type HookGroup,
} from "../../../src/protocol/hook-configuration.ts";
import { HookInput } from "../../../src/protocol/hook-input.ts";

/** Hooks that write down what they are given, one for each event. */
export function writingHooks(): HookSource {
  const write = 'mkdir -p "$TROUPE_PROJECT_DIR/seen" && cat >"$TROUPE_PROJECT_DIR/seen/';
  const groups = HookEvent.options.map((event) => [
    event,
    [{ hooks: [{ type: "command", command: `${write}${event}.$$"` }] }],
  ]);
  return { origin: "the test", hooks: Object.fromEntries(groups) };
}

/** What hooks were given, checked by its schema. */
export async function seenIn(root: string): Promise<HookInput[]> {
  const directory = join(root, "seen");
  await mkdir(directory, { recursive: true });
  const names = await readdir(directory);
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(directory, name), "utf8");
      return parseJson(text, HookInput, name);
    }),
  );
}

/** What hooks of one event were given. */
export async function seenOf<Event extends HookEvent>(
  root: string,
  event: Event,
): Promise<Extract<HookInput, { hook_event_name: Event }>[]> {
  const isOf = (input: HookInput): input is Extract<HookInput, { hook_event_name: Event }> =>
    input.hook_event_name === event;
  return (await seenIn(root)).filter(isOf);
}

/** One hook of the person. */
export function hook(
  event: HookEvent,
  given: string | (Partial<CommandHook> & Pick<HookGroup, "matcher">),
): HookSource {
  const { matcher, ...stated } = typeof given === "string" ? { command: given } : given;
  const command: CommandHook = { type: "command", command: "true", ...stated };
  return { origin: "the test", hooks: { [event]: [{ matcher, hooks: [command] }] } };
}
