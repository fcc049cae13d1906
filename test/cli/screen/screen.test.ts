import { mkdir, realpath, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead, type MemberName, newMessageId, user } from "../../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { pngOf } from "../../support/images.ts";
import { ScreenedTeam } from "../../support/screened-team.ts";

const enter = "\r";
const up = "\x1b[A";
const escapeKey = "\x1b";

test("typed text goes to the lead, and is shown as sent", async () => {
  await using screen = await ScreenedTeam.open();

  screen.press(`fix the tests${enter}`);
  await screen.shows("› fix the tests\n");

  expect(screen.told).toEqual(["message lead: fix the tests"]);
});

test("the lead's text streams in, and stays", async () => {
  await using screen = await ScreenedTeam.open();

  screen.happen({ type: "run-start", member: lead });
  screen.happen({ type: "text-delta", member: lead, text: "I look at the te" });
  await screen.shows("I look at the te");
  screen.happen({ type: "text-delta", member: lead, text: "sts.\n\nThen" });
  await screen.shows(/I look at the tests\.\n\nThen/);
  screen.happen({ type: "run-end", member: lead, outcome: "done" });
  screen.happen({ type: "member-change", member: lead, status: "idle" });
  await screen.showsNoMore("writes");

  expect(screen.terminal.text).toMatch(/I look at the tests\.\n\nThen\n/);
});

test("a thought is shown by its length, live and afterwards, and whole after Ctrl-T", async () => {
  await using screen = await ScreenedTeam.open();
  const think = (text: string) => screen.happen({ type: "thinking-delta", member: lead, text });

  screen.happen({ type: "run-start", member: lead });
  think("First the tests.\n");
  await screen.shows("thinking… 1 line");
  think("Then the\x1b[31m code.");
  await screen.shows("thinking… 2 lines");
  screen.happen({ type: "text-delta", member: lead, text: "I look.\n\n" });
  await screen.shows("thought, 2 lines\n");
  await screen.showsNoMore("thinking…");
  expect(screen.terminal.text).not.toContain("First the tests.");

  screen.press("half\x14");
  await screen.shows(/First the tests\.\n +Then the\\x1b\[31m code\./);
  await screen.shows("Thoughts are shown whole. Ctrl-T shows only their length.");
  await screen.shows("› half");
  think("Now I know.");
  await screen.shows("Now I know.");

  screen.press("\x14");
  await screen.shows("thinking… 1 line");
});

test("a thought of a reply that starts again is gone", async () => {
  await using screen = await ScreenedTeam.open();

  screen.happen({ type: "run-start", member: lead });
  screen.happen({ type: "thinking-delta", member: lead, text: "Hm." });
  await screen.shows("thinking… 1 line");
  screen.happen({ type: "reply-restart", member: lead, reason: "cut" });
  screen.happen({ type: "run-end", member: lead, outcome: "done" });
  await screen.shows("starts its reply again: cut");

  await screen.showsNoMore("thinking…");
  expect(screen.terminal.text).not.toContain("thought,");
});

test("of a long block that is still being written, the screen says how many lines are above", async () => {
  await using screen = await ScreenedTeam.open();
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);

  screen.happen({ type: "run-start", member: lead });
  screen.happen({ type: "text-delta", member: lead, text: `\`\`\`\n${lines.join("\n")}` });
  await screen.shows("line 40");

  const [, above = ""] = /… (\d+) lines above/.exec(screen.terminal.text) ?? [];
  const shown = screen.terminal.text.match(/line \d+$/gm) ?? [];
  expect(shown.length).toBeGreaterThan(5);
  expect(shown).toEqual(lines.slice(Number(above)));
  expect(screen.terminal.text).toMatch(/… \d+ lines above\n/);
});

test("Alt-D cuts the word after the cursor, Alt-/ redoes what Ctrl-_ has undone", async () => {
  await using screen = await ScreenedTeam.open();

  screen.press("one two\x01\x1bd");
  await screen.shows(/^› {2}two$/m);
  screen.press("\x1f");
  await screen.shows(/^› one two$/m);
  screen.press("\x1b/");
  await screen.shows(/^› {2}two$/m);
  screen.press("\x05\x19");
  await screen.shows(/^› {2}twoone$/m);
});

