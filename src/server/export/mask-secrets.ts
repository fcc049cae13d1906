import { Secrets } from "../../lib/secrets.ts";
import { placeholder, secretPatterns } from "./secret-patterns.ts";

/** Fields that the page needs as ids. Troupe made them, so they contain no secrets. */
const kept = new Set(["cursor", "id", "call_id", "hash", "at", "sent_at", "seen_at"]);

/**
 * Removes what others must not read from texts: known keys, everything that looks like a secret,
 * and the path of the person's home.
 */
export class SecretMask {
  readonly #known: Secrets;
  readonly #home: RegExp | undefined;
  #count = 0;

  /** Each of `known` becomes `[key]`, and the person's `home` directory becomes `~`. */
  constructor({ known, home }: { known: readonly string[]; home: string }) {
    this.#known = new Secrets(known);
    this.#home = homePattern(home);
  }

  /** How many secrets were masked so far. */
  get count(): number {
    return this.#count;
  }

  /** `text` with its secrets masked. */
  text(text: string): string {
    return this.#masked(text, () => placeholder);
  }

  /** Lines of one text. A secret over several of them is masked in each. */
  lines(lines: readonly string[]): string[] {
    const inEach = (secret: string) => secret.replace(/[^\n]+/g, placeholder);
    const masked = this.#masked(lines.join("\n"), inEach).split("\n");
    // A known key of several lines has become one word, so the lines no longer correspond.
    return masked.length === lines.length ? masked : lines.map(() => placeholder);
  }

  #masked(text: string, several: (secret: string) => string): string {
    const known = this.#known.mask(text);
    this.#count += occurrences(known, "[key]") - occurrences(text, "[key]");
    let masked = known;
    for (const { pattern, replace } of secretPatterns) {
      masked = masked.replace(pattern, (...match: string[]) => {
        const [secret = ""] = match;
        const shown = replace(...match);
        if (shown !== secret) this.#count += 1;
        return secret.includes("\n") ? several(secret) : shown;
      });
    }
    return this.#home ? masked.replace(this.#home, "~") : masked;
  }

  /** `value`, which is JSON data, with its texts masked. */
  json<T>(value: T): T;
  json(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return this.#list(value);
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value).map(([key, item]) => [
      key,
      kept.has(key) ? item : this.json(item),
    ]);
    return Object.fromEntries(members);
  }

  /** A secret may span several lines of a diff. */
  #list(items: readonly unknown[]): unknown[] {
    if (items.length > 0 && items.every(isDiffLine)) return this.#diff(items);
    return items.map((item) => this.json(item));
  }

  #diff(lines: readonly DiffLike[]): DiffLike[] {
    const texts = this.lines(lines.map(({ text }) => text));
    return lines.map((line, index) => ({ ...line, text: texts[index] ?? placeholder }));
  }
}

interface DiffLike {
  type: string;
  text: string;
}

const lineTypes: readonly unknown[] = ["same", "added", "removed", "skipped"];

function isDiffLine(item: unknown): item is DiffLike {
  if (typeof item !== "object" || item === null) return false;
  return "type" in item && lineTypes.includes(item.type) && "text" in item;
}

function homePattern(home: string): RegExp | undefined {
  const path = home.replace(/\/+$/, "");
  if (path.length < 2) return undefined;
  const escaped = path.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`(?<![\\w.~-])${escaped}(?![\\w-])`, "g");
}

function occurrences(text: string, word: string): number {
  return text.split(word).length - 1;
}
