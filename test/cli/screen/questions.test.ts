import { expect, test } from "vitest";
import { lead } from "../../../src/protocol/ids.ts";
import { chooseKey, ScreenedTeam } from "../../support/screened-team.ts";

const enter = "\r";
const escapeKey = "\x1b";
const rule = "bash(npm test:*)";

test("a question shows the key that selects it, and the answer keys once it is selected", async () => {
  await using screen = await ScreenedTeam.open();
  screen.ask(screen.enlist("alice"), { command: "npm test" }, rule);
  await screen.shows("▌ alice asks to run this");
  await screen.shows("ctrl-x to answer");
  expect(screen.terminal.text).not.toContain("yes, once");
  const cursorBefore = screen.terminal.cursor;

  await screen.choose();

  await screen.shows(/█ {2}alice asks to run this/);
  expect(screen.terminal.text).toContain("y yes, once   n no   r no, because …");
  expect(screen.terminal.text).toContain(`a always ${rule}`);
  expect(screen.terminal.cursor.row).toBeLessThan(cursorBefore.row);
  expect(screen.told).toEqual([]);
});

test("y answers three questions in a row, each after it was visible", async () => {
  await using screen = await ScreenedTeam.open();
  const asked = ["alice", "bob", "carol"].map((name) =>
    screen.ask(screen.enlist(name), { command: `make ${name}` }),
  );
  await screen.shows("alice asks to run this (1 of 3)");
  await screen.choose();

  screen.press("y");
  await screen.shows("bob asks to run this (1 of 2)");
  await screen.settle();
  screen.press("y");
  await screen.shows("carol asks to run this");
  await screen.settle();
  screen.press("y");
  await screen.showsNoMore("asks to run this");

  expect(screen.answered).toEqual(asked.map(({ id }) => id));
  expect(screen.told).toEqual(["allow-once", "allow-once", "allow-once"]);
  expect(screen.terminal.text).toMatch(/^›$/m);
});

test("y pressed three times at once answers only visible questions, and types nothing", async () => {
  await using screen = await ScreenedTeam.open();
  const first = screen.ask(screen.enlist("alice"), { command: "make" });
  screen.ask(screen.enlist("bob"), { command: "rm notes.txt" });
  await screen.shows("alice asks to run this (1 of 2)");
  await screen.choose();

  for (const key of ["y", "y", "y"]) {
    screen.press(key);
    await screen.read();
  }
  await screen.shows("Too fast: nothing was answered. Press the key again.");

  expect(screen.answered).toEqual([first.id]);
  expect(screen.terminal.text).toMatch(/^›$/m);
  await screen.settle();
  screen.press("n");
  await screen.shows("denied bob");
  expect(screen.told).toEqual(["allow-once", "deny"]);
});

test("a repeated key after the last answer has no effect, but text does", async () => {
  await using screen = await ScreenedTeam.open();
  screen.ask(screen.enlist("alice"), { command: "make" });
  await screen.shows("alice asks to run this");
  await screen.choose();

  screen.press("y");
  await screen.read();
  screen.press("y");
  await screen.read();
  expect(screen.terminal.text).toContain("No question is open now.");
  expect(screen.terminal.text).toMatch(/^›$/m);
  screen.press("e");
  await screen.read();
  screen.press("s");

  await screen.shows("› yes");
  expect(screen.told).toEqual(["allow-once"]);
});

test("always needs a second key, after the rule and its scope were shown", async () => {
  await using screen = await ScreenedTeam.open();
  screen.ask(screen.enlist("alice"), { command: "npm test" }, rule);
  await screen.shows("alice asks to run this");
  await screen.choose();

  screen.press("a");
  await screen.shows(`Always allow ${rule} for the whole team, also after a restart?`);
  await screen.settle();
  for (const key of ["a", "y", "n"]) {
    screen.press(key);
    await screen.shows("Enter adds the rule, Esc goes back.");
  }
  expect(screen.told).toEqual([]);
  screen.press(enter);
  await screen.shows("allowed alice from now on");

  expect(screen.told).toEqual(["allow-always"]);
});

test("Esc goes back from the rule to the question, and from there to the line", async () => {
  await using screen = await ScreenedTeam.open();
  screen.press("a draft");
  await screen.shows("› a draft");
  screen.ask(screen.enlist("alice"), { command: "npm test" }, rule);
  await screen.shows("alice asks to run this");
  await screen.choose();
  screen.press("a");
  await screen.shows("Always allow");

  screen.press(escapeKey);
  await screen.shows("y yes, once");
  screen.press(escapeKey);
  await screen.shows("ctrl-x to answer");
  screen.press(" goes on");

  await screen.shows("› a draft goes on");
  expect(screen.told).toEqual([]);
});

