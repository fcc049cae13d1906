import { createHash } from "node:crypto";
import { TeamError } from "../errors.ts";
import { makeOnce } from "../lib/make-once.ts";
import type { MemberName } from "../protocol/ids.ts";
import { type HttpFetch, HttpResponse, httpFetchFor } from "./ai-sdk/http.ts";
import { Availability } from "./availability.ts";
import { FallbackModel } from "./fallback-model.ts";
import { Governor } from "./governor.ts";
import type { Model, ModelRequest } from "./model.ts";
import { checkedModelIds, modelIds } from "./model-list.ts";
import { type ModelSurroundings, openModel, preloadProvider } from "./open-model.ts";
import { type ProviderConfiguration, providerSettings } from "./provider-settings.ts";
import type { Recording } from "./recording.ts";
import type { Replay } from "./replay.ts";

export interface ModelsOptions extends ModelSurroundings {
  random(): number;
  /** Requests of one key that may be under way at once. */
  maxInFlight?: number;
  /** How often one request is sent before its failure is reported (default: 10). */
  maxAttempts?: number;
  /** How long a model of a list may fail before the next one answers (default: 60 s). */
  fallbackAfterMs?: number;
  /** Records the replies of all models. */
  recording?: Recording | undefined;
}

interface OpenOptions {
  /** Makes each model of a list (default: the built-in ones). */
  openOne?: (id: string) => Promise<Model> | Model;
}

export const defaultFallbackAfterMs = 60_000;

export const rehearsalId = "rehearsal";
const replayPrefix = "replay:";

/** Throws if a model cannot be used, as far as that is known without opening anything. */
export function checkModel(list: string, configuration: ProviderConfiguration): void {
  for (const id of checkedModelIds(list)) if (hasProvider(id)) providerSettings(id, configuration);
}

/** True if the model's provider reports what each call costs. */
export function reportsCost(id: string, configuration: ProviderConfiguration): boolean {
  return hasProvider(id) && providerSettings(id, configuration).family === "openrouter";
}

/** False for models that answer without a provider. */
export function hasProvider(id: string): boolean {
  return id !== rehearsalId && !id.startsWith(replayPrefix);
}

/** Starts to load the code of a model that is about to be opened. */
export function preloadModel(list: string, configuration: ProviderConfiguration): void {
  const [id] = modelIds(list);
  if (hasProvider(id)) preloadProvider(id, configuration);
}

/**
 * Makes the code of a model's provider parse a fake answer: the first one is slow, because the
 * schemas are only built then.
 */
export async function warmUpModel(
  list: string,
  {
    thinking,
    ...surroundings
  }: Pick<ModelSurroundings, "env" | "providers" | "clock"> & Pick<ModelRequest, "thinking">,
): Promise<void> {
  const [id] = modelIds(list);
  if (!hasProvider(id)) return;
  const fetch = async () => pingAnswer();
  const model = await openModel(id, { ...surroundings, fetch });
  const request: ModelRequest = {
    system: "",
    tools: [],
    conversation: [{ type: "input", texts: ["Hello."] }],
    maxOutputTokens: 8_000,
    // Its options have a schema, too.
    thinking,
    signal: new AbortController().signal,
  };
  // The answer is incomplete, so the stream ends with an error.
  for await (const part of model.stream(request)) if (part.type === "error") return;
}

function pingAnswer(): HttpResponse {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(Buffer.from('data: {"type":"ping"}\n\n'));
      controller.close();
    },
  });
  const headers = new Map([["content-type", "text/event-stream"]]);
  return new HttpResponse({ status: 200, statusText: "OK", headers, body });
}

/** Loaded only when it is used. */
async function openRehearsal(): Promise<Model> {
  const { RehearsalModel } = await import("./rehearsal/rehearsal-model.ts");
  return new RehearsalModel();
}

async function openReplay(path: string): Promise<Replay> {
  const { Replay } = await import("./replay.ts");
  return Replay.open(path);
}

