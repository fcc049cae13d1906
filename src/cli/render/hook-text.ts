import type { HookRunEvent } from "../../protocol/events.ts";

/** What a hook did, in a line; undefined for one that has passed and says nothing, which is no news. */
export function hookText({ event, command, outcome, message }: HookRunEvent): string | undefined {
  const hook = `hook ${event} (${command})`;
  const said = message ? `: ${message}` : "";
  switch (outcome) {
    case "passed":
      return message ? `${hook}${said}` : undefined;
    case "blocked":
      return `${hook} refuses${said}`;
    case "failed":
      return `${hook} failed${said}`;
  }
}
