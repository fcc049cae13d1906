import { slashCommands } from "../talk/slash-commands.ts";
import { type CompletableCommand, complete, type LineCompletion } from "./completion.ts";
import { Editor } from "./editor.ts";
import { HistorySearch } from "./history-search.ts";
import type { InputHistory } from "./input-history.ts";
import type { Key, NamedKey } from "./keys.ts";
import type { PastedImage } from "./pasted-image.ts";

/** The effects of keys outside of the line. */
interface LineActions {
  /** `images` are the paths of the images in the text. */
  submit(text: string, images: readonly string[]): void;
  /** Returns false if there is nothing to interrupt. */
  interrupt(): boolean;
  nextView(step: 1 | -1): void;
  /** Changes the lead's permission mode to the next one. */
  nextMode(): void;
  /** Shows thoughts whole, or only their length. */
  turnThoughts(): void;
  /** Takes the newest line that waits back into this one. Returns false if none waits. */
  takeBack(): boolean;
  /** Opens what was last shown only in part. */
  openLast(): void;
  /** Stops the program, as a shell expects of Ctrl-Z. */
  suspend(): void;
  /** Draws the screen again. */
  redraw(): void;
  /** Has the person edit the text in another program, which gets the terminal. */
  editOutside(text: string): void;
  leave(): void;
  note(text: string | undefined): void;
}

export interface InputLineOptions {
  history: InputHistory;
  act: LineActions;
  width(): number;
  members(): readonly string[];
  /** The ids of models that can be used. */
  models(): readonly string[];
  /** The commands that files define. */
  fileCommands(): readonly CompletableCommand[];
  /** The paths that can be mentioned. */
  files(): readonly string[];
  /** The image that a pasted text is the path of, if it is one. */
  imageAt(pasted: string): PastedImage | undefined;
  /** The member that Escape would interrupt while a question is open, if any. */
  interruptedAtQuestion(): string | undefined;
  schedule(delayMs: number, run: () => void): () => void;
}

/** A temporary use of the line for something other than a message. The draft is kept. */
export interface Detour {
  purpose(): string;
  finish(text: string): void;
  cancel(): void;
}

/** How long a second Ctrl-C, or Escape at a question, counts as the second. */
const againMs = 2_000;

/** The input line, and the effect of every key. */
export class InputLine {
  readonly #options: InputLineOptions;
  #editor = Editor.empty;
  #completion: (LineCompletion & { chosen: number }) | undefined;
  #detour: (Detour & { draft: Editor }) | undefined;
  #search: HistorySearch | undefined;
  #forgetLeaving: (() => void) | undefined;
  #forgetEscape: (() => void) | undefined;

  constructor(options: InputLineOptions) {
    this.#options = options;
  }

  get scene() {
    const candidates = this.#completion?.candidates ?? [];
    return {
      editor: this.#search?.editor ?? this.#editor,
      purpose: this.#search?.purpose ?? this.#detour?.purpose(),
      candidates,
    };
  }

