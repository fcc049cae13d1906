import type { Effects } from "./effects.ts";
import { type FuzzedMode, type HitKind, hitsOf } from "./hits.ts";
import type { Judge } from "./judge.ts";
import { minimise } from "./minimise.ts";
import { Sandbox } from "./sandbox.ts";
import type { World } from "./world.ts";

export interface Hit {
  /** The shortest form that still has the effect. */
  readonly line: string;
  readonly mode: FuzzedMode;
  readonly kinds: readonly HitKind[];
}

export interface Tally {
  generated: number;
  /** The lines that were judged harmless in a mode. */
  run: number;
  hits: Hit[];
  throws: string[];
  slowestMs: number;
  slowestLine: string;
}

interface CampaignOptions {
  world: World;
  judge: Judge;
  driver: string;
  /** Lines with a hit are minimised and printed at once. */
  onHit(hit: Hit): void;
}

/** Judges lines, runs those that are judged harmless, and counts their effects. */
export class Campaign {
  readonly tally: Tally = {
    generated: 0,
    run: 0,
    hits: [],
    throws: [],
    slowestMs: 0,
    slowestLine: "",
  };
  readonly #options: CampaignOptions;
  readonly #shapes = new Set<string>();
  #sandbox: Sandbox | undefined;

  constructor(options: CampaignOptions) {
    this.#options = options;
  }

  async run(lines: Iterable<string>): Promise<void> {
    let running = Promise.resolve();
    for (const line of lines) {
      this.tally.generated++;
      const modes = await this.#judge(line);
      if (modes.length === 0) continue;
      // The next line is judged in the meantime.
      await running;
      running = this.#try(line, modes);
    }
    await running;
    await this.#sandbox?.[Symbol.asyncDispose]();
  }

  async #judge(line: string): Promise<FuzzedMode[]> {
    const { world, judge } = this.#options;
    const startMs = performance.now();
    try {
      return await judge(world.place(line));
    } catch (error) {
      this.tally.throws.push(`${line}: ${error}`);
      return [];
    } finally {
      const tookMs = performance.now() - startMs;
      if (tookMs > this.tally.slowestMs) {
        this.tally.slowestMs = tookMs;
        this.tally.slowestLine = line;
      }
    }
  }

  async #try(line: string, modes: readonly FuzzedMode[]): Promise<void> {
    this.tally.run++;
    const mode = modes.at(-1) ?? "acceptEdits";
    const first = hitsOf(await this.#effects(line), mode);
    if (first.length === 0) return;
    // Run it once more: a late effect may be from the previous line.
    const kinds = hitsOf(await this.#effects(line), mode);
    if (kinds.length === 0) return;
    const hit = { mode, kinds, line: await this.#shorten(line, mode, kinds) };
    this.tally.hits.push(hit);
    this.#options.onHit(hit);
  }

  /** Only once for each shape: many hits of one kind are the same finding. */
  async #shorten(line: string, mode: FuzzedMode, kinds: readonly HitKind[]): Promise<string> {
    const shape = line.replace(/\w+/g, "w");
    if (this.#shapes.has(shape)) return line;
    this.#shapes.add(shape);
    return await minimise(line, async (shorter) => {
      if (!(await this.#judge(shorter)).includes(mode)) return false;
      const found = hitsOf(await this.#effects(shorter), mode);
      return found.some((kind) => kinds.includes(kind));
    });
  }

  async #effects(line: string): Promise<Effects | undefined> {
    const { world, driver } = this.#options;
    this.#sandbox ??= await Sandbox.start({ world, driver });
    const effects = await this.#sandbox.run(world.place(line));
    if (!effects) this.#sandbox = undefined;
    return effects;
  }
}