test("always is not offered if no rule is possible", async () => {
  await using screen = await ScreenedTeam.open();
  screen.ask(screen.enlist("alice"), { command: "npm test" });
  await screen.shows("alice asks to run this");
  await screen.choose();
  expect(screen.terminal.text).not.toContain("a always");

  screen.press("a");
  await screen.shows("No rule can always allow such calls");

  expect(screen.told).toEqual([]);
});

test("a rule that is too long for a narrow terminal is shown in full, with all keys", async () => {
  await using screen = await ScreenedTeam.open({ columns: 40, rows: 30 });
  const long = "bash(npm run a-script-with-a-rather-long-name --and-a-flag:*)";
  screen.ask(screen.enlist("alice"), { command: "npm run x" }, long);
  await screen.shows("asks to run this");
  await screen.choose();
  const unwrapped = () => screen.terminal.text.replace(/\n█ /g, "").replace(/\s+/g, "");
  expect(unwrapped()).toContain(long.replace(/\s/g, ""));
  expect(screen.terminal.text).toContain("r no, because …");

  screen.press("a");
  await screen.shows("enter yes, add this rule");

  expect(unwrapped()).toContain(`Alwaysallow${long.replace(/\s/g, "")}forthewholeteam`);
});

test("a denial can have a reason", async () => {
  await using screen = await ScreenedTeam.open();
  screen.press("a draft");
  screen.ask(screen.enlist("alice"), { command: "npm publish" });
  await screen.shows("asks to run this");
  await screen.choose();

  screen.press("r");
  await screen.shows("no, because ›");
  screen.press("not on a Friday");
  await screen.shows("no, because › not on a Friday");
  screen.press(enter);
  await screen.shows("denied alice: not on a Friday");

  expect(screen.told).toEqual(["deny (not on a Friday)"]);
  await screen.shows("› a draft");
});

test("Esc goes from the reason to the question, and the draft comes back", async () => {
  await using screen = await ScreenedTeam.open();
  screen.press("a draft");
  screen.ask(screen.enlist("alice"), { command: "npm publish" });
  await screen.shows("asks to run this");
  await screen.choose();

  screen.press("r");
  await screen.shows("no, because ›");
  screen.press("hm");
  await screen.shows("no, because › hm");
  screen.press(escapeKey);
  await screen.shows("y yes, once");

  await screen.shows("› a draft");
  expect(screen.told).toEqual([]);
});

test("a pasted line break in a reason is part of it", async () => {
  await using screen = await ScreenedTeam.open();
  screen.ask(screen.enlist("alice"), { command: "npm publish" });
  await screen.shows("asks to run this");
  await screen.choose();
  screen.press("r");
  await screen.shows("no, because ›");

  screen.press(`one${enter}two`);
  await screen.shows("two");
  expect(screen.told).toEqual([]);
  screen.press(enter);
  await screen.shows("denied alice");

  expect(screen.told).toEqual(["deny (one\ntwo)"]);
});

test("a reason for a closed question is neither a denial nor a message", async () => {
  await using screen = await ScreenedTeam.open();
  const request = screen.ask(screen.enlist("alice"), { command: "npm publish" });
  const other = screen.enlist("bob");
  await screen.shows("asks to run this");
  await screen.choose();
  screen.press("r");
  await screen.shows("no, because ›");
  screen.press("not today");

  screen.ask(other, { command: "rm notes.txt" });
  screen.withdraw(request);
  await screen.shows("no longer asked › not today");
  screen.press(enter);
  await screen.shows("nothing was denied or sent");

  await screen.shows("› not today");
  expect(screen.told).toEqual([]);
});

test("a question that appears while a line is typed is not answered by it", async () => {
  await using screen = await ScreenedTeam.open();
  screen.press("why ");
  await screen.shows("› why");

  screen.ask(screen.enlist("alice"), { command: "npm test" });
  await screen.shows("ctrl-x to answer");
  await screen.settle();
  screen.press("not yet");
  await screen.shows("› why not yet");
  await screen.choose();
  screen.press("y");
  await screen.shows("allowed alice once");

  expect(screen.told).toEqual(["allow-once"]);
  await screen.shows("› why not yet");
});

test.each(["also use UUIDs please", "yes, go on", "no, wait", "run the tests"])(
  "a message stays a message while a question is open: %s",
  async (text) => {
    await using screen = await ScreenedTeam.open();
    screen.ask(screen.enlist("alice"), { command: "npm test" }, rule);
    await screen.shows("ctrl-x to answer");
    await screen.settle();

    for (const letter of text) {
      screen.press(letter);
      await screen.settle();
    }
    screen.press(enter);
    await screen.shows(`› ${text}\n`);

    expect(screen.told).toEqual([`message lead: ${text}`]);
  },
);