test("incoming text does not disturb the line being typed", async () => {
  await using screen = await ScreenedTeam.open();
  screen.press("half a sen");
  await screen.shows("› half a sen");

  for (let turn = 0; turn < 30; turn++) {
    screen.happen({ type: "text-delta", member: lead, text: `Paragraph ${turn}.\n\n` });
  }
  await screen.shows("Paragraph 29.");
  screen.press("tence");
  await screen.shows("› half a sentence");

  expect(screen.terminal.text.match(/half a sen/g)).toHaveLength(1);
});

test("the strip shows each member and its activity", async () => {
  await using screen = await ScreenedTeam.open();
  const alice = screen.enlist("alice");
  screen.enlist("bob", { role: "tester" });

  const input = { command: "npm test" };
  screen.happen({ type: "run-start", member: alice.name });
  screen.happen({ type: "tool-call", member: alice.name, call_id: "1", name: "bash", input });

  await screen.shows(/alice +bash npm test/);
  await screen.shows(/○ bob +idle · tester/);
});

test("the output of a command is shown live, and only a summary stays", async () => {
  await using screen = await ScreenedTeam.open();
  const input = { command: "npm test" };
  screen.happen({ type: "run-start", member: lead });
  screen.happen({ type: "tool-call", member: lead, call_id: "1", name: "bash", input });

  for (let done = 1; done <= 50; done++) {
    screen.happen({ type: "tool-output", member: lead, call_id: "1", text: `test ${done} ok\n` });
  }
  await screen.shows("test 50 ok");
  expect(screen.terminal.text).not.toContain("test 1 ok");
  const progress = "loads 10%\rloads 90%\r";
  screen.happen({ type: "tool-output", member: lead, call_id: "1", text: progress });
  await screen.shows(/^ {4}loads 90%$/m);
  screen.happen({
    type: "tool-result",
    member: lead,
    call_id: "1",
    output: "50 ok",
    is_error: false,
  });
  await screen.shows("└ 50 ok");

  await screen.showsNoMore("test 50 ok");
});

test("P40 an edit without a question shows its diff, and one that was asked about shows it once", async () => {
  await using screen = await ScreenedTeam.open();
  const name = "edit_file";
  const edit = (call_id: string, new_text: string) => {
    const input = { path: "a.ts", old_text: "one", new_text };
    screen.happen({ type: "tool-call", member: lead, call_id, name, input });
    return input;
  };
  const end = (call_id: string) =>
    screen.happen({
      ...{ type: "tool-result", member: lead, call_id, output: `Edited a.ts ${call_id}` },
      is_error: false,
    });

  edit("free", "two");
  end("free");
  await screen.shows(/└ Edited a\.ts free\n {4}- one\n {4}\+ two\n/);

  const input = edit("asked", "three");
  screen.ask({ name: lead }, input, undefined, { tool: name, call_id: "asked" });
  await screen.choose();
  screen.press("y");
  await screen.shows("allowed lead once");
  end("asked");
  await screen.shows("└ Edited a.ts asked");

  expect(screen.terminal.text.match(/\+ three/g)).toHaveLength(1);
});

test("twenty members fit on a small screen, those that need attention first", async () => {
  await using screen = await ScreenedTeam.open({ columns: 60, rows: 16 });
  const names = Array.from({ length: 20 }, (_, index) => `member-${index}`);

  const members = names.map((name) => screen.enlist(name));
  const last = members.at(-1);
  if (last) screen.ask(last, { command: "make" });

  await screen.shows("? member-19");
  await screen.shows(/\+\d+ more/);
  expect(screen.terminal.text.split("\n").length).toBeLessThanOrEqual(16);
});

test("P40 twelve members in 30 rows say what each does and costs, and how full the viewed one's context is", async () => {
  await using screen = await ScreenedTeam.open({ columns: 100, rows: 30 });
  const names = Array.from({ length: 12 }, (_, index) => `member-${index}`);

  for (const [index, { name }] of names.map((each) => screen.enlist(each)).entries()) {
    const input = { command: `make part-${index}` };
    screen.happen({ type: "run-start", member: name });
    screen.happen({ type: "tool-call", member: name, call_id: "1", name: "bash", input });
  }
  const usage = { input_tokens: 11_000, output_tokens: 1_000 };
  const noCache = { cache_read_tokens: 0, cache_write_tokens: 0 };
  screen.happen({ type: "turn-end", member: lead, turn: 1, usage: { ...usage, ...noCache } });

  for (const [index, name] of names.entries()) {
    await screen.shows(new RegExp(`${name} bash make part-${index}\\b`));
  }
  await screen.shows(/○ lead idle +12k/);
  await screen.shows("12k · context 25% · a-model · default");
  screen.press("\t");
  await screen.shows(/^── member-0 ──/m);
  await screen.showsNoMore("context 25%");
});

