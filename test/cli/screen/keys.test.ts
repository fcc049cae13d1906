import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Key, KeyDecoder } from "../../../src/cli/screen/keys.ts";

/** A key as people write it: `ctrl-left`; text and pastes in quotes. */
function written(key: Key): string {
  if (key.type === "text") return JSON.stringify(key.text);
  if (key.type === "paste") return `paste ${JSON.stringify(key.text)}`;
  const { ctrl, alt, shift, name } = key;
  return `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${shift ? "shift-" : ""}${name}`;
}

function decode(...chunks: string[]): string[] {
  const decoder = new KeyDecoder();
  return chunks.flatMap((chunk) => decoder.push(chunk)).map(written);
}

test.each([
  ["letters", "añ漢👩‍👩‍👧", ['"añ漢👩‍👩‍👧"']],
  ["arrows", "\u001b[A\u001b[B\u001bOC\u001bOD", ["up", "down", "right", "left"]],
  [
    "arrows with modifiers",
    "\u001b[1;5D\u001b[1;3C\u001b[1;2A",
    ["ctrl-left", "alt-right", "shift-up"],
  ],
  [
    "home and end",
    "\u001b[H\u001b[F\u001bOH\u001b[1~\u001b[8~",
    ["home", "end", "home", "home", "end"],
  ],
  [
    "pages and delete",
    "\u001b[5~\u001b[6~\u001b[3~\u001b[3;5~",
    ["pageup", "pagedown", "delete", "ctrl-delete"],
  ],
  [
    "function keys",
    "\u001bOP\u001bOR\u001b[15~\u001b[24~\u001b[[A",
    ["f1", "f3", "f5", "f12", "f1"],
  ],
  [
    "enter, tab and backspace",
    "\r\t\u007f\b\u001b[Z",
    ["enter", "tab", "backspace", "backspace", "shift-tab"],
  ],
  [
    "letters with Ctrl",
    "\u0001\u0003\n\u001a\u001f\u0000",
    ["ctrl-a", "ctrl-c", "ctrl-j", "ctrl-z", "ctrl-_", "ctrl-space"],
  ],
  ["letters with Alt", "\u001bb\u001bF\u001b\u007f", ["alt-b", "alt-shift-f", "alt-backspace"]],
  ["Alt-Enter", "\u001b\r\u001b[13;3u", ["alt-enter", "alt-enter"]],
  ["Shift-Enter", "\u001b[13;2u\u001b[27;2;13~", ["shift-enter", "shift-enter"]],
  ["letters of the newer protocol", "\u001b[97;5u\u001b[97u\u001b[97;1:3u", ["ctrl-a", '"a"']],
  ["Escape of the newer protocol", "\u001b[27u", ["escape"]],
  ["Escape twice, then an arrow", "\u001b\u001b\u001b[A", ["escape", "alt-up"]],
  ["several at once", "ab\u001b[Dc\r", ['"ab"', "left", '"c"', "enter"]],
  ["a change of focus", "a\u001b[I\u001b[Ob", ['"a"', "focus", "blur", '"b"']],
])("%s", (_title, input, keys) => {
  expect(decode(input)).toEqual(keys);
});

describe("unknown sequences are dropped as a whole", () => {
  test.each([
    ["the mouse", "\u001b[<0;12;7M\u001b[M !!"],
    ["answers about the cursor and the terminal", "\u001b[12;40R\u001b[?62;22c\u001b[?2026;2$y"],
    ["answers about colours", "\u001b]11;rgb:0000/0000/0000\u001b\\\u001b]11;x\u0007"],
    ["device strings", "\u001bP1+r524742\u001b\\"],
    ["unknown sequences", "\u001b[99~\u001b[1;2;3x\u001b[57441u\u009b"],
  ])("%s", (_title, input) => {
    expect(decode(`a${input}b`).join("")).toBe('"a""b"');
  });
});

describe("a paste", () => {
  test("is one text, however it is split, and its keys have no effect", () => {
    const pasted = "one\r\u0003\u001b[A\u001b[200~ two";

    expect(decode(`\u001b[200~${pasted}\u001b[201~x`)).toEqual([
      `paste ${JSON.stringify(pasted)}`,
      '"x"',
    ]);
    expect(decode("\u001b[20", "0~on", "e\u001b[2", "01", "~x")).toEqual(['paste "one"', '"x"']);
  });

  test("of a megabyte in small chunks is joined", () => {
    const decoder = new KeyDecoder();
    decoder.push("\u001b[200~");
    for (let chunk = 0; chunk < 16_384; chunk++) decoder.push("x".repeat(64));

    expect(decoder.push("\u001b[201~")).toEqual([{ type: "paste", text: "x".repeat(1_048_576) }]);
  });
});

describe("Escape alone", () => {
  test("waits for a possible sequence", () => {
    const decoder = new KeyDecoder();

    expect(decoder.push("\u001b")).toEqual([]);
    expect(decoder.isPending).toBe(true);
    expect(decoder.push("[A").map(written)).toEqual(["up"]);
    expect(decoder.isPending).toBe(false);
  });

  test.each([
    ["\u001b", ["escape"]],
    ["\u001b[", ["alt-["]],
    ["\u001bO", ["alt-shift-o"]],
    ["\u001b]", ["alt-]"]],
    ["\u001b]11;rgb", []],
  ])("%j is a key of its own if nothing follows", (input, keys) => {
    const decoder = new KeyDecoder();
    decoder.push(input);

    expect(decoder.flush().map(written)).toEqual(keys);
    expect(decoder.push("a").map(written)).toEqual(['"a"']);
  });

  test("a started sequence survives a pause", () => {
    const decoder = new KeyDecoder();
    decoder.push("\u001b[20");

    expect(decoder.isPending).toBe(false);
    expect(decoder.flush()).toEqual([]);
    expect(decoder.push("0~a\u001b[201~").map(written)).toEqual(['paste "a"']);
  });
});

test("a sequence that never ends is dropped", () => {
  const decoder = new KeyDecoder();
  decoder.push("\u001b]");
  for (let chunk = 0; chunk < 65; chunk++) decoder.push("x".repeat(64));

  expect(decoder.push("a").map(written)).toEqual(['"a"']);
});

test("input has the same meaning however it is split", () => {
  const parts = [
    "a",
    "é",
    "\r",
    "\u001b[A",
    "\u001b[1;5D",
    "\u001bOH",
    "\u001b[200~p\u001b[201~",
    "\u001bb",
  ];
  const input = fc.array(
    fc.constantFrom(...parts, "\u0003", "\u001b[I", "\u001b]0;x\u0007", "\u001b[13;2u"),
  );
  fc.assert(
    fc.property(input, fc.array(fc.integer({ min: 1, max: 6 })), (all, cuts) => {
      const text = all.join("");
      const chunks: string[] = [];
      let at = 0;
      for (const cut of cuts) {
        chunks.push(text.slice(at, at + cut));
        at += cut;
      }

      const join = (keys: string[]) => keys.join(" ").replaceAll('" "', "");
      expect(join(decode(...chunks, text.slice(at)))).toBe(join(decode(text)));
    }),
  );
});

test("no input inserts a control character into the line", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (input) => {
      for (const key of new KeyDecoder().push(input)) {
        if (key.type === "text") expect(key.text).not.toMatch(/\p{Cc}/u);
      }
    }),
  );
});
