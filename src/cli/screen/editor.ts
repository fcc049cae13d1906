import {
  lineEnd,
  lineStart,
  spacedWordStart,
  unitsWithin,
  wordEnd,
  wordStart,
} from "./editor-places.ts";
import {
  columnOf,
  type EditorLayout,
  layoutOf,
  rowOfCursor,
  rowsOf,
  unitAtColumn,
} from "./editor-rows.ts";
import {
  drawnText,
  type EditorUnit,
  type HeldParts,
  imageUnit,
  maxPastedLength,
  pastedUnits,
  recalledUnits,
  typedUnits,
  withNewlines,
} from "./editor-units.ts";

/** A state to return to by undo. */
interface UndoStep {
  units: readonly EditorUnit[];
  cursor: number;
}

interface EditorState extends UndoStep {
  past: readonly UndoStep[];
  /** What undo has left, until the next change; the nearest first. */
  future: readonly UndoStep[];
  killed: readonly EditorUnit[];
  /**
   * The last kind of change: continued typing is one undo step, continued killing adds to the
   * killed text.
   */
  last: "typing" | "erasing" | "killing" | "other";
  /** The column that moving up and down returns to. */
  aim: number | undefined;
}

const maxPast = 200;

/**
 * A text being typed, with its cursor. Immutable: every action returns a new editor, or the same
 * one if nothing changes (`editor.up(width) === editor` on the first row).
 */
export class Editor {
  static readonly empty = new Editor({
    units: [],
    cursor: 0,
    past: [],
    future: [],
    killed: [],
    last: "other",
    aim: undefined,
  });

  readonly #state: EditorState;

  private constructor(state: EditorState) {
    this.#state = state;
  }

  /** An editor with `value` in it and the cursor at its end. */
  static of(value: string, held?: HeldParts): Editor {
    return Editor.empty.load(value, held);
  }

  /** The text to submit, with pastes in full. */
  get value(): string {
    return this.#state.units.map(({ text }) => text).join("");
  }

  /** What the text has in it as single units. */
  get held(): HeldParts {
    const units = this.#state.units.filter(({ isPaste }) => isPaste);
    return {
      images: units.flatMap(({ image = [] }) => image),
      pastes: units.flatMap(({ image, text }) => (image === undefined ? text : [])),
    };
  }

  /**
   * The text as drawn, with a held paste as `[pasted …]`. `cursorOffset` and `replace` count in it.
   */
  get text(): string {
    return this.#state.units.map(drawnText).join("");
  }

  get cursorOffset(): number {
    return this.#state.units.slice(0, this.#state.cursor).map(drawnText).join("").length;
  }

  get isEmpty(): boolean {
    return this.#state.units.length === 0;
  }

  /**
   * Replaces everything by `value`, for example from the history, with those of the `held` parts that it
   * has in it. Can be undone.
   */
  load(value: string, held: HeldParts = { images: [], pastes: [] }): Editor {
    const units = recalledUnits(value, held);
    return this.#changed({ units, cursor: units.length }, "other");
  }