test("P40 a view shows what its member did before this screen, and then what it does, also if it has begun again", async () => {
  await using screen = await ScreenedTeam.open();
  const alice = screen.enlist("alice");
  const { transcript } = await screen.store.openMember(alice.name, { onSetAside: () => undefined });
  const at = new Date(0).toISOString();
  await transcript.append([
    { type: "reply", at, blocks: [{ type: "text", text: "What I said before." }], stop: "end" },
  ]);
  screen.happen({ type: "text-delta", member: alice.name, text: "And now.\n\n" });
  screen.happen({ type: "run-end", member: alice.name, outcome: "interrupted" });

  screen.press(`@alice${enter}`);
  await screen.shows(/── alice ──\n\nWhat I said before\.\n\nAnd now\./);
  screen.press("\t\t");

  await screen.until(
    () => screen.terminal.text.match(/What I said before/g)?.length === 2,
    "not shown again",
  );
});

test("a view says that it does not show its earlier items", async () => {
  await using screen = await ScreenedTeam.open();
  const alice = screen.enlist("alice");
  for (let turn = 0; turn < 40; turn++) {
    screen.happen({ type: "text-delta", member: alice.name, text: `Paragraph ${turn}.\n\n` });
  }
  screen.happen({ type: "run-end", member: alice.name, outcome: "interrupted" });
  screen.happen({ type: "text-delta", member: lead, text: "That was all.\n\n" });
  await screen.shows("That was all.");

  screen.press(`@alice${enter}`);

  await screen.shows(
    /── alice ──\n {2}… earlier items: \/show all, or ctrl-o and h\n\nParagraph 11\./,
  );
});

test("a view that is opened again shows what is new in it, and of what was seen no more than a screen has room for", async () => {
  await using screen = await ScreenedTeam.open({ rows: 16 });
  const alice = screen.enlist("alice");
  const say = (member: MemberName, text: string) =>
    screen.happen({ type: "text-delta", member, text: `${text}\n\n` });
  for (let turn = 0; turn < 25; turn++) say(alice.name, `Seen ${turn}.`);
  screen.press(`@alice${enter}`);
  await screen.shows(/── alice ──[\s\S]*Seen 0\.[\s\S]*Seen 24\./);
  screen.press("\t");
  await screen.shows("── lead ──");
  for (let turn = 0; turn < 12; turn++) say(alice.name, `New ${turn}.`);
  say(lead, "That was all.");
  await screen.shows("That was all.");

  screen.press("\t");
  await screen.until(
    () => screen.terminal.text.split("── alice ──\n").length === 3,
    "not opened again",
  );
  await screen.shows("New 11.");
  const [, , again] = screen.terminal.text.split("── alice ──\n");
  expect(again).toMatch(/^ {2}… earlier items[^\n]*\n\nNew 0\./);
  screen.press("\t\t");
  await screen.until(
    () => screen.terminal.text.split("── alice ──\n").length === 4,
    "not opened for a third time",
  );
  const [, , , once] = screen.terminal.text.split("── alice ──\n");
  expect(once).toMatch(/^ {2}… earlier items[^\n]*\n\nNew 5\.[\s\S]*New 11\./);
});

test("a question is shown in full, even if it is too long for its panel", async () => {
  await using screen = await ScreenedTeam.open({ rows: 16 });
  const command = Array.from({ length: 40 }, (_, index) => `echo ${index}`).join("\n");

  screen.ask(screen.enlist("alice"), { command });
  await screen.shows(/… \d+ more lines, above/);

  for (let index = 0; index < 40; index++) {
    expect(screen.terminal.text).toMatch(new RegExp(`echo ${index}\\n`));
  }
});

