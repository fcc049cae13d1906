import { Editor } from "./editor.ts";
import type { InputHistory } from "./input-history.ts";
import type { Key } from "./keys.ts";

/** What a key does to a search: it continues, or ends with a text in the line. */
type SearchStep =
  | { type: "searching" }
  | { type: "cancelled"; editor: Editor }
  /** `isTaken` is false for a key that the line still has to take. */
  | { type: "found"; editor: Editor; isTaken: boolean };

/** A search in the texts that the person has sent, newest first. */
export class HistorySearch {
  readonly #history: InputHistory;
  readonly #draft: Editor;
  #query = "";
  /** The index of the text that is shown. */
  #at: number | undefined;
  #found: string | undefined;
  #hasFailed = false;

  constructor(history: InputHistory, draft: Editor) {
    this.#history = history;
    this.#draft = draft;
  }

  get purpose(): string {
    return `${this.#hasFailed ? "not found" : "search"} “${this.#query}”`;
  }

  get editor(): Editor {
    const found = this.#found;
    return found === undefined ? this.#draft : Editor.of(found, this.#history.heldIn(found));
  }

  press(key: Key): SearchStep {
    if (key.type !== "key") return this.#extend(key.text);
    const { name, ctrl, alt } = key;
    if (name === "space" && !ctrl && !alt) return this.#extend(" ");
    if (ctrl && name === "r") return this.#look(this.#at);
    if (name === "backspace") return this.#shorten();
    const isCancelled = name === "escape" || (ctrl && (name === "c" || name === "g"));
    if (isCancelled) return { type: "cancelled", editor: this.#draft };
    // Enter takes the text into the line. It is sent by another Enter, after the person has read it.
    return { type: "found", editor: this.editor, isTaken: name === "enter" };
  }

  #extend(text: string): SearchStep {
    this.#query += text.replaceAll("\n", " ");
    // The text that is shown may fit the longer query too.
    return this.#look(this.#at === undefined ? undefined : this.#at + 1);
  }

  #shorten(): SearchStep {
    this.#query = this.#query.slice(0, -1);
    return this.#look(undefined);
  }

  #look(before: number | undefined): SearchStep {
    if (this.#query === "") {
      this.#at = undefined;
      this.#found = undefined;
      this.#hasFailed = false;
      return { type: "searching" };
    }
    const found = this.#history.find(this.#query, before);
    this.#hasFailed = found === undefined;
    if (found) {
      this.#at = found.index;
      this.#found = found.text;
    }
    return { type: "searching" };
  }
}