  /** `isAlone` is false if other keys arrived together with this one, as with a paste. */
  press(key: Key, isAlone: boolean): void {
    if (this.#search && this.#pressInSearch(this.#search, key)) return;
    switch (key.type) {
      case "text":
        this.insert(key.text);
        break;
      case "paste":
        this.paste(key.text);
        break;
      case "key":
        this.#pressNamed(key, isAlone);
        break;
    }
  }

  /** Replaces the text, as after editing it elsewhere. Images and pastes that are still in it stay. */
  load(text: string): void {
    this.#edit(this.#editor.load(text, this.#editor.held));
  }

  /** Loads a text to edit, unless something else is being typed. Says what was done. */
  offer(text: string): string {
    const isFree = this.#editor.isEmpty && !this.#detour && !this.#search;
    if (isFree) this.#edit(this.#editor.load(text, this.#options.history.heldIn(text)));
    return isFree
      ? "Your prompt is in the line, to change it and send it again."
      : "Your line was not empty, so your prompt is not in it: Up or Ctrl-R finds it.";
  }

  /**
   * Puts a text back before what was typed since, or before the draft while the line has another use.
   * `sent` is the text as it was submitted.
   */
  putBack(text: string, sent = text): void {
    const { images, pastes } = this.#options.history.heldIn(sent);
    const before = (editor: Editor) =>
      editor.load([text, editor.value].filter((part) => part !== "").join("\n"), {
        images: [...images, ...editor.held.images],
        pastes: [...pastes, ...editor.held.pastes],
      });
    if (this.#detour) this.#detour = { ...this.#detour, draft: before(this.#detour.draft) };
    else this.#edit(before(this.#editor));
  }

  /** Completes again: what can be completed has changed. */
  refresh(): void {
    if (this.#completion?.chosen !== undefined && this.#completion.chosen !== -1) return;
    this.#edit(this.#editor);
  }

  /** Returns false for a key that the line has to take. */
  #pressInSearch(search: HistorySearch, key: Key): boolean {
    const step = search.press(key);
    if (step.type === "searching") return true;
    this.#search = undefined;
    this.#edit(step.editor);
    return step.type === "cancelled" || step.isTaken;
  }

  insert(text: string): void {
    this.#edit(this.#editor.insert(text));
  }

  /** Inserts pasted text, or the image whose path it is. */
  paste(text: string): void {
    const pasted = this.#takesImages ? this.#options.imageAt(text) : undefined;
    if (pasted?.type === "image") {
      this.#edit(this.#editor.pasteImage(pasted.path));
      return;
    }
    if (pasted) this.#options.act.note(`${pasted.problem}: its path stays text.`);
    this.#edit(this.#editor.paste(text));
  }

  /** Neither a command nor the reason of an answer has images. */
  get #takesImages(): boolean {
    return !this.#detour && !this.#editor.text.startsWith("/");
  }

  /** Starts a temporary use of the line, until Enter or Escape. */
  detour(detour: Detour): void {
    this.#detour = { ...detour, draft: this.#editor };
    this.#edit(Editor.empty);
  }

  #endDetour(): Detour | undefined {
    const detour = this.#detour;
    if (!detour) return undefined;
    this.#detour = undefined;
    this.#edit(detour.draft);
    return detour;
  }