test("Tab opens the next member's view, which shows its activity and receives typed text", async () => {
  await using screen = await ScreenedTeam.open();
  const alice = screen.enlist("alice");
  screen.happen({ type: "text-delta", member: alice.name, text: "I have read it." });
  screen.happen({ type: "run-end", member: alice.name, outcome: "done" });
  await screen.shows(/alice/);
  expect(screen.terminal.text).not.toContain("I have read it.");

  screen.press("\t");
  await screen.shows("I have read it.");
  screen.press(`go on${enter}`);
  await screen.shows("⧗ to alice: go on");
  screen.see(alice.name);
  await screen.shows("› go on");

  expect(screen.told).toEqual(["message alice: go on"]);
});

test("a message to the lead from another view says whom it is to", async () => {
  await using screen = await ScreenedTeam.open();
  screen.enlist("alice");
  await screen.shows("alice");
  screen.press(`to you${enter}`);
  await screen.shows("› to you\n");
  screen.press("\t");
  await screen.shows("── alice ──");

  screen.press(`@lead from her view${enter}`);

  await screen.shows("› @lead from her view\n");
  expect(screen.told).toEqual(["message lead: to you", "message lead: from her view"]);
});

test("Escape interrupts the viewed member if it works, otherwise clears the line", async () => {
  await using screen = await ScreenedTeam.open();
  screen.press("nonsense");
  await screen.shows("› nonsense");
  screen.press(escapeKey);
  await screen.showsNoMore("nonsense");
  expect(screen.told).toEqual([]);

  screen.happen({ type: "run-start", member: lead });
  await screen.shows("starts");
  screen.press(escapeKey);
  await screen.until(() => screen.told.length > 0, "nobody was interrupted");

  expect(screen.told).toEqual(["interrupt lead"]);
});

test("Tab completes commands and names", async () => {
  await using screen = await ScreenedTeam.open();
  screen.enlist("alice");
  await screen.shows("alice");

  screen.press("/tea\t");
  await screen.shows("› /team");
  screen.press(enter);
  await screen.shows("Team: 1");
  screen.press("@al\t");
  await screen.shows(/› @al(ice|l)/);
});

test("names in commands may be written with @, as they are completed", async () => {
  await using screen = await ScreenedTeam.open();
  const alice = screen.enlist("alice");
  screen.atWork.push(alice.name);
  await screen.shows("alice");
  const lines = ["/mode plan @alice", "/clear @alice", "/interrupt @alice", "/stop @alice"];
  for (const [index, line] of lines.entries()) {
    screen.press(`${line}${enter}`);
    await screen.until(() => screen.told.length === index + 1, `${line} did nothing`);
  }
  screen.press("/view @al\t");
  await screen.shows("› /view @alice");
  screen.press(enter);
  await screen.shows(/^── alice ─/m);

  expect(screen.told).toEqual(["mode alice plan", "clear alice", "interrupt alice", "stop alice"]);
});

