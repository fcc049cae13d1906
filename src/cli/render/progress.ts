import type { AgentEvent } from "../../protocol/events.ts";
import { oneLine } from "./one-line.ts";

const width = 160;

/** What happens in a run as lines for a person who waits for its result. */
export class Progress {
  #text = "";

  lines(event: AgentEvent): string[] {
    switch (event.type) {
      case "text-delta":
        this.#text += event.text;
        return [];
      case "reply-restart":
      case "turn-end":
        // What was said without calling a tool is the result, and printed as such.
        this.#text = "";
        return [];
      case "tool-call":
        return [...this.#said(), oneLine(`● ${event.name} ${describeInput(event.input)}`, width)];
      case "tool-result":
        return event.is_error ? [`  ${oneLine(`✗ ${event.output}`, width)}`] : [];
      case "model-wait":
        return [oneLine(`… waiting ${Math.ceil(event.delay_ms / 1000)} s: ${event.reason}`, width)];
      case "compaction-start":
        return ["… summarizing the conversation to make room"];
      case "warning":
        return [oneLine(`warning: ${event.message}`)];
      default:
        return [];
    }
  }

  #said(): string[] {
    const text = this.#text.trim();
    this.#text = "";
    return text === "" ? [] : [oneLine(text)];
  }
}

/** The argument that says most about a call: what it runs or where it works. */
function describeInput(input: unknown): string {
  if (typeof input !== "object" || input === null) return String(input);
  const [first] = ["command", "path", "pattern"].flatMap((key) =>
    key in input ? [Reflect.get(input, key)] : [],
  );
  return typeof first === "string" ? first : JSON.stringify(input);
}
