import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { Editor } from "../../../src/cli/screen/editor.ts";

/** The text with a bar where the cursor is. */
function seen(editor: Editor): string {
  const { text, cursorOffset } = editor;
  return `${text.slice(0, cursorOffset)}|${text.slice(cursorOffset)}`;
}

/** An editor with `text`, its cursor where the bar is. */
function at(text: string): Editor {
  const [before = "", after = ""] = text.split("|");
  let editor = Editor.of(before + after);
  while (editor.cursorOffset > before.length) editor = editor.left();
  return editor;
}

const steps = {
  backspace: (editor: Editor) => editor.backspace(),
  delete: (editor: Editor) => editor.delete(),
  left: (editor: Editor) => editor.left(),
  right: (editor: Editor) => editor.right(),
  wordLeft: (editor: Editor) => editor.wordLeft(),
  wordRight: (editor: Editor) => editor.wordRight(),
  home: (editor: Editor) => editor.home(),
  end: (editor: Editor) => editor.end(),
  start: (editor: Editor) => editor.start(),
  finish: (editor: Editor) => editor.finish(),
  killToEnd: (editor: Editor) => editor.killToEnd(),
  killToStart: (editor: Editor) => editor.killToStart(),
  killWord: (editor: Editor) => editor.killWord(),
  killWordAfter: (editor: Editor) => editor.killWordAfter(),
};

test.each([
  ["backspace", "ab|c", "a|c"],
  ["backspace", "a👩‍👩‍👧|", "a|"],
  ["backspace", "a\n|b", "a|b"],
  ["delete", "a|bc", "a|c"],
  ["delete", "|e\u0301x", "|x"],
  ["left", "a👩‍👩‍👧|", "a|👩‍👩‍👧"],
  ["right", "|a", "a|"],
  ["wordLeft", "one two.|", "one |two."],
  ["wordRight", "one| two.", "one two|."],
  ["home", "a\nbc|d", "a\n|bcd"],
  ["end", "a|b\nc", "ab|\nc"],
  ["start", "a\nb|", "|a\nb"],
  ["finish", "|a\nb", "a\nb|"],
  ["killToEnd", "a|bc\nd", "a|\nd"],
  ["killToEnd", "a|\nd", "a|d"],
  ["killToStart", "a\nbc|d", "a\n|d"],
  ["killToStart", "a\n|d", "a|d"],
  ["killWord", "one t.wo |x", "one |x"],
  ["killWordAfter", "one| two.", "one|."],
  ["killWordAfter", "o|ne two", "o| two"],
] as const)("%s makes %j %j", (name, before, after) => {
  expect(seen(steps[name](at(before)))).toBe(after);
});

test("what was undone is redone step by step, until something else changes", () => {
  const editor = at("one|").killToStart().insert("two").killToStart();
  const undone = editor.undo().undo();
  expect(seen(undone)).toBe("|");
  expect(seen(undone.redo())).toBe("two|");
  const redone = undone.redo().redo();
  expect(seen(redone)).toBe("|");
  expect(redone.redo()).toBe(redone);
  expect(seen(undone.redo().left().undo())).toBe("|");

  const changed = undone.insert("x");
  expect(changed.redo()).toBe(changed);
  const cut = undone.redo().left().killToEnd();
  expect(cut.redo()).toBe(cut);
});

test("an image is one unit, which is removed, undone, cut and brought back as a whole", () => {
  const editor = Editor.of("see ").pasteImage("/home/me/a shot.png").insert(".");
  expect(editor).toMatchObject({
    value: "see [image a shot.png].",
    held: { images: ["/home/me/a shot.png"], pastes: [] },
  });

  const without = editor.backspace().backspace();
  expect(without).toMatchObject({ value: "see ", held: { images: [] } });
  expect(without.undo().held.images).toEqual(["/home/me/a shot.png"]);
  expect(editor.killToStart().yank().held.images).toEqual(["/home/me/a shot.png"]);
  expect(editor.layout(40, 1).lines).toEqual(["see [image a shot.png]."]);
});

test("a text that is brought back has those of its images that it still names", () => {
  const held = { images: ["/a/1.png", "/a/2.png", "/b/1.png"], pastes: [] };

  const brought = Editor.of("[image 1.png] and [image 1.png]", held);
  expect(brought.held.images).toEqual(["/a/1.png", "/b/1.png"]);
  expect(Editor.of("[image 1.png]").held.images).toEqual([]);
});

test.each([
  ["backspace", "|a"],
  ["delete", "a|"],
  ["left", "|a"],
  ["right", "a|"],
  ["killToStart", "|a"],
  ["killToEnd", "a|"],
] as const)("%s on %j changes nothing", (name, text) => {
  const editor = at(text);

  expect(steps[name](editor)).toBe(editor);
});

describe("typing", () => {
  test("goes in at the cursor", () => {
    expect(seen(at("a|c").insert("b").newline())).toBe("ab\n|c");
  });

  test("an accent joins the letter before it", () => {
    const editor = Editor.of("e").insert("\u0301");

    expect(editor.backspace().isEmpty).toBe(true);
  });

  test("is undone by words, and deletions at once", () => {
    const typed = [..."one two"].reduce((editor, letter) => editor.insert(letter), Editor.empty);

    expect(typed.undo().value).toBe("one ");
    expect(typed.backspace().backspace().undo().value).toBe("one two");
    expect(typed.clear().undo().value).toBe("one two");
    expect(Editor.empty.undo()).toBe(Editor.empty);
  });

  test("a replaced word has the cursor after it", () => {
    expect(seen(at("say @al| now").replace(4, 7, "@alice"))).toBe("say @alice| now");
  });
});

