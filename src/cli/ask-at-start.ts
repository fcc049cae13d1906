import type { Io } from "./command.ts";
import { columns } from "./render/columns.ts";
import { Editor } from "./screen/editor.ts";
import { KeyGuard } from "./screen/key-guard.ts";
import { Keyboard } from "./screen/keyboard.ts";
import type { Key } from "./screen/keys.ts";

/** A question that the person must answer before a team is opened. */
export interface StartQuestion<Answer extends string> {
  /** The facts, one per line. Text from files must already be printable. */
  lines: readonly string[];
  /** The accepted words, in lower case, each with its effect. */
  answers: Readonly<Record<Answer, string>>;
}

/** Input counts only after the keyboard was silent for this long below the question. */
const silenceMs = 250;

/**
 * Asks the person at the terminal. Only a whole word, typed after the prompt has appeared and
 * followed by Enter, is an answer: earlier input and pastes are dropped. Returns undefined if the
 * person quits (Ctrl-C, Ctrl-D), the terminal closes or the program ends. Needs an interactive
 * terminal.
 */
export async function askAtStart<Answer extends string>(
  question: StartQuestion<Answer>,
  io: Pick<Io, "terminal" | "schedule" | "signal">,
): Promise<Answer | undefined> {
  const { terminal, schedule, signal } = io;
  const prompt = new Prompt(question, io);
  const leave = () => prompt.leave();
  // The keyboard comes before the question: it keeps the terminal from echoing what is dropped.
  using _keyboard = new Keyboard(terminal, {
    onKeys: (keys) => prompt.press(keys),
    onFocus: () => undefined,
    onEnd: leave,
    schedule,
  });
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) return undefined;
  try {
    return await prompt.ask();
  } finally {
    prompt.end();
    signal.removeEventListener("abort", leave);
  }
}

/** The input line of a question at the start. */
class Prompt<Answer extends string> {
  readonly #question: StartQuestion<Answer>;
  readonly #io: Pick<Io, "terminal" | "schedule">;
  #resolve: (answer: Answer | undefined) => void = () => undefined;
  #editor = Editor.empty;
  readonly #guard: KeyGuard;

  constructor(question: StartQuestion<Answer>, io: Pick<Io, "terminal" | "schedule">) {
    this.#question = question;
    this.#io = io;
    this.#guard = new KeyGuard({ schedule: io.schedule, onOpen: () => this.#draw() });
  }

  /** Resolves to the answer, or to undefined if the person quits. */
  ask(): Promise<Answer | undefined> {
    const { lines, answers } = this.#question;
    const words: [string, string][] = Object.entries(answers);
    const width = Math.max(...words.map(([word]) => word.length));
    for (const line of lines) this.#write(`${line}\n`);
    this.#write("Type one of these words and press Enter:\n");
    for (const line of words.flatMap(([word, does]) => columns(word, does, width))) {
      this.#write(`${line}\n`);
    }
    this.#guard.close(silenceMs);
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  press(keys: readonly Key[]): void {
    if (keys.some(isLeaving)) this.leave();
    else if (!this.#guard.isOpen) this.#guard.close(silenceMs);
    else {
      // Enter together with other keys is a paste, or was pressed before they could be read.
      const isAlone = keys.length === 1;
      for (const key of keys) this.#take(key, isAlone);
    }
  }

  leave(): void {
    this.#resolve(undefined);
  }

  end(): void {
    this.#guard.cancel();
    this.#write("\n");
  }

  #take(key: Key, isAlone: boolean): void {
    if (key.type === "paste") this.#hint("Pasted text is not accepted here");
    else if (key.type === "text") this.#edit(this.#editor.insert(key.text));
    else if (key.name === "enter" && isAlone) this.#submit();
    else if (key.name === "enter") this.#edit(this.#editor, "Press Enter again.");
    else if (key.name === "backspace") this.#edit(this.#editor.backspace());
    else if (key.ctrl && key.name === "u") this.#edit(this.#editor.clear());
    else if (key.ctrl && key.name === "d") this.leave();
  }

  #submit(): void {
    const typed = this.#editor.value.trim().replace(/\s+/g, " ").toLowerCase();
    const answer = this.#words.find((word) => word === typed);
    if (answer !== undefined) this.#resolve(answer);
    else this.#hint(typed === "" ? "Nothing was typed" : "That is not one of the words");
  }

  #hint(problem: string): void {
    this.#editor = Editor.empty;
    const words = this.#words.map((word) => `"${word}"`).join(" or ");
    this.#write(`\r${eraseLine}${problem}: type ${words}, or press Ctrl-C to leave.\n`);
    this.#draw();
  }

  get #words(): Answer[] {
    const { answers } = this.#question;
    const isWord = (word: string): word is Answer => word in answers;
    return Object.keys(answers).filter(isWord);
  }

  #edit(editor: Editor, note?: string): void {
    this.#editor = editor;
    if (note) this.#write(`\r${eraseLine}${note}\n`);
    this.#draw();
  }

  #draw(): void {
    const room = Math.max(2, this.#io.terminal.output.columns - 3);
    const { lines, cursor } = this.#editor.layout(room, 1);
    this.#write(`\r${eraseLine}› ${lines[0] ?? ""}\r\x1b[${cursor.column + 2}C`);
  }

  #write(text: string): void {
    this.#io.terminal.output.write(text);
  }
}

const eraseLine = "\x1b[K";

function isLeaving(key: Key): boolean {
  return key.type === "key" && key.ctrl && key.name === "c";
}