test("a line that cannot be sent is shown above the reason", async () => {
  await using screen = await ScreenedTeam.open();

  screen.press(`@no.one look${enter}`);

  await screen.shows(/^› @no\.one look\n {2}"no\.one" is not a member's name$/m);
});

test("while the member of the view works, the footer names the key that interrupts it first", async () => {
  await using screen = await ScreenedTeam.open();
  await screen.shows("  /help · shift-tab mode · ctrl-d quit");

  screen.happen({ type: "run-start", member: lead });

  await screen.shows("  /help · esc interrupt · shift-tab mode · ctrl-d quit");
});

test("an unknown command is refused with a suggestion", async () => {
  await using screen = await ScreenedTeam.open();

  screen.press(`/taem${enter}`);

  await screen.shows("There is no command /taem");
  await screen.shows("Did you mean /team?");
});

test("a long paste is one item in the line, and is sent whole", async () => {
  await using screen = await ScreenedTeam.open();
  const pasted = Array.from({ length: 200 }, (_, index) => `line ${index}`).join("\n");

  screen.press(`\x1b[200~${pasted}\x1b[201~`);
  await screen.shows(/\[pasted 200 lines/);
  screen.press(enter);
  await screen.until(() => screen.told.length > 0, "nothing was sent");

  expect(screen.told).toEqual([`message lead: ${pasted}`]);
});

test("a paste that never ends does not block the keyboard forever", async () => {
  await using screen = await ScreenedTeam.open();

  screen.press("\x1b[200~half a paste");
  await screen.shows("› half a paste");
  screen.press(" and keys");

  await screen.shows("› half a paste and keys");
});

test("control characters of models and files are escaped", async () => {
  await using screen = await ScreenedTeam.open();
  const alice = screen.enlist("alice");
  const nasty = "\x1b[2J\x1b]0;title\x07\u202edna\rover";

  screen.happen({ type: "text-delta", member: lead, text: `${nasty}\n\n` });
  screen.happen({
    type: "tool-call",
    member: lead,
    call_id: "1",
    name: nasty,
    input: { path: nasty },
  });
  screen.happen({
    type: "tool-result",
    member: lead,
    call_id: "1",
    output: nasty,
    is_error: false,
  });
  screen.happen({ type: "warning", message: nasty });
  screen.ask(alice, { command: nasty });
  await screen.shows("asks to run this");

  // The terminal of the test throws at whatever the screen itself does not use.
  expect(screen.terminal.text).toContain("\\x1b[2J");
  expect(screen.terminal.text).not.toContain("\u202e");
});

test("a narrower terminal gets narrower lines, and keeps the typed text", async () => {
  await using screen = await ScreenedTeam.open({ columns: 100 });
  screen.enlist("alice");
  screen.press("a line that is typed");
  await screen.shows("› a line that is typed");

  screen.terminal.resize(30, 12);
  screen.happen({
    type: "text-delta",
    member: lead,
    text: "Words that do not fit into thirty cells.\n\n",
  });
  await screen.shows(/Words that do not fit into\nthirty cells\./);

  await screen.shows("› a line that is typed");
});

test.each([
  ["q", `q${enter}`],
  ["exit", `exit${enter}`],
  ["Ctrl-D", "\x04"],
  ["Ctrl-C twice", "\x03\x03"],
])("%s quits", async (_title, keys) => {
  const screen = await ScreenedTeam.open();

  screen.press(keys);

  await expect(screen.departed).resolves.toBe("left");
});

test("Ctrl-C once clears the line, then warns", async () => {
  await using screen = await ScreenedTeam.open();
  screen.press("words");
  await screen.shows("› words");

  screen.press("\x03");
  await screen.showsNoMore("words");
  screen.press("\x03");

  await screen.shows("Ctrl-C again quits");
});

test("/new asks for a new team", async () => {
  const screen = await ScreenedTeam.open();

  screen.press(`/new${enter}`);

  await expect(screen.departed).resolves.toBe("start-new");
});

test("nothing of the frame is left after quitting", async () => {
  const screen = await ScreenedTeam.open();
  screen.enlist("alice");
  await screen.shows("alice");

  screen.press("\x04");
  await screen.departed;

  expect(screen.terminal.text).toBe("hello");
});

test("mail that the person sends from another shell is shown, and mail that was typed here is not repeated", async () => {
  await using screened = await ScreenedTeam.open();
  const [typed, other] = [newMessageId(screened.clock.now()), newMessageId(screened.clock.now())];
  screened.sentHere.add(typed);
  const mail = { type: "message-sent", member: user, message_type: "message", to: lead } as const;

  screened.happen({ ...mail, id: typed, preview: "typed at this screen" });
  screened.happen({ ...mail, id: other, preview: "from another shell" });
  await screened.shows("user → lead: from another shell");

  expect(screened.terminal.text).not.toContain("typed at this screen");
});

test("Ctrl-Z gives the terminal back, and nothing is written to it until the program continues", async () => {
  await using screened = await ScreenedTeam.open();
  screened.press("half a line");
  await screened.shows("› half a line");

  screened.press("\x1a");
  await screened.until(
    () => screened.told.includes("stop the process"),
    "the process is not stopped",
  );
  expect(screened.terminal.text).not.toContain("half a line");
  expect(screened.terminal.raw.endsWith("\x1b[<u\x1b[?1004l\x1b[?2004l")).toBe(true);
  const before = screened.terminal.raw;
  screened.happen({ type: "warning", message: "said meanwhile" });
  await screened.settle();
  expect(screened.terminal.raw).toBe(before);

  screened.stopListener?.comeBack();
  await screened.shows("› half a line");
  await screened.shows("said meanwhile");
});

test("Ctrl-L draws the screen again, whatever another program has written to it", async () => {
  await using screened = await ScreenedTeam.open();
  screened.happen({ type: "text-delta", member: lead, text: "A whole paragraph.\n\n" });
  screened.press("typed");
  await screened.shows("› typed");
  screened.terminal.write("stray output of another program");

  screened.press("\f");
  await screened.showsNoMore("stray");
  await screened.shows("A whole paragraph.");
  await screened.shows(/^› typed$/m);
});

test("Ctrl-_ undoes", async () => {
  await using screened = await ScreenedTeam.open();
  screened.press("one two");
  screened.press("\x17");
  await screened.shows(/^› one$/m);

  screened.press("\x1f");
  await screened.shows(/^› one two$/m);
});

test("Ctrl-R finds an earlier message, which is sent only by another Enter", async () => {
  await using screened = await ScreenedTeam.open();
  for (const text of ["fix the parser", "write docs", "fix the tests"]) {
    screened.press(`${text}${enter}`);
    await screened.until(() => screened.told.at(-1) === `message lead: ${text}`, "it is not sent");
  }
  screened.press("a draft");
  screened.press("\x12FIX");
  await screened.shows(/^search “FIX” › fix the tests$/m);
  screened.press("\x12");
  await screened.shows(/^search “FIX” › fix the parser$/m);
  screened.press("\x12");
  await screened.shows(/^not found “FIX” › fix the parser$/m);
  screened.press(enter);
  await screened.showsNoMore("not found");
  expect(screened.told).toHaveLength(3);

  screened.press(enter);
  await screened.until(() => screened.told.length === 4, "it is not sent");
  expect(screened.told.at(-1)).toBe("message lead: fix the parser");
});

test("Escape ends a search with the line as it was, and does nothing else", async () => {
  await using screened = await ScreenedTeam.open();
  screened.press(`fix the parser${enter}`);
  await screened.shows("› fix the parser");
  screened.press("a draft");
  screened.press("\x12parser");
  await screened.shows(/^search “parser” › fix the parser$/m);
  screened.press(escapeKey);
  await screened.shows(/^› a draft$/m);
});

test("a key that moves ends a search, and moves in the found text", async () => {
  await using screened = await ScreenedTeam.open();
  screened.press(`fix the parser${enter}`);
  await screened.shows("› fix the parser");
  screened.press("\x12pars");
  await screened.shows(/^search “pars” › fix the parser$/m);
  screened.press("\x1b[H");
  screened.press("please ");
  await screened.shows(/^› please fix the parser$/m);
});

test("Ctrl-G has the line edited elsewhere", async () => {
  await using screened = await ScreenedTeam.open();
  screened.press("a line");
  screened.press("\x07");
  await screened.shows(/^› a line, edited$/m);
});

test("a pasted path of an image becomes the image, until it is removed", async () => {
  await using pictures = await temporaryDirectory();
  const path = join(pictures.path, "a shot.png");
  await writeFile(path, pngOf(40, 30));
  await using directory = await temporaryDirectory();
  await using screened = await ScreenedTeam.open({ columns: 200, workspace: directory.path });
  const paste = (text: string) => screened.press(`\x1b[200~${text}\x1b[201~`);

  screened.press("what is in ");
  paste(`'${path}' `);
  await screened.shows("› what is in [image a shot.png]");
  screened.press(`?${enter}`);
  await screened.shows(`attached ${path} (image/png, 1 kB)`);
  expect(screened.told).toEqual([`message lead: what is in [image a shot.png]?\n${path}`]);

  screened.press(`${up} Once more.${enter}`);
  await screened.until(() => screened.told.length === 2, "not sent again");
  expect(screened.told[1]).toBe(`message lead: what is in [image a shot.png]? Once more.\n${path}`);
  paste(path);
  screened.press(`\x7fnothing${enter}`);
  await screened.until(() => screened.told.length === 3, "not sent");
  expect(screened.told[2]).toBe("message lead: nothing");
});

test("the path of an image that is typed, or pasted into a command or a reason, stays text", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "shot.png");
  await writeFile(path, pngOf(40, 30));
  await using screened = await ScreenedTeam.open({ columns: 200, workspace: directory.path });

  screened.press(`see ${path}${enter}`);
  await screened.until(() => screened.told.length === 1, "not sent");
  screened.press(`[image shot.png]${enter}`);
  await screened.until(() => screened.told.length === 2, "not sent");
  expect(screened.told).toEqual([`message lead: see ${path}`, "message lead: [image shot.png]"]);
  screened.press(`/resume \x1b[200~${path}\x1b[201~`);
  await screened.shows(`› /resume ${path}`);
  screened.press("\x15");
  screened.ask(screened.enlist("alice"), { command: "ls" });
  await screened.shows("ls");
  await screened.choose();
  screened.press("r");
  await screened.shows("no, because");
  screened.press(`\x1b[200~${path}\x1b[201~`);
  await screened.shows(`no, because › ${path}`);
  await screened.settle();
  screened.press(enter);
  await screened.until(() => screened.told.length === 3, "not denied");
  expect(screened.told[2]).toBe(`deny (${path})`);
});