describe("deleted text", () => {
  test("is inserted at the cursor", () => {
    expect(seen(at("one |two").killToEnd().start().yank())).toBe("two|one ");
  });

  test("deleted piece by piece is inserted as a whole", () => {
    expect(seen(at("one two| three").killWord().killWord().killToEnd().yank())).toBe(
      "one two three|",
    );
  });
});

describe("a long paste", () => {
  const lines = "line\n".repeat(200);
  const editor = at("a|b").paste(lines);

  test("is shown as a placeholder, and submitted in full", () => {
    expect(seen(editor)).toBe("a[pasted 200 lines]|b");
    expect(editor.value).toBe(`a${lines}b`);
    expect(Editor.empty.paste("x".repeat(1_001)).text).toBe("[pasted 1001 characters]");
  });

  test("is skipped and deleted as one", () => {
    expect(seen(editor.left())).toBe("a|[pasted 200 lines]b");
    expect(seen(editor.wordLeft())).toBe("a|[pasted 200 lines]b");
    expect(seen(editor.backspace())).toBe("a|b");
    expect(seen(editor.left().delete())).toBe("a|b");
    expect(editor.backspace().undo().value).toBe(editor.value);
  });

  test("stays whole next to typed text", () => {
    expect(editor.insert("\u0301x").left().left().left().insert("y").value).toBe(
      `ay${lines}\u0301xb`,
    );
  });

  test("is one unit again when its text is brought back, beside an image that it names, too", () => {
    const named = "see [image 1.png]\n".repeat(9);
    const sent = Editor.of("a ").paste(lines).pasteImage("/a/1.png").paste(named).insert("z");

    const brought = Editor.of(sent.value, sent.held);

    expect(brought.text).toBe("a [pasted 200 lines][image 1.png][pasted 9 lines]z");
    expect(brought.held).toEqual({ images: ["/a/1.png"], pastes: [lines, named] });
    expect(Editor.of("a line", sent.held).text).toBe("a line");
  });

  test("of a megabyte takes no longer to edit than a short one", () => {
    const big = Editor.empty.paste("x\n".repeat(524_288)).insert("typed").backspace();

    expect(big.layout(80, 10).lines).toEqual(["[pasted 524288 lines]type"]);
    expect(big.value).toHaveLength(1_048_580);
  });
});

test("more text at once than anyone types counts as a paste", () => {
  expect(Editor.empty.insert("x\n".repeat(524_288)).text).toBe("[pasted 524288 lines]");
});

test("a short paste is inserted as text with newlines", () => {
  expect(Editor.empty.paste("a\r\nb\rc").value).toBe("a\nb\nc");
});

describe("rows", () => {
  test("wrap at the width, and a full one moves the cursor to a new one", () => {
    expect(Editor.of("abcdef").layout(4, 9)).toMatchObject({
      lines: ["abcd", "ef"],
      cursor: { row: 1, column: 2 },
    });
    expect(Editor.of("abcd").layout(4, 9)).toMatchObject({
      lines: ["abcd", ""],
      cursor: { row: 1, column: 0 },
    });
    expect(Editor.of("漢字").layout(3, 9).lines).toEqual(["漢", "字"]);
  });

  test("around the cursor are drawn if there are too many", () => {
    const editor = Editor.of("1\n2\n3\n4\n5");

    expect(editor.layout(9, 3)).toMatchObject({ lines: ["3", "4", "5"], above: 2, below: 0 });
    expect(editor.up(9).up(9).layout(9, 3)).toEqual({
      lines: ["2", "3", "4"],
      cursor: { row: 1, column: 1 },
      above: 1,
      below: 1,
    });
  });

  test("keep the cursor's column when moving up and down", () => {
    const editor = at("abcd\nx\nabcd|");

    expect(seen(editor.up(9))).toBe("abcd\nx|\nabcd");
    expect(seen(editor.up(9).up(9))).toBe("abcd|\nx\nabcd");
    expect(seen(at("abc|def").down(4))).toBe("abcdef|");
    expect(seen(at("abcdef|").up(4))).toBe("ab|cdef");
  });

  test("end at the first and the last", () => {
    const editor = Editor.of("ab");

    expect(editor.up(9)).toBe(editor);
    expect(editor.down(9)).toBe(editor);
  });

  test("show control characters of a pasted text", () => {
    expect(Editor.empty.paste("a\u001b[2J\tb").layout(20, 1).lines).toEqual(["a\\x1b[2J    b"]);
  });
});

test("after any keys the rows fit, the cursor is in them, and undoing ends with an empty line", () => {
  const actions = fc.array(
    fc.oneof(
      fc.constantFrom(...Object.values(steps)),
      fc.constantFrom(
        (editor: Editor) => editor.yank(),
        (editor: Editor) => editor.undo(),
        (editor: Editor) => editor.up(7),
        (editor: Editor) => editor.down(7),
        (editor: Editor) => editor.newline(),
        (editor: Editor) => editor.paste("p\n".repeat(9)),
      ),
      fc
        .string({ unit: "binary", maxLength: 9 })
        .map((text) => (editor: Editor) => editor.insert(text)),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(actions, fc.integer({ min: 2, max: 20 }), (all, width) => {
      let editor = all.reduce((before, action) => action(before), Editor.empty);

      const { lines, cursor } = editor.layout(width, 5);
      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      expect(lines.length).toBeLessThanOrEqual(5);
      expect(lines[cursor.row]).toBeDefined();
      expect(cursor.column).toBeLessThan(width);
      expect(editor.text.length).toBeGreaterThanOrEqual(editor.cursorOffset);
      while (editor.undo() !== editor) editor = editor.undo();
      expect(editor.isEmpty).toBe(true);
    }),
    { numRuns: 300 },
  );
});
