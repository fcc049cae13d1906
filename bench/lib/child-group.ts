import type { z } from "zod";
import type { Child } from "./child.ts";

/** Children that are started together, identified by a key, and end together. */
export class ChildGroup<Key> implements AsyncDisposable {
  readonly #children: ReadonlyMap<Key, Child>;

  private constructor(children: ReadonlyMap<Key, Child>) {
    this.#children = children;
  }

  static async start<Key>(
    keys: readonly Key[],
    start: (key: Key) => Promise<Child>,
  ): Promise<ChildGroup<Key>> {
    const started = keys.map(async (key) => [key, await start(key)] as const);
    return new ChildGroup(new Map(await Promise.all(started)));
  }

  ask<Answer>(key: Key, question: object, answer: z.ZodType<Answer>): Promise<Answer> {
    const child = this.#children.get(key);
    if (!child) throw new Error(`No child is called ${key}`);
    return child.ask(question, answer);
  }

  /** Asks all at once. */
  askAll<Answer>(question: object, answer: z.ZodType<Answer>): Promise<Answer[]> {
    return Promise.all([...this.#children.values()].map((child) => child.ask(question, answer)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const children = [...this.#children.values()];
    await Promise.all(children.map((child) => child[Symbol.asyncDispose]()));
  }
}