test.each(["also use UUIDs", "any of them", "wait for bob", "列出文件", "👍"])(
  "text that is not an answer goes from a selected question to the line, whole: %s",
  async (text) => {
    await using screen = await ScreenedTeam.open();
    screen.ask(screen.enlist("alice"), { command: "npm test" }, rule);
    await screen.shows("ctrl-x to answer");
    await screen.choose();

    for (const letter of text) {
      screen.press(letter);
      await screen.settle();
    }

    await screen.shows(`› ${text}`);
    expect(screen.told).toEqual([]);
  },
);

test.each([
  ["with its marks", "\x1b[200~y\x1b[201~"],
  ["without marks", "y\r"],
  ["of one letter many times", "yyyy"],
  ["that chooses the question itself", `${chooseKey}y`],
])("a paste %s answers no question", async (_title, pasted) => {
  await using screen = await ScreenedTeam.open();
  screen.ask(screen.enlist("alice"), { command: "npm test" }, rule);
  await screen.shows("ctrl-x to answer");
  await screen.settle();

  screen.press(pasted);
  await screen.settle();
  await screen.choose();
  screen.press(pasted);
  await screen.settle();

  expect(screen.answered).toEqual([]);
});

test("a key pressed just when a question appears does not answer it, even if it is selected", async () => {
  await using screen = await ScreenedTeam.open();
  screen.ask(screen.enlist("alice"), { command: "npm test" });
  await screen.until(() => screen.terminal.text.includes("asks to run this"), "no question");

  screen.press(chooseKey);
  await screen.read();
  screen.press("y");
  await screen.shows("Too fast");

  expect(screen.told).toEqual([]);
});

test("a question that was not visible cannot be selected", async () => {
  await using screen = await ScreenedTeam.open();
  screen.terminal.writableNeedDrain = true;
  screen.ask(screen.enlist("alice"), { command: "npm test" });
  await screen.settle();

  screen.press(chooseKey);
  await screen.settle();
  screen.press("y");
  await screen.settle();
  screen.terminal.writableNeedDrain = false;
  screen.terminal.emit("drain");
  await screen.shows("› y");

  expect(screen.terminal.text).toContain("ctrl-x to answer");
  expect(screen.told).toEqual([]);
});

test("when a selected question closes, the next key goes neither to another question nor to the line", async () => {
  await using screen = await ScreenedTeam.open();
  const request = screen.ask(screen.enlist("alice"), { command: "npm test" });
  screen.ask(screen.enlist("bob"), { command: "rm notes.txt" });
  await screen.shows("alice asks to run this (1 of 2)");
  await screen.choose();

  screen.withdraw(request);
  await screen.shows("This question is no longer open");
  await screen.settle();
  screen.press("y");
  await screen.shows("That key answered nothing.");
  expect(screen.terminal.text).toMatch(/^›$/m);
  screen.press(enter);
  await screen.showsNoMore("no longer open");

  expect(screen.told).toEqual([]);
  expect(screen.terminal.text).toContain("bob asks to run this");
});

test("when the last question closes while selected, the line comes back with its draft", async () => {
  await using screen = await ScreenedTeam.open();
  screen.press("a draft");
  const request = screen.ask(screen.enlist("alice"), { command: "npm test" });
  await screen.shows("asks to run this");
  await screen.choose();

  screen.withdraw(request);
  await screen.shows("This question is no longer open");
  screen.press(enter);
  await screen.showsNoMore("no longer open");
  screen.press("!");

  await screen.shows("› a draft!");
  expect(screen.told).toEqual([]);
});

test("Ctrl-X again selects the next question, and a new one does not replace it", async () => {
  await using screen = await ScreenedTeam.open();
  screen.ask(screen.enlist("alice"), { command: "npm test" });
  const second = screen.ask(screen.enlist("bob"), { command: "make" });
  await screen.shows("alice asks to run this (1 of 2)");
  await screen.choose();

  screen.press(chooseKey);
  await screen.shows("bob asks to run this (2 of 2)");
  screen.ask(screen.enlist("carol"), { command: "ls" });
  await screen.shows("bob asks to run this (2 of 3)");
  await screen.settle();
  screen.press("y");
  await screen.shows("allowed bob once");

  expect(screen.answered).toEqual([second.id]);
});

test("Ctrl-X without a question says so", async () => {
  await using screen = await ScreenedTeam.open();

  screen.press(chooseKey);

  await screen.shows("No question is open.");
});