test("an image that is too large stays text, and the screen says why", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "shot.png");
  await writeFile(path, pngOf(40, 30));
  await truncate(path, 4_000_000);
  await using screened = await ScreenedTeam.open({ columns: 200, workspace: directory.path });

  screened.press(`\x1b[200~${path}\x1b[201~`);

  await screened.shows(`› ${path}`);
  await screened.shows("has 4000000 bytes, and 3750000 are allowed: its path stays text.");
});

test("a waiting line that is taken back has its image, and one that is edited elsewhere too", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "shot.png");
  await writeFile(path, pngOf(40, 30));
  await using screened = await ScreenedTeam.open({ columns: 200, workspace: directory.path });
  screened.happen({ type: "run-start", member: lead });
  await screened.shows("ctrl-d quit");
  screened.press("look at ");
  screened.press(`\x1b[200~${path}\x1b[201~`);
  screened.press(enter);
  await screened.shows("⧗ to lead: look at [image shot.png]");

  screened.press(up);
  await screened.shows("› look at [image shot.png]");
  screened.press("\x07");
  await screened.shows("› look at [image shot.png], edited");
  screened.press(enter);

  await screened.until(() => screened.told.length === 3, "not sent again");
  expect(screened.told[2]).toBe(`message lead: look at [image shot.png], edited\n${path}`);
});

