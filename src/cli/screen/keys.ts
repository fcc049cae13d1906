export interface NamedKey {
  type: "key";
  name: string;
  ctrl: boolean;
  alt: boolean;
  shift: boolean;
}

export type Key = { type: "text"; text: string } | { type: "paste"; text: string } | NamedKey;

const escapeSign = "\u001b";
const pasteStart = `${escapeSign}[200~`;
const pasteEnd = `${escapeSign}[201~`;

/** What a terminal sends when its window gets the keys, or another one does. */
const focusIn = `${escapeSign}[I`;
const focusOut = `${escapeSign}[O`;

const maxSequenceLength = 4_096;

/* biome-ignore-start lint/suspicious/noControlCharactersInRegex: what a terminal sends is made of them */
const sequence = /\u001b(?:\[\[[A-E]|\[M[\s\S]{3}|\[[0-?]*[ -/]*[@-~]|O[0-9;]*[@-~])/y;
const begunSequence = /\u001b(?:\[\[?|\[M[\s\S]{0,2}|\[[0-?]+[ -/]*|O[0-9;]*)$/y;
const brokenSequence = /\u001b(?:\[[0-?]*[ -/]*|O[0-9;]*)/y;
const stringSequence = /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)/y;
const begunString = /\u001b[\]PX^_][^\u0007\u001b]*\u001b?$/y;
const typed = /[^\u0000-\u001f\u007f-\u009f]+/y;
/* biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above */

/**
 * Decodes raw terminal input, however it is split into chunks. Named keys: `up down left right home
 * end pageup pagedown insert delete backspace tab enter escape space f1`…`f12`; a letter with Ctrl
 * or Alt is a key named by the letter in lower case, and a line feed is Ctrl-J. Plain characters
 * are `text`. `focus` and `blur` say whether the terminal's window has the keys. Other sequences of the terminal are dropped.
 */
export class KeyDecoder {
  #buffer = "";
  /** The parts of a paste whose end has not arrived. */
  #paste: string[] | undefined;

  push(chunk: string): Key[] {
    this.#buffer += chunk;
    const keys: Key[] = [];
    let at = 0;
    while (at < this.#buffer.length) {
      const next = this.#paste ? this.#continuePaste(at, keys) : this.#decode(at, keys);
      if (next === undefined) break;
      at = next;
    }
    this.#buffer = this.#buffer.slice(at);
    // No sequence of a terminal is this long: drop one that never ends.
    if (this.#buffer.length > maxSequenceLength) this.#buffer = "";
    return keys;
  }

  /** Whether the input is ambiguous until more of it arrives. */
  get isPending(): boolean {
    return this.#paste === undefined && this.#buffer !== "" && !this.#isLongSequence;
  }

  /** Whether a paste has begun and not ended. */
  get isPasting(): boolean {
    return this.#paste !== undefined;
  }

  /** Ends a paste whose end marker was lost, so that keys count again. */
  abandonPaste(): Key[] {
    const text = [...(this.#paste ?? []), this.#buffer].join("");
    this.#paste = undefined;
    this.#buffer = "";
    return text === "" ? [] : [{ type: "paste", text }];
  }

  /** The keys of the pending input if nothing follows. Call it after a short silence. */
  flush(): Key[] {
    if (!this.isPending) return [];
    const [, character = ""] = this.#buffer;
    const isShort = this.#buffer.length <= 2;
    this.#buffer = "";
    if (character === "") return [keyOf("escape")];
    // The rest of a terminal's answer was not typed.
    return isShort ? [altKey(character)] : [];
  }

  /** Nobody types three characters this fast: the rest of a sequence is on its way. */
  get #isLongSequence(): boolean {
    return this.#buffer.length > 2 && /^.[[O]/s.test(this.#buffer);
  }

  /** The start of the next key; undefined if the input is incomplete. */
  #decode(at: number, keys: Key[]): number | undefined {
    const text = match(typed, this.#buffer, at);
    if (text !== undefined) {
      keys.push({ type: "text", text });
      return at + text.length;
    }
    if (this.#buffer[at] === escapeSign) return this.#decodeEscape(at, keys);
    const key = controlKey(this.#buffer[at] ?? "");
    if (key) keys.push(key);
    return at + 1;
  }

  #decodeEscape(at: number, keys: Key[]): number | undefined {
    const buffer = this.#buffer;
    if (buffer.startsWith(pasteStart, at)) {
      this.#paste = [];
      return at + pasteStart.length;
    }
    const whole = match(sequence, buffer, at);
    if (whole !== undefined) {
      keys.push(...decodeSequence(whole));
      return at + whole.length;
    }
    if (match(begunSequence, buffer, at) !== undefined) return undefined;
    const skipped = match(stringSequence, buffer, at);
    if (skipped !== undefined) return at + skipped.length;
    if (match(begunString, buffer, at) !== undefined) return undefined;
    const broken = match(brokenSequence, buffer, at);
    if (broken !== undefined) return at + broken.length;
    return this.#decodeAlt(at, keys);
  }

  #decodeAlt(at: number, keys: Key[]): number | undefined {
    const code = this.#buffer.codePointAt(at + 1);
    if (code === undefined) return undefined;
    const character = String.fromCodePoint(code);
    if (character !== escapeSign) {
      keys.push(altKey(character));
      return at + 1 + character.length;
    }
    const whole = match(sequence, this.#buffer, at + 1);
    if (whole === undefined) {
      keys.push(keyOf("escape"));
      return at + 1;
    }
    const pressed = decodeSequence(whole);
    keys.push(...pressed.map((key) => (key.type === "key" ? { ...key, alt: true } : key)));
    return at + 1 + whole.length;
  }

  #continuePaste(at: number, keys: Key[]): number | undefined {
    const end = this.#buffer.indexOf(pasteEnd, at);
    if (end !== -1) {
      const parts = [...(this.#paste ?? []), this.#buffer.slice(at, end)];
      keys.push({ type: "paste", text: parts.join("") });
      this.#paste = undefined;
      return end + pasteEnd.length;
    }
    // The last characters may be the start of the end marker.
    const kept = Math.max(at, this.#buffer.length - pasteEnd.length + 1);
    if (kept === at) return undefined;
    this.#paste?.push(this.#buffer.slice(at, kept));
    return kept;
  }
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function altKey(character: string): NamedKey {
  const control = controlKey(character);
  if (control) return { ...control, alt: true };
  const name = character.toLowerCase();
  return keyOf(name === " " ? "space" : name, { alt: true, shift: name !== character });
}

function controlKey(character: string): NamedKey | undefined {
  switch (character) {
    case "\r":
      return keyOf("enter");
    case "\t":
      return keyOf("tab");
    case "\b":
    case "\u007f":
      return keyOf("backspace");
    case "\u0000":
      return keyOf("space", { ctrl: true });
    case escapeSign:
      return keyOf("escape");
  }
  const code = character.charCodeAt(0);
  // Ctrl clears the upper bits of a letter.
  if (code < 0x20) return keyOf(String.fromCharCode(code + 0x40).toLowerCase(), { ctrl: true });
  return undefined;
}

function keyOf(
  name: string,
  { ctrl = false, alt = false, shift = false }: Partial<Omit<NamedKey, "type" | "name">> = {},
): NamedKey {
  return { type: "key", name, ctrl, alt, shift };
}

/** Key names by the final letter of the sequence. */
const byLetter = new Map([
  ["A", "up"],
  ["B", "down"],
  ["C", "right"],
  ["D", "left"],
  ["H", "home"],
  ["F", "end"],
  ["P", "f1"],
  ["Q", "f2"],
  ["S", "f4"],
  ["Z", "tab"],
]);

/** Key names by the number before `~`. */
const byNumber = new Map([
  ...numbered(1, ["home", "insert", "delete", "end", "pageup", "pagedown", "home", "end"]),
  ...numbered(11, ["f1", "f2", "f3", "f4", "f5"]),
  ...numbered(17, ["f6", "f7", "f8", "f9", "f10"]),
  ...numbered(23, ["f11", "f12"]),
]);

/** Key names by character code, in the newer protocols. */
const byCode = new Map([
  [9, "tab"],
  [13, "enter"],
  [27, "escape"],
  [32, "space"],
  [127, "backspace"],
  [57414, "enter"],
]);

function numbered(first: number, names: readonly string[]): [number, string][] {
  return names.map((name, index) => [first + index, name]);
}

/** The key of a complete escape sequence; empty if it is not a key. */
function decodeSequence(sequence: string): Key[] {
  const final = sequence.at(-1) ?? "";
  const body = sequence.slice(2, -1);
  if (sequence.startsWith("\u001b[[")) return [keyOf(`f${"ABCDE".indexOf(final) + 1}`)];
  if (!/^[0-9;:]*$/.test(body)) return [];
  const [first = 0, second = 1, third = 0] = body
    .split(";")
    .map((part) => Number.parseInt(part, 10));
  if (isRelease(body)) return [];
  if (final === "u") return codedKey(first, second);
  if (final === "~" && first === 27) return codedKey(third, second);
  if (sequence === focusIn || sequence === focusOut) {
    return [keyOf(sequence === focusIn ? "focus" : "blur")];
  }
  const isF3 = final === "R" && sequence[1] === "O";
  const name = final === "~" ? byNumber.get(first) : isF3 ? "f3" : byLetter.get(final);
  if (name === undefined) return [];
  const modifiers = modifiersOf(second);
  return [keyOf(name, final === "Z" ? { ...modifiers, shift: true } : modifiers)];
}

/** Terminals that report key releases send 3 after the modifiers. */
function isRelease(body: string): boolean {
  return /^[^;]*;[0-9]*:3(;|$)/.test(body);
}

function codedKey(code: number, modifier: number): Key[] {
  const modifiers = modifiersOf(modifier);
  const name = byCode.get(code);
  const isPlain = !modifiers.ctrl && !modifiers.alt;
  if (name !== undefined && !(name === "space" && isPlain)) return [keyOf(name, modifiers)];
  if (!isCharacter(code)) return [];
  const character = String.fromCodePoint(code);
  if (!isPlain) return [keyOf(character.toLowerCase(), modifiers)];
  return [{ type: "text", text: modifiers.shift ? character.toUpperCase() : character }];
}

/** False for controls, surrogates and the private codes of keys without a name. */
function isCharacter(code: number): boolean {
  if (!(code >= 0x20 && code <= 0x10ffff)) return false;
  return !(code >= 0x7f && code <= 0x9f) && !(code >= 0xd800 && code <= 0xf8ff);
}

function modifiersOf(parameter: number): { ctrl: boolean; alt: boolean; shift: boolean } {
  const bits = Math.max(0, (parameter || 1) - 1);
  return { shift: (bits & 1) !== 0, alt: (bits & 2) !== 0, ctrl: (bits & 4) !== 0 };
}
