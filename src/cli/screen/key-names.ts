import type { Key, NamedKey } from "./keys.ts";

export function keyOf(
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
export function decodeSequence(sequence: string): Key[] {
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
