/** Files that a rule keeps out of what a search shows. That there are some is said, and no more. */
export class ClosedFiles {
  readonly #mayRead: (file: string) => boolean;
  #isAny = false;

  constructor(mayRead: (file: string) => boolean) {
    this.#mayRead = mayRead;
  }

  isOpen(file: string): boolean {
    const isOpen = this.#mayRead(file);
    this.#isAny ||= !isOpen;
    return isOpen;
  }

  /** The last line of the output, where something was left out. */
  get note(): string[] {
    return this.#isAny ? ["(files that a deny rule closes are left out)"] : [];
  }
}
