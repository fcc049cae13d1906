import { z } from "zod";
import { reasonOf, TeamError } from "../errors.ts";
import { checksum } from "./checksum.ts";
import { type FilePath, nameOf, parentOf } from "./file-path.ts";
import { ensurePrivateDirectory, readTextIfExists, replaceFile } from "./files.ts";
import { parseJson } from "./json.ts";
import { Serial } from "./serial.ts";

const Texts = z.record(z.string(), z.string());

/**
 * Records outside the team directory which records of one kind exist, each with a text, so that a
 * missing file is noticed. Nothing here throws: its owner continues without it.
 */
export class Inventory {
  readonly #path: FilePath;
  readonly #onWarning: (message: string) => void;
  readonly #texts: Map<string, string>;
  readonly #serial = new Serial();

  private constructor(
    path: FilePath,
    onWarning: (message: string) => void,
    texts: Map<string, string>,
  ) {
    this.#path = path;
    this.#onWarning = onWarning;
    this.#texts = texts;
  }

  static async open(
    path: FilePath,
    { onWarning }: { onWarning(message: string): void },
  ): Promise<Inventory> {
    return new Inventory(path, onWarning, await readTexts(path, onWarning));
  }

  get names(): string[] {
    return [...this.#texts.keys()];
  }

  get(name: string): string | undefined {
    return this.#texts.get(name);
  }

  /** Call it once the record itself exists. */
  async add(name: string, text: string): Promise<void> {
    if (this.#texts.get(name) === text) return;
    this.#texts.set(name, text);
    await this.#save();
  }

  /** Call it before the record itself is removed. */
  async remove(name: string): Promise<void> {
    if (this.#texts.delete(name)) await this.#save();
  }

  async #save(): Promise<void> {
    await this.#serial.run(async () => {
      try {
        await ensurePrivateDirectory(parentOf(this.#path));
        const json = JSON.stringify(Object.fromEntries(this.#texts));
        await replaceFile(this.#path, `${sumOf(this.#path, json)} ${json}\n`);
      } catch (error) {
        this.#onWarning(unusable(this.#path, error));
      }
    });
  }
}

async function readTexts(
  path: FilePath,
  onWarning: (message: string) => void,
): Promise<Map<string, string>> {
  try {
    const stored = await readTextIfExists(path);
    if (stored === undefined) return new Map();
    const [, sum, json = ""] = /^([0-9a-f]{8}) (.*)\n$/s.exec(stored) ?? [];
    if (sum !== sumOf(path, json)) throw new TeamError("record-corrupt", "it is damaged");
    return new Map(Object.entries(parseJson(json, Texts, String(path))));
  } catch (error) {
    onWarning(unusable(path, error));
    return new Map();
  }
}

/** Includes the name: the content of another file is not valid here. */
function sumOf(path: FilePath, json: string): string {
  return checksum(`${nameOf(path)} ${json}`);
}

function unusable(path: FilePath, error: unknown): string {
  const reason = reasonOf(error);
  return `${path} cannot be used: ${reason}. Without it, lost record files may go unnoticed.`;
}