test("a command has no images, and an image that has gone is reported", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "shot.png");
  await writeFile(path, pngOf(40, 30));
  await using screened = await ScreenedTeam.open({ columns: 200, workspace: directory.path });
  const paste = () => screened.press(`\x1b[200~${path}\x1b[201~`);

  paste();
  screened.press(`\x01/help ${enter}`);
  await screened.shows("A command cannot have images");
  paste();
  await screened.shows("› [image shot.png]");
  await rm(path);
  screened.press(enter);
  await screened.shows(`The image ${path} cannot be read`);
  expect(screened.told).toEqual([]);
});

test("a mentioned file goes with the message, and the screen says so", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, "src"));
  await writeFile(join(directory.path, "src", "a.ts"), "const a = 1;\nconst b = 2;\n");
  await using screened = await ScreenedTeam.open({ workspace: directory.path });
  screened.press("explain @sr");
  await screened.shows("@src/  @src/a.ts");
  screened.press("c/a.ts:2 please");
  screened.press(enter);
  await screened.shows("attached src/a.ts:2 (1 line)");
  expect(screened.told).toEqual([
    'message lead: explain @src/a.ts:2 please\n\n<file path="src/a.ts" lines="2-2">\nconst b = 2;\n</file>',
  ]);
});

test("a mentioned image goes with a message to one member, and not to all", async () => {
  await using directory = await temporaryDirectory();
  const path = join(await realpath(directory.path), "shot.png");
  await writeFile(path, pngOf(40, 30));
  await using screened = await ScreenedTeam.open({ workspace: directory.path });
  screened.press(`what is in @shot.png${enter}`);
  await screened.shows("attached shot.png (image/png, 1 kB)");
  screened.press(`@all look at @shot.png${enter}`);
  await screened.shows("A message to all cannot have images");
  expect(screened.told).toEqual([`message lead: what is in @shot.png\n${path}`]);
});

test("a line may begin with a mention, and any other name at its start is a member's", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, "notes.md"), "a note\n");
  await using screened = await ScreenedTeam.open({ workspace: directory.path });
  screened.press(`@notes.md shorten this${enter}`);
  await screened.shows("attached notes.md (1 line)");
  screened.press(`@notes.txt shorten this${enter}`);
  await screened.until(() => screened.told.length === 2, "it is not sent");
  expect(screened.told).toEqual([
    'message lead: @notes.md shorten this\n\n<file path="notes.md">\na note\n</file>',
    "message notes.txt: shorten this",
  ]);
});