/** The models of a team. All that use one key at one address share one governor. */
export class Models {
  readonly #options: ModelsOptions;
  readonly #governors = new Map<string, Governor>();
  /** Resolves when the system has taken the first request to a provider. */
  readonly firstSent: Promise<void>;
  #noteSent: () => void = () => undefined;
  /** One for all models: connections are shared. */
  #fetch: Promise<HttpFetch> | undefined;
  readonly #withoutSummaries = new Set<string>();
  readonly #availabilities = new Map<string, Availability>();
  readonly #replays = new Map<string, Promise<Replay>>();
  /** Models without a provider, whose failures are final. */
  readonly #local = new WeakSet<Model>();

  constructor(options: ModelsOptions) {
    this.#options = options;
    this.firstSent = new Promise((resolve) => {
      this.#noteSent = resolve;
    });
  }

  /**
   * The model of `member`: `<provider>/<model>`, `rehearsal`, `replay:<file>` for what was recorded of
   * it, or a list of them, separated by commas, each of which stands in for those before it. With
   * retries, and with a recording if there is one.
   * Throws `config-invalid` where one cannot be what was asked for.
   */
  async open(
    list: string,
    member: MemberName,
    { openOne = (id) => this.openBare(id, member) }: OpenOptions = {},
  ): Promise<Model> {
    const ids = checkedModelIds(list);
    const choices = await Promise.all(
      ids.map(async (id) => {
        const model = this.#govern(await openOne(id), { isAlone: ids.length === 1 });
        return { model, availability: this.#availabilityOf(model.id) };
      }),
    );
    const [first] = choices;
    const model = first && choices.length === 1 ? first.model : new FallbackModel(choices);
    // Outside the governors: the recording has the final parts that the member got.
    return this.#options.recording?.record(model, member) ?? model;
  }

  /** One model, which reports every failure at once and is not recorded. */
  async openBare(id: string, member: MemberName): Promise<Model> {
    if (hasProvider(id)) {
      this.#fetch ??= httpFetchFor(this.#options.env);
      const send = await this.#fetch;
      const fetch: HttpFetch = (url, request) => send(url, { ...request, onSent: this.#noteSent });
      const shared = { fetch, withoutSummaries: this.#withoutSummaries };
      return openModel(id, { ...shared, ...this.#options });
    }
    const model =
      id === rehearsalId
        ? await openRehearsal()
        : (await this.#replay(id.slice(replayPrefix.length))).modelFor(member);
    this.#local.add(model);
    return model;
  }

  /** Where another model stands in for one, a provider's pause for one of them must not hold both. */
  #govern(model: Model, { isAlone }: { isAlone: boolean }): Model {
    if (this.#local.has(model)) return model;
    const account = this.#accountOf(model.id);
    return this.#governorOf(isAlone ? account : `${account} ${model.id}`).govern(model);
  }

  #availabilityOf(id: string): Availability {
    const { clock, fallbackAfterMs = defaultFallbackAfterMs } = this.#options;
    const known = this.#availabilities.get(id) ?? new Availability({ clock, fallbackAfterMs });
    this.#availabilities.set(id, known);
    return known;
  }

  #replay(path: string): Promise<Replay> {
    return makeOnce(this.#replays, path, () => openReplay(path));
  }

  #governorOf(account: string): Governor {
    const { clock, random, maxInFlight, maxAttempts } = this.#options;
    const bounds = { ...(maxInFlight && { maxInFlight }), ...(maxAttempts && { maxAttempts }) };
    const governor = this.#governors.get(account) ?? new Governor({ clock, random, ...bounds });
    this.#governors.set(account, governor);
    return governor;
  }

  /** What shares its limits: a key at an address, or a model of the library's user. */
  #accountOf(id: string): string {
    try {
      const { baseUrl, key, headers } = providerSettings(id, this.#options);
      return createHash("sha256")
        .update(JSON.stringify([baseUrl, key?.value, headers]))
        .digest("hex");
    } catch (error) {
      if (error instanceof TeamError) return id;
      throw error;
    }
  }
}
