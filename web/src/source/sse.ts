/** One event of a stream. `event` is empty if the stream gives it no name. */
export interface SentEvent {
  event: string;
  data: string;
  /** The last id in the stream, of this event or an earlier one. */
  id: string;
}

/**
 * Parses server-sent events from bytes, which may be split anywhere. An incomplete event at the end
 * is dropped.
 */
export class SentEventParser {
  readonly #decoder = new TextDecoder();
  /** The beginning of a line whose end has not arrived. */
  #line = "";
  /** A line feed after a carriage return belongs to the same line end. */
  #endedInReturn = false;
  #event = "";
  #data: string[] = [];
  #id = "";

  /** The events that `bytes` completes. */
  push(bytes: Uint8Array): SentEvent[] {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (text === "") return [];
    const rest = this.#endedInReturn && text.startsWith("\n") ? text.slice(1) : text;
    this.#endedInReturn = text.endsWith("\r");
    const [first = "", ...others] = rest.split(/\r\n|\r|\n/);
    const lines = [this.#line + first, ...others];
    this.#line = lines.pop() ?? "";
    return lines.flatMap((line) => this.#take(line));
  }

  #take(line: string): SentEvent[] {
    if (line === "") return this.#complete();
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#event = value;
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return [];
  }

  #complete(): SentEvent[] {
    const found = { event: this.#event, data: this.#data.join("\n"), id: this.#id };
    const hasData = this.#data.length > 0;
    this.#event = "";
    this.#data = [];
    return hasData ? [found] : [];
  }
}
