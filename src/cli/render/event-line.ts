import type { AgentEvent } from "../../protocol/events.ts";
import { oneLine } from "./one-line.ts";

/** An event as one line of progress, or undefined for what would only be noise. */
export function eventLine(event: AgentEvent): string | undefined {
  switch (event.type) {
    case "tool-call":
      return oneLine(`● ${event.name} ${describeInput(event.input)}`, width);
    case "tool-result":
      return event.is_error ? oneLine(`  ✗ ${event.output}`, width) : undefined;
    case "model-wait":
      return oneLine(`… waiting ${Math.ceil(event.delay_ms / 1000)} s: ${event.reason}`, width);
    case "reply-restart":
      return oneLine(`… again: ${event.reason}`, width);
    case "compaction-start":
      return "… summarizing the conversation to make room";
    case "warning":
      return oneLine(`warning: ${event.message}`, width);
    default:
      return undefined;
  }
}

const width = 160;

/** The argument that says most about a call: what it runs or where it works. */
function describeInput(input: unknown): string {
  if (typeof input !== "object" || input === null) return String(input);
  const [first] = ["command", "path", "pattern"].flatMap((key) =>
    key in input ? [Reflect.get(input, key)] : [],
  );
  return typeof first === "string" ? first : JSON.stringify(input);
}
