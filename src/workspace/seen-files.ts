import { createHash } from "node:crypto";

const maxFiles = 10_000;
const maxContentBytes = 8 * 1024 * 1024;

/** The current file, compared with what the member knows of it. */
export type FileComparison =
  /** The member knows the current content: it may write. */
  | { type: "known" }
  /** It exists, and the member has not read it. */
  | { type: "unread" }
  /** It was there when the member read it. */
  | { type: "deleted" }
  /** `before` is the content that the member knows, if it is still in memory. */
  | { type: "changed"; before: Buffer | undefined };

interface Seen {
  readonly hash: string;
  content: Buffer | undefined;
}

/**
 * The files that one member has read or written, by real path. Bounded: the contents that were not
 * used for longest are forgotten first, then whole files, which must then be read again.
 */
export class SeenFiles {
  readonly #files = new Map<string, Seen>();
  readonly #onNote: (real: string) => void;
  #contentBytes = 0;

  /** `onNote` is called with every file that the member is shown, or writes. */
  constructor(onNote: (real: string) => void = () => undefined) {
    this.#onNote = onNote;
  }

  /** Records that the member has been shown this file, or has written it. */
  note(real: string, content: Buffer): void {
    this.forget(real);
    this.#files.set(real, { hash: hashOf(content), content });
    this.#contentBytes += content.length;
    this.#forgetOldest();
    this.#onNote(real);
  }

  forget(real: string): void {
    const seen = this.#files.get(real);
    if (seen) this.#dropContent(seen);
    this.#files.delete(real);
  }

  forgetAll(): void {
    for (const real of [...this.#files.keys()]) this.forget(real);
  }

  /** Undefined as `content` means that there is no such file. */
  compare(real: string, content: Buffer | undefined): FileComparison {
    const seen = this.#files.get(real);
    if (!seen) return { type: content ? "unread" : "known" };
    if (!content) return { type: "deleted" };
    if (hashOf(content) === seen.hash) return { type: "known" };
    return { type: "changed", before: seen.content };
  }

  #forgetOldest(): void {
    for (const seen of this.#files.values()) {
      if (this.#contentBytes <= maxContentBytes) break;
      this.#dropContent(seen);
    }
    for (const real of this.#files.keys()) {
      if (this.#files.size <= maxFiles) break;
      this.forget(real);
    }
  }

  #dropContent(seen: Seen): void {
    this.#contentBytes -= seen.content?.length ?? 0;
    seen.content = undefined;
  }
}

function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("base64");
}