  #pressNamed(key: NamedKey, isAlone: boolean): void {
    const { name, ctrl, alt, shift } = key;
    if (name !== "tab") this.#completion = undefined;
    // A paste does not end a detour, because that would decide something.
    const isWithin = alt || shift || this.#isContinued() || (this.#detour && !isAlone);
    if (name === "enter" && isWithin) this.#newline();
    else if (name === "enter") this.#enter();
    else if (name === "tab") this.#tab(shift ? -1 : 1);
    else if (name === "escape") this.#escape();
    else if (ctrl) this.#pressControl(name);
    else if (alt && (name === "up" || name === "down"))
      this.#options.act.nextView(name === "up" ? -1 : 1);
    else if (name === "up") this.#up();
    else if (name === "down") this.#down();
    else if (name === "space") this.insert(" ");
    else {
      const action = (alt && actionOf(`alt-${name}`)) || actionOf(name);
      this.#edit(action ? this.#editor[action]() : this.#editor);
    }
  }

  #pressControl(name: string): void {
    const action = actionOf(`ctrl-${name}`);
    if (action) this.#edit(this.#editor[action]());
    else if (name === "j") this.#newline();
    else if (name === "p") this.#older();
    else if (name === "n") this.#newer();
    else if (name === "c") this.#controlC();
    else if (name === "d") this.#controlD();
    else if (name === "t") this.#options.act.turnThoughts();
    else if (name === "o") this.#options.act.openLast();
    else if (name === "z") this.#options.act.suspend();
    else if (name === "l") this.#options.act.redraw();
    else if (name === "g") this.#options.act.editOutside(this.#editor.value);
    else if (name === "r") this.#search = new HistorySearch(this.#options.history, this.#editor);
  }

  #enter(): void {
    const { value: text, held } = this.#editor;
    const detour = this.#endDetour();
    if (detour) {
      detour.finish(text);
      return;
    }
    this.#editor = Editor.empty;
    if (text.trim() === "") return;
    this.#options.history.add(text, held);
    this.#options.act.submit(text, held.images);
  }

  /** A backslash before Enter continues on the next line, for terminals without Shift-Enter. */
  #isContinued(): boolean {
    const { text, cursorOffset } = this.#editor;
    return text[cursorOffset - 1] === "\\";
  }

  #newline(): void {
    const editor = this.#isContinued() ? this.#editor.backspace() : this.#editor;
    this.#edit(editor.newline());
  }

  #tab(step: 1 | -1): void {
    const open = this.#completion ?? this.#complete();
    if (!open) {
      if (step === -1) this.#options.act.nextMode();
      else if (this.#editor.isEmpty) this.#options.act.nextView(1);
      return;
    }
    const { from, to, candidates, chosen } = open;
    const next = (chosen + step + candidates.length) % candidates.length;
    const word = candidates[next] ?? "";
    this.#editor = this.#editor.replace(from, to, word);
    const isOnly = candidates.length === 1;
    if (isOnly) this.#editor = this.#editor.insert(" ");
    this.#completion = isOnly ? undefined : { ...open, to: from + word.length, chosen: next };
  }

  #complete(): (LineCompletion & { chosen: number }) | undefined {
    const members = this.#options.members();
    const { text, cursorOffset } = this.#editor;
    const completion = complete(text, cursorOffset, {
      commands: () => [...slashCommands, ...this.#options.fileCommands()],
      members,
      models: () => this.#options.models(),
      files: () => this.#options.files(),
    });
    if (!completion || completion.candidates.length === 0) return undefined;
    return { ...completion, chosen: -1 };
  }

  #escape(): void {
    const { act, schedule, interruptedAtQuestion } = this.#options;
    const detour = this.#endDetour();
    if (detour) {
      detour.cancel();
      return;
    }
    const name = interruptedAtQuestion();
    if (name !== undefined && !this.#forgetEscape) {
      act.note(`Ctrl-X answers the question. Esc again interrupts ${name}.`);
      this.#forgetEscape = schedule(againMs, () => {
        this.#forgetEscape = undefined;
        act.note(undefined);
      });
      return;
    }
    this.#forgetEscape?.();
    this.#forgetEscape = undefined;
    if (!act.interrupt()) this.#edit(this.#editor.clear());
  }

  #up(): void {
    if (this.#editor.isEmpty && !this.#detour && this.#options.act.takeBack()) return;
    const above = this.#editor.up(this.#textWidth);
    if (above === this.#editor) this.#older();
    else this.#editor = above;
  }

  #down(): void {
    const below = this.#editor.down(this.#textWidth);
    if (below === this.#editor) this.#newer();
    else this.#editor = below;
  }

  #older(): void {
    const { value, held } = this.#editor;
    const text = this.#options.history.older(value, held);
    if (text !== undefined) this.#editor = this.#recalled(text);
  }

  #newer(): void {
    const text = this.#options.history.newer();
    if (text !== undefined) this.#editor = this.#recalled(text);
  }

  #recalled(text: string): Editor {
    return Editor.of(text, this.#options.history.heldIn(text));
  }

  get #textWidth(): number {
    return Math.max(2, this.#options.width() - 2);
  }

  #controlC(): void {
    const { act, schedule } = this.#options;
    const detour = this.#endDetour();
    if (detour) {
      detour.cancel();
      return;
    }
    if (!this.#editor.isEmpty) {
      this.#edit(this.#editor.clear());
      return;
    }
    if (this.#forgetLeaving) {
      act.leave();
      return;
    }
    const interrupted = act.interrupt();
    act.note(`${interrupted ? "Interrupted. " : ""}Ctrl-C again quits.`);
    this.#forgetLeaving = schedule(againMs, () => {
      this.#forgetLeaving = undefined;
      act.note(undefined);
    });
  }

  #controlD(): void {
    if (this.#editor.isEmpty) this.#options.act.leave();
    else this.#edit(this.#editor.delete());
  }

  #edit(editor: Editor): void {
    this.#editor = editor;
    const completion = editor.isEmpty ? undefined : this.#complete();
    this.#completion = completion;
  }
}

/** The keys that only edit the text, each after its action. */
const editorKeys = [
  ["left", "left", "ctrl-b"],
  ["right", "right", "ctrl-f"],
  ["wordLeft", "ctrl-left", "alt-left", "alt-b"],
  ["wordRight", "ctrl-right", "alt-right", "alt-f"],
  ["home", "home", "ctrl-a"],
  ["end", "end", "ctrl-e"],
  ["start", "ctrl-home"],
  ["finish", "ctrl-end"],
  ["backspace", "backspace", "ctrl-h"],
  ["delete", "delete"],
  ["killWord", "ctrl-w", "alt-backspace"],
  ["killWordAfter", "alt-d", "alt-delete"],
  ["killToEnd", "ctrl-k"],
  ["killToStart", "ctrl-u"],
  ["yank", "ctrl-y"],
  ["undo", "ctrl-_", "ctrl-/", "ctrl--"],
  ["redo", "alt-/"],
] as const;

function actionOf(key: string): (typeof editorKeys)[number][0] | undefined {
  return editorKeys.find(([, ...keys]) => keys.some((each) => each === key))?.[0];
}
