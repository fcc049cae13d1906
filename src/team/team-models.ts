import { reasonOf, TeamError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { modelsWithImages, takesImage } from "../model/image-support.ts";
import type { Model, ThinkingRequest } from "../model/model.ts";
import { type ModelFacts, modelFacts, type OwnModels } from "../model/model-facts.ts";
import { modelIds } from "../model/model-list.ts";
import {
  checkModel,
  hasProvider,
  Models,
  type ModelsOptions,
  reportsCost,
  warmUpModel,
} from "../model/models.ts";
import type { ProviderConfiguration } from "../model/provider-settings.ts";
import type { Recording } from "../model/recording.ts";
import { resolveModel, toldAssumptions } from "../model/resolve-model.ts";
import { effortProblem, unsentThinking } from "../model/unsent-thinking.ts";
import type { Effort } from "../protocol/effort.ts";
import type { MemberName } from "../protocol/ids.ts";
import { requireModel } from "./check-arguments.ts";
import type { LeadSettings } from "./members/member-definition.ts";

/**
 * Makes the model of a member, of any kind, or takes a built-in one by `openBuiltIn`. Either gets the
 * retries of the built-in ones. Throws `config-invalid` where a model cannot be what was asked for.
 */
export type OpenModel = (
  id: string,
  member: MemberName,
  openBuiltIn: (id: string) => Promise<Model>,
) => Promise<Model> | Model;

export interface TeamModelsOptions {
  clock: Clock;
  providers: ProviderConfiguration;
  recording: Recording | undefined;
  /** How long to wait for providers, how often, and how much to ask of them at once. */
  provider: Pick<ModelsOptions, "watchdogs" | "maxInFlight" | "maxAttempts" | "fallbackAfterMs">;
  /** Prices and limits of models, by id or its beginning, before those of the built-in table. */
  ownModels: OwnModels | undefined;
  /** How many tokens a reply may have (default: 32,000, or what the model allows). */
  maxOutputTokens: number | undefined;
  openModel: OpenModel | undefined;
  onWarning(message: string): void;
}

/** The models of a team's members: opens them, and knows what they take and cost. */
export class TeamModels {
  /** False where a program makes them: then nothing is known of them, and nothing is checked. */
  readonly areOurs: boolean;
  readonly maxOutputTokens: number | undefined;
  readonly #options: TeamModelsOptions;
  readonly #models: Models;
  /** What the person was told. */
  readonly #told = new Set<string>();

  constructor(options: TeamModelsOptions) {
    const { clock, providers, recording, provider } = options;
    this.#options = options;
    this.#models = new Models({
      ...{ ...providers, clock, random: Math.random, recording },
      ...provider,
    });
    this.areOurs = options.openModel === undefined;
    this.maxOutputTokens = options.maxOutputTokens;
  }

  /** The model of a member, or a list of them. */
  async open(list: string, member: MemberName): Promise<Model> {
    const { openModel } = this.#options;
    if (!openModel) return this.#models.open(list, member);
    const builtIn = new WeakSet<Model>();
    const openBuiltIn = async (id: string) => {
      const model = await this.#models.openBare(id, member);
      builtIn.add(model);
      return model;
    };
    return this.#models.open(list, member, {
      async openOne(id) {
        const model = await orRefused(id, async () => openModel(id, member, openBuiltIn));
        requireModel(model);
        if (builtIn.has(model)) return model;
        const { checkedModel } = await import("../model/checked-model.ts");
        return checkedModel(model);
      },
    });
  }

  /** What is known of a model. */
  async factsOf(id: string): Promise<ModelFacts> {
    const { ownModels: models, providers } = this.#options;
    return modelFacts(id, { models, providers: providers.providers });
  }

  /** True if the model's provider reports what each call costs. */
  reportsCost(id: string): boolean {
    return this.areOurs && reportsCost(id, this.#options.providers);
  }

  /** The whole id of a model that a member asks for. Throws where it cannot be used. */
  async resolve(id: string): Promise<string> {
    return this.areOurs ? resolveModel(id, this.#options.providers) : id;
  }

  /** Throws where a model cannot be used, as far as that can be known without opening it. */
  check(id: string): void {
    if (this.areOurs) checkModel(id, this.#options.providers);
  }

  /** Why a model, or one of a list, certainly cannot be asked for an effort; undefined if it can, or nobody knows. */
  async effortProblem(list: string, effort: Effort): Promise<string | undefined> {
    if (!this.areOurs) return undefined;
    for (const id of modelIds(list)) {
      const problem = await effortProblem(id, effort, this.#options.providers);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /**
   * Throws `image-refused` where the first model of a list certainly does not take images of these kinds. Models
   * that stand in for it continue without them.
   */
  async requireImages(list: string, types: readonly string[]): Promise<void> {
    if (!this.areOurs) return;
    const [id] = modelIds(list);
    const takes = takesImage(id, await this.factsOf(id));
    const refused = types.find((type) => !takes(type));
    if (refused === undefined) return;
    throw new TeamError("image-refused", `${id} does not take ${refused}`, {
      hint: takes("image/png")
        ? "Convert it to a PNG."
        : `Models that take images: ${await modelsWithImages(id)}.`,
    });
  }

  /**
   * Resolves when the first request to a provider is on its way; at once where this model is not asked
   * through one.
   */
  async firstSent(list: string): Promise<void> {
    const [id] = modelIds(list);
    if (this.areOurs && hasProvider(id)) await this.#models.firstSent;
  }

  /** Makes ready what is slow when it is used for the first time. */
  async warmUp({ model, effort }: LeadSettings): Promise<void> {
    const { providers, clock } = this.#options;
    if (this.areOurs) await warmUpModel(model, { ...providers, clock, thinking: { effort } });
  }

  /** Tells the person what is assumed of a model, once. */
  async tellAssumptions(id: string, facts: ModelFacts): Promise<void> {
    if (!this.areOurs || !hasProvider(id)) return;
    const assumed = await toldAssumptions(id, facts, this.maxOutputTokens);
    if (assumed) this.#tellOnce(assumed);
  }

  /** Tells the person, once, what a model does not take of what is asked of it. */
  async tellUnsent(id: string, asked: ThinkingRequest, maxOutputTokens: number): Promise<void> {
    // A model of the library's user decides for itself.
    if (!this.areOurs) return;
    const { providers } = this.#options;
    const unsent = await unsentThinking(id, asked, { ...providers, maxOutputTokens });
    for (const sentence of unsent) this.#tellOnce(sentence);
  }

  #tellOnce(sentence: string): void {
    if (this.#told.has(sentence)) return;
    this.#told.add(sentence);
    this.#options.onWarning(sentence);
  }
}

/** What the program's `openModel` returns. Its failure refuses the member, and ends no run. */
async function orRefused<T>(id: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof TeamError) throw error;
    throw new TeamError("config-invalid", `openModel failed for ${id}: ${reasonOf(error)}`, {
      cause: error,
      hint: "Choose another model, or correct openModel.",
    });
  }
}
