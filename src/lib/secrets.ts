/** The replacement of a secret. */
const placeholder = "[key]";

/** Shorter values would occur by chance, and hide text that is not a secret. */
const shortestSecret = 8;

/** The values that must not be stored, logged or shown anywhere. */
export class Secrets {
  #values: readonly string[] = [];
  #pattern: RegExp | undefined;

  constructor(values: Iterable<string>) {
    this.add(values);
  }

  /** For values that become known later. Streams that are open already do not know them. */
  add(values: Iterable<string>): void {
    const known = [...this.#values, ...values].map((value) => value.trim());
    this.#values = [...new Set(known)]
      .filter(({ length }) => length >= shortestSecret)
      // The longest first: a secret that begins with another one is replaced whole.
      .sort((a, b) => b.length - a.length);
    if (this.#values.length > 0) {
      this.#pattern = new RegExp(this.#values.map(escapeForPattern).join("|"), "g");
    }
  }

  /** `text` with each secret replaced by `[key]`. */
  mask(text: string): string {
    return this.#pattern ? text.replace(this.#pattern, placeholder) : text;
  }

  /** `value`, which is JSON data, with the secrets in its strings and keys replaced. */
  maskJson<T>(value: T): T;
  maskJson(value: unknown): unknown {
    if (!this.#pattern) return value;
    if (typeof value === "string") return this.mask(value);
    if (Array.isArray(value)) return value.map((item: unknown) => this.maskJson(item));
    if (typeof value !== "object" || value === null) return value;
    const members = Object.entries(value);
    return Object.fromEntries(members.map(([key, it]) => [this.mask(key), this.maskJson(it)]));
  }

  /** For text that comes in pieces. */
  stream(): SecretStream {
    return new SecretStream(this.#values, this.#pattern);
  }
}

/**
 * Masks text that comes in pieces; the returned pieces together are what `mask` makes of the whole.
 * It holds back only a possible beginning of a secret.
 */
export class SecretStream {
  readonly #values: readonly string[];
  readonly #pattern: RegExp | undefined;
  #held = "";

  constructor(values: readonly string[], pattern: RegExp | undefined) {
    this.#values = values;
    this.#pattern = pattern;
  }

  push(piece: string): string {
    if (!this.#pattern) return piece;
    const text = this.#held + piece;
    let masked = "";
    let from = 0;
    for (const match of text.matchAll(this.#pattern)) {
      // A secret that may begin before this one, or go on behind it, has to be decided first.
      const open = this.#openFrom(text, from);
      if (open <= match.index) break;
      masked += text.slice(from, match.index) + placeholder;
      from = match.index + match[0].length;
    }
    const open = this.#openFrom(text, from);
    this.#held = text.slice(open);
    return masked + text.slice(from, open);
  }

  /** The text that was held back, at the end. */
  end(): string {
    const rest = this.#held;
    this.#held = "";
    return this.#pattern ? rest.replace(this.#pattern, placeholder) : rest;
  }

  /**
   * The position, at or after `from`, of an unfinished secret at the end of the text; the text's
   * length if there is none.
   */
  #openFrom(text: string, from: number): number {
    const longest = this.#values[0]?.length ?? 0;
    for (let at = Math.max(from, text.length - longest + 1); at < text.length; at++) {
      const rest = text.slice(at);
      if (this.#values.some((value) => value.length > rest.length && value.startsWith(rest))) {
        return at;
      }
    }
    return text.length;
  }
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/**
 * The environment for a child process: without the variables of these names, and without any that
 * has a secret in its value.
 */
export function childEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  { names, secrets }: { names: readonly string[]; secrets: Secrets },
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || names.includes(name) || secrets.mask(value) !== value) continue;
    kept[name] = value;
  }
  return kept;
}
