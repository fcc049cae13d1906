import type { Talk } from "../talk/talk.ts";
import { type CutText, cutItem, cutQuestion } from "./cut-texts.ts";
import type { Key } from "./keys.ts";
import { Pager, type PagerText } from "./pager.ts";
import type { Painter } from "./painter.ts";
import type { PrintedView } from "./printed-view.ts";
import { isTooLong, panelHeight } from "./question-panel.ts";
import type { QuestionQueue } from "./question-queue.ts";
import { transcriptText } from "./transcript-text.ts";

interface OpenedTextOptions {
  talk: Pick<Talk, "io" | "teamDir">;
  painter: Painter;
  printed: PrintedView;
  questions: QuestionQueue;
  onError(error: unknown): void;
}

/** The text that the person has opened in full. While it is open, all keys are its own. */
export class OpenedText {
  readonly #options: OpenedTextOptions;
  #pager: Pager | undefined;
  /** Which of the cut texts is open, counted from the newest; 0 for a history. */
  #number = 0;

  constructor(options: OpenedTextOptions) {
    this.#options = options;
  }

  /**
   * Opens the text that was cut so many texts ago (1 is the last one), or all that the viewed member
   * saw, said and did, which is also opened if nothing was cut.
   */
  open(what: number | "history"): void {
    const texts = this.#cutTexts();
    if (what === "history" || texts.length === 0) {
      this.#run(() => this.#openHistory());
      return;
    }
    const number = Math.min(Math.max(1, what), texts.length);
    const text = texts[number - 1];
    if (text) this.#run(() => this.#openCut(text, number));
  }

  /** Opens a text that was not shown before. */
  openText(text: PagerText): void {
    this.#show(text, 0);
    this.#options.painter.drawSoon();
  }

  /** Takes a key if a text is open. */
  press(key: Key): boolean {
    const pager = this.#pager;
    if (!pager) return false;
    const name = key.type === "paste" ? "" : key.type === "text" ? key.text : key.name;
    if (isClosing(key)) this.#close();
    else if (name === "p" || name === "left") this.open(this.#number + 1);
    else if (name === "n" || name === "right") this.open(this.#number - 1);
    else if (name === "h") this.open("history");
    else pager.press(key);
    this.#run(() => pager.loadEarlier());
    return true;
  }

  /** The open question comes first if its panel has no room for all of it. */
  #cutTexts(): CutText[] {
    const { questions, printed, painter, talk } = this.#options;
    const { up } = questions;
    const isCut = up && isTooLong(up, printed.format, panelHeight(painter.height));
    const items = printed.cutItems.map((item) => cutItem(item, talk));
    return isCut ? [cutQuestion(up), ...items] : items;
  }

  async #openHistory(): Promise<void> {
    const { talk, printed } = this.#options;
    const view = await talk.io.viewTeam(talk.teamDir);
    this.#show(await transcriptText(view, printed.viewed), 0);
  }

  async #openCut({ title, load }: CutText, number: number): Promise<void> {
    this.#show({ title, part: await load() }, number);
  }

  #show(text: PagerText, number: number): void {
    const { painter, printed, questions } = this.#options;
    const pager = new Pager(text);
    this.#pager = pager;
    this.#number = number;
    painter.cover((size) => {
      const asker = questions.up?.from;
      const news = asker === undefined ? undefined : `q closes · ${asker} asks you something`;
      return pager.render({ ...printed.format, ...size, news });
    });
  }

  #close(): void {
    this.#pager = undefined;
    this.#options.painter.uncover();
  }

  #run(step: () => Promise<void>): void {
    const { painter, onError } = this.#options;
    step().then(() => painter.drawSoon(), onError);
  }
}

function isClosing(key: Key): boolean {
  if (key.type === "text") return key.text === "q";
  if (key.type === "paste") return false;
  return key.name === "escape" || (key.ctrl && ["c", "d", "o"].includes(key.name));
}
