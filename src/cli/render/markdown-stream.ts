/**
 * Cuts Markdown that arrives in pieces into blocks which no later text can change. Each block can
 * be rendered alone: the renderings with one empty line between them are the rendering of the whole.
 */
export class MarkdownStream {
  #rest = "";

  /** The source of the blocks that `delta` completes. */
  push(delta: string): string[] {
    this.#rest += delta;
    return [];
  }

  /** The source of what is not complete yet. */
  get rest(): string {
    return this.#rest;
  }

  /** The source of what is left when no more comes. */
  end(): string[] {
    const rest = this.#rest;
    this.#rest = "";
    return rest.trim() === "" ? [] : [rest];
  }
}