test.each([
  ["Enter", enter],
  ["Tab", "\t"],
  ["Up", "\x1b[A"],
  ["Backspace", "\x7f"],
  ["Alt-y", "\x1by"],
  ["Ctrl-Y", "\x19"],
  ["Ctrl-D", "\x04"],
])("%s answers nothing, and leaves the line unchanged", async (_title, key) => {
  await using screen = await ScreenedTeam.open();
  screen.press("a draft");
  screen.ask(screen.enlist("alice"), { command: "npm test" });
  await screen.shows("asks to run this");
  await screen.choose();

  screen.press(key);
  await screen.shows("Esc returns to your line.");

  expect(screen.told).toEqual([]);
  await screen.shows("› a draft");
});

test("Esc at an unselected question does not interrupt at once", async () => {
  await using screen = await ScreenedTeam.open();
  screen.happen({ type: "run-start", member: lead });
  screen.ask(screen.enlist("alice"), { command: "npm test" });
  await screen.shows("ctrl-x to answer");

  screen.press(escapeKey);
  await screen.shows("Ctrl-X answers the question. Esc again interrupts lead.");
  expect(screen.told).toEqual([]);
  screen.press(escapeKey);
  await screen.until(() => screen.told.length > 0, "nobody was interrupted");

  expect(screen.told).toEqual(["interrupt lead"]);
});

test("the keys of a plan name their effect", async () => {
  await using screen = await ScreenedTeam.open();
  screen.submitPlan(screen.enlist("alice"), "1. Look.\n2. Write.");
  await screen.shows("alice asks you to approve this plan");

  await screen.choose();
  expect(screen.terminal.text).toContain("y approve   n reject   r reject, because …");
  screen.press("y");
  await screen.showsNoMore("asks you to approve");

  expect(screen.told).toEqual(["allow-once"]);
});

test("nothing moves when a question is selected, or its rule is shown", async () => {
  await using screen = await ScreenedTeam.open();
  screen.ask(screen.enlist("alice"), { command: "npm test" }, rule);
  await screen.shows("ctrl-x to answer");
  const rows = () => screen.terminal.text.split("\n").length;
  const before = rows();

  await screen.choose();
  const chosen = rows();
  screen.press("a");
  await screen.shows("Always allow");

  expect([chosen, rows()]).toEqual([before, before]);
});

test("P38 /approve with the prefix of an id that was answered elsewhere answers no newer question", async () => {
  await using screen = await ScreenedTeam.open();
  const alice = screen.enlist("alice");
  const seen = screen.ask(alice, { command: "make" });
  await screen.shows("$ make");
  screen.withdraw(seen);
  const newer = screen.ask(alice, { command: "rm notes.txt" });
  await screen.shows("$ rm notes.txt");
  const shared = seen.id.slice(0, 6);
  expect(newer.id.startsWith(shared)).toBe(true);

  screen.press(`/approve ${shared}`);
  await screen.settle();
  screen.press(enter);
  await screen.shows(`Several requests start with ${shared}`);
  expect(screen.answered).toEqual([]);

  screen.press(`/approve ${newer.id}`);
  await screen.settle();
  screen.press(enter);
  await screen.showsNoMore("asks to run this");
  expect(screen.answered).toEqual([newer.id]);
});

test.each([
  [24, 8, /^▌ alice asks to run th…\n▌ bash\n▌ \$ npm test\n▌ ctrl-x to answer$/m],
  [20, 5, /^▌ alice asks to ru…\n▌ ctrl-x to answer$/m],
])(
  "in a terminal of %i columns and %i rows, a question still says who asks, and is whole above",
  async (columns, rows, panel) => {
    await using screen = await ScreenedTeam.open({ columns, rows });

    screen.ask(screen.enlist("alice"), { command: "npm test" }, rule);

    await screen.shows(panel);
    expect(screen.terminal.text).toMatch(/^\? alice asks to run$[\s\S]*^ {2}\$ npm test$/m);
    await screen.settle();
    screen.press(chooseKey);
    await screen.shows(/^█ {2}alice asks .*\n(█ .*\n)*█ y n r a esc$/m);
    await screen.settle();
    screen.press("y");
    await screen.until(() => screen.told.length > 0, "not answered");
    expect(screen.told).toEqual(["allow-once"]);
  },
);

test("a question that fits no more when the terminal becomes smaller is printed above, once", async () => {
  await using screen = await ScreenedTeam.open({ rows: 40 });
  const command = Array.from({ length: 8 }, (_, index) => `echo ${index}`).join("\n");
  screen.ask(screen.enlist("alice"), { command });
  await screen.shows("echo 7");
  expect(screen.terminal.text).not.toContain("? alice asks to run");

  screen.terminal.resize(80, 14);
  await screen.shows(/^\? alice asks to run$[\s\S]*echo 7[\s\S]*… \d more lines, above/m);
  screen.terminal.resize(80, 12);
  await screen.settle();

  expect(screen.terminal.text.match(/^\? alice asks to run$/gm)).toHaveLength(1);
});