  /** Inserts typed text. A very long one counts as a paste. */
  insert(typed: string): Editor {
    if (typed === "") return this;
    if (typed.length > maxPastedLength) return this.paste(typed);
    const text = withNewlines(typed);
    const { units, cursor } = this.#state;
    // Typed text may form one grapheme with its neighbours.
    const before = units.slice(Math.max(0, cursor - 1), cursor).filter(isLetter);
    const after = units.slice(cursor, cursor + 1).filter(isLetter);
    const from = cursor - before.length;
    const end = textOf(before).length + text.length;
    const fresh = typedUnits(textOf(before) + text + textOf(after));
    const next = [...units.slice(0, from), ...fresh, ...units.slice(cursor + after.length)];
    const isNewStep = /^\s/.test(text);
    return this.#changed(
      { units: next, cursor: from + unitsWithin(fresh, end, drawnText) },
      isNewStep ? "other" : "typing",
    );
  }

  newline(): Editor {
    return this.insert("\n");
  }

  /** Inserts pasted text. A long one is held as one unit, shown as `[pasted 200 lines]`. */
  paste(text: string): Editor {
    return text === "" ? this : this.#insertUnits(pastedUnits(text));
  }

  /** Inserts an image as one unit, shown as `[image shot.png]`. */
  pasteImage(path: string): Editor {
    return this.#insertUnits([imageUnit(path)]);
  }

  /** Replaces the text between two offsets, and puts the cursor after it. */
  replace(from: number, to: number, text: string): Editor {
    const { units } = this.#state;
    const start = unitsWithin(units, from, drawnText);
    const rest = units.slice(Math.max(start, unitsWithin(units, to, drawnText)));
    const fresh = typedUnits(text);
    const cursor = start + fresh.length;
    return this.#changed({ units: [...units.slice(0, start), ...fresh, ...rest], cursor }, "other");
  }

  backspace(): Editor {
    return this.#erase(this.#state.cursor - 1, this.#state.cursor);
  }

  delete(): Editor {
    return this.#erase(this.#state.cursor, this.#state.cursor + 1);
  }

  left(): Editor {
    return this.#movedTo(this.#state.cursor - 1);
  }

  right(): Editor {
    return this.#movedTo(this.#state.cursor + 1);
  }

  wordLeft(): Editor {
    return this.#movedTo(wordStart(this.#state.units, this.#state.cursor));
  }

  wordRight(): Editor {
    return this.#movedTo(wordEnd(this.#state.units, this.#state.cursor));
  }

  /** To the start of the line. */
  home(): Editor {
    return this.#movedTo(lineStart(this.#state.units, this.#state.cursor));
  }

  /** To the end of the line. */
  end(): Editor {
    return this.#movedTo(lineEnd(this.#state.units, this.#state.cursor));
  }

  /** To the start of the text. */
  start(): Editor {
    return this.#movedTo(0);
  }

  /** To the end of the text. */
  finish(): Editor {
    return this.#movedTo(this.#state.units.length);
  }

  /** One drawn row up. */
  up(width: number): Editor {
    return this.#movedByRow(-1, width);
  }

  /** One drawn row down. */
  down(width: number): Editor {
    return this.#movedByRow(1, width);
  }

  /** Cuts the rest of the line, or the newline at its end, for `yank`. */
  killToEnd(): Editor {
    const { units, cursor } = this.#state;
    const end = lineEnd(units, cursor);
    return this.#kill(cursor, end === cursor ? cursor + 1 : end);
  }

  /** Cuts the line up to the cursor, or the newline before it, for `yank`. */
  killToStart(): Editor {
    const { units, cursor } = this.#state;
    const start = lineStart(units, cursor);
    return this.#kill(start === cursor ? cursor - 1 : start, cursor);
  }

  /** Cuts the text before the cursor up to a space, for `yank`. */
  killWord(): Editor {
    const { units, cursor } = this.#state;
    return this.#kill(spacedWordStart(units, cursor), cursor);
  }

  /** Cuts the text after the cursor up to the end of a word, for `yank`. */
  killWordAfter(): Editor {
    const { units, cursor } = this.#state;
    return this.#kill(cursor, wordEnd(units, cursor));
  }

  /** Inserts the text that was cut last. */
  yank(): Editor {
    const { killed } = this.#state;
    return killed.length === 0 ? this : this.#insertUnits(killed);
  }

  undo(): Editor {
    const { past, future } = this.#state;
    const moment = past.at(-1);
    if (!moment) return this;
    const next = { past: past.slice(0, -1), future: [this.#step, ...future] };
    return new Editor({ ...this.#state, ...moment, ...next, last: "other", aim: undefined });
  }

  /** Takes back the last undo, if nothing has changed since. */
  redo(): Editor {
    const { past, future } = this.#state;
    const [moment, ...rest] = future;
    if (!moment) return this;
    const next = { past: [...past, this.#step], future: rest };
    return new Editor({ ...this.#state, ...moment, ...next, last: "other", aim: undefined });
  }

  get #step(): UndoStep {
    const { units, cursor } = this.#state;
    return { units, cursor };
  }

  /** Deletes everything. Can be undone. */
  clear(): Editor {
    return this.isEmpty ? this : this.#changed({ units: [], cursor: 0 }, "other");
  }

  /** At most `maxRows` rows around the cursor, wrapped at `width`. */
  layout(width: number, maxRows: number): EditorLayout {
    return layoutOf(this.#state.units, this.#state.cursor, { width, maxRows });
  }

  #changed(next: UndoStep, kind: EditorState["last"]): Editor {
    const { past, last } = this.#state;
    const isOneStep = kind === last && (kind === "typing" || kind === "erasing");
    const kept = isOneStep ? past : [...past.slice(1 - maxPast), this.#step];
    const changed = { past: kept, future: [], last: kind, aim: undefined };
    return new Editor({ ...this.#state, ...next, ...changed });
  }

  #insertUnits(fresh: readonly EditorUnit[]): Editor {
    const { units, cursor } = this.#state;
    const next = [...units.slice(0, cursor), ...fresh, ...units.slice(cursor)];
    return this.#changed({ units: next, cursor: cursor + fresh.length }, "other");
  }

  #erase(from: number, to: number): Editor {
    const { units } = this.#state;
    if (from < 0 || to > units.length) return this;
    return this.#changed(
      { units: [...units.slice(0, from), ...units.slice(to)], cursor: from },
      "erasing",
    );
  }

  #kill(from: number, to: number): Editor {
    const { units, cursor, killed, last } = this.#state;
    if (from < 0 || to > units.length || from === to) return this;
    const taken = units.slice(from, to);
    const isBefore = to === cursor;
    const others = last === "killing" ? killed : [];
    const next = { units: [...units.slice(0, from), ...units.slice(to)], cursor: from };
    const changed = this.#changed(next, "killing").#state;
    const all = isBefore ? [...taken, ...others] : [...others, ...taken];
    return new Editor({ ...changed, killed: all });
  }

  #movedTo(cursor: number, aim?: number): Editor {
    const { units, cursor: old } = this.#state;
    if (cursor === old || cursor < 0 || cursor > units.length) return this;
    return new Editor({ ...this.#state, cursor, last: "other", aim });
  }

  #movedByRow(step: number, width: number): Editor {
    const { units, cursor, aim } = this.#state;
    const rows = rowsOf(units, width);
    const row = rowOfCursor(rows, cursor);
    const current = rows[row];
    if (!current || !rows[row + step]) return this;
    const column = aim ?? columnOf(units, current, cursor);
    return this.#movedTo(unitAtColumn(units, rows, { row: row + step, column }), column);
  }
}

function isLetter({ text, isPaste }: EditorUnit): boolean {
  return !isPaste && text !== "\n";
}

function textOf(units: readonly EditorUnit[]): string {
  return units.map(({ text }) => text).join("");
}