const openKey = "\x0f";

/** Has the lead run a command with so many lines of output. */
function runCommand(screen: ScreenedTeam, count: number): void {
  const output = Array.from({ length: count }, (_, index) => `row ${index + 1}.`).join("\n");
  const input = { command: "npm test" };
  screen.happen({ type: "tool-call", member: lead, call_id: "1", name: "bash", input });
  screen.happen({ type: "tool-result", member: lead, call_id: "1", output, is_error: false });
}

test("P40 Ctrl-O opens a cut output in full, keys scroll it, and q goes back to what was typed", async () => {
  await using screen = await ScreenedTeam.open({ rows: 12 });
  runCommand(screen, 40);
  await screen.shows("40 lines (ctrl-o opens), the last 8:");
  screen.press("half a line");
  await screen.shows("› half a line");
  screen.happen({ type: "member-change", member: lead, status: "idle" });
  await screen.showsNoMore("thinks");
  const before = screen.terminal.text;

  screen.press(openKey);
  await screen.shows(/^bash npm test\n(.*\n){10}.*1–10 of 41$/);
  expect(screen.terminal.text).toContain("row 1.");
  expect(screen.terminal.text).not.toContain("half a line");
  screen.press("G");
  await screen.shows("row 40.");
  screen.press("g");
  await screen.shows("row 1.");
  screen.press("\x1b[6~\x1b[B");
  await screen.shows("row 12.");
  screen.press("q");
  await screen.shows("› half a line");

  expect(screen.terminal.text).toBe(before);
});

test("the team goes on while a text is open, and a question is announced there", async () => {
  await using screen = await ScreenedTeam.open();
  runCommand(screen, 40);
  await screen.shows("ctrl-o opens");

  screen.press(openKey);
  await screen.shows("q closes");
  screen.happen({ type: "text-delta", member: lead, text: "Meanwhile.\n\n" });
  screen.ask(screen.enlist("alice"), { command: "make" });
  await screen.shows("alice asks you something");
  expect(screen.terminal.text).not.toContain("Meanwhile.");
  screen.press("y");
  screen.press("q");
  await screen.shows("Meanwhile.");

  expect(screen.answered).toEqual([]);
  await screen.shows("alice asks to run this");
});

test("/show 2 opens the text before the last one, and p and n turn to the others", async () => {
  await using screen = await ScreenedTeam.open();
  runCommand(screen, 40);
  await screen.shows("the last 8");
  screen.press(`${Array.from({ length: 20 }, (_, index) => `typed ${index}`).join("\\\r")}\r`);
  await screen.shows("⧗ to lead: typed 0");
  screen.see(lead);
  await screen.shows("more lines, ctrl-o opens");

  screen.press(`/show 2${enter}`);
  await screen.shows(/^bash npm test/);
  screen.press("n");
  await screen.shows(/^your message/);
  screen.press("p");
  await screen.shows(/^bash npm test/);
});

test("P40 a plan that is too long for its panel is opened in full", async () => {
  await using screen = await ScreenedTeam.open({ rows: 16 });
  const plan = Array.from({ length: 60 }, (_, index) => `- step ${index + 1}.`).join("\n");
  screen.submitPlan(screen.enlist("bob"), plan);
  await screen.shows("bob asks you to approve this plan");

  screen.press(openKey);
  await screen.shows(/^bob asks you\n/);
  expect(screen.terminal.text).not.toContain("step 60.");
  screen.press("G");

  await screen.shows("step 60.");
});

test("an open text is wrapped again when the terminal is resized", async () => {
  await using screen = await ScreenedTeam.open({ columns: 80, rows: 20 });
  const input = { command: `echo ${"x".repeat(600)}` };
  screen.happen({ type: "tool-call", member: lead, call_id: "1", name: "bash", input });
  await screen.shows("● bash echo");

  screen.press(openKey);
  await screen.shows(/^bash echo/);
  await screen.shows(/^q closes · ↑ ↓ PgUp PgDn g G scroll · p n other items · h history {2,}1–/m);
  screen.terminal.resize(40, 20);
  await screen.shows(/\n {4}x{32}\n/);
  // Keys that have no room are left out whole, and the one that closes it stays.
  await screen.shows(/^q closes {2,}1–/m);
});
