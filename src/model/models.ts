import { createHash } from "node:crypto";
import { TeamError } from "../errors.ts";
import { makeOnce } from "../lib/make-once.ts";
import type { MemberName } from "../protocol/ids.ts";
import { type HttpFetch, HttpResponse, httpFetchFor } from "./ai-sdk/http.ts";
import { Governor } from "./governor.ts";
import type { Model, ModelRequest } from "./model.ts";
import { type ModelSurroundings, openModel, preloadProvider } from "./open-model.ts";
import { type ProviderConfiguration, providerSettings } from "./provider-settings.ts";
import type { Recording } from "./recording.ts";
import { Replay } from "./replay.ts";

export interface ModelsOptions extends ModelSurroundings {
  random(): number;
  /** Requests of one key that may be under way at once. */
  maxInFlight?: number;
  /** How often one request is sent before its failure is reported (default: 10). */
  maxAttempts?: number;
  /** Records the replies of all models. */
  recording?: Recording | undefined;
}

export const rehearsalId = "rehearsal";
const replayPrefix = "replay:";

/** Throws if a model cannot be used, as far as that is known without opening anything. */
export function checkModel(id: string, configuration: ProviderConfiguration): void {
  if (hasProvider(id)) providerSettings(id, configuration);
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
export function preloadModel(id: string, configuration: ProviderConfiguration): void {
  if (hasProvider(id)) preloadProvider(id, configuration);
}

/**
 * Makes the code of a model's provider parse a fake answer: the first one is slow, because the
 * schemas are only built then.
 */
export async function warmUpModel(
  id: string,
  {
    thinking,
    ...surroundings
  }: Pick<ModelSurroundings, "env" | "providers" | "clock"> & Pick<ModelRequest, "thinking">,
): Promise<void> {
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

/** The models of a team. All that use one key at one address share one governor. */
export class Models {
  readonly #options: ModelsOptions;
  readonly #governors = new Map<string, Governor>();
  /** One for all models: connections are shared. */
  #fetch: Promise<HttpFetch> | undefined;
  readonly #replays = new Map<string, Promise<Replay>>();
  /** Models without a provider, whose failures are final. */
  readonly #local = new WeakSet<Model>();

  constructor(options: ModelsOptions) {
    this.#options = options;
  }

  /**
   * The model of `member`: `<provider>/<model>`, `rehearsal`, or `replay:<file>` for what was
   * recorded of it.
   * Throws `config-invalid` where it cannot be what was asked for.
   */
  async open(id: string, member: MemberName): Promise<Model> {
    return this.supervise(await this.openBare(id, member), member);
  }

  /** The same model, which reports every failure at once and is not recorded. */
  async openBare(id: string, member: MemberName): Promise<Model> {
    if (hasProvider(id)) {
      this.#fetch ??= httpFetchFor(this.#options.env);
      return openModel(id, { fetch: await this.#fetch, ...this.#options });
    }
    const model =
      id === rehearsalId
        ? await openRehearsal()
        : (await this.#replay(id.slice(replayPrefix.length))).modelFor(member);
    this.#local.add(model);
    return model;
  }

  /** Any model, with retries, and with a recording if there is one. */
  supervise(model: Model, member: MemberName): Model {
    const governed = this.#local.has(model) ? model : this.#governorOf(model.id).govern(model);
    // Outside the governor: the recording has the final parts that the member got.
    return this.#options.recording?.record(governed, member) ?? governed;
  }

  #replay(path: string): Promise<Replay> {
    return makeOnce(this.#replays, path, () => Replay.open(path));
  }

  #governorOf(id: string): Governor {
    const { clock, random, maxInFlight, maxAttempts } = this.#options;
    const account = this.#accountOf(id);
    const bounds = { ...(maxInFlight && { maxInFlight }), ...(maxAttempts && { maxAttempts }) };
    const governor = this.#governors.get(account) ?? new Governor({ clock, random, ...bounds });
    this.#governors.set(account, governor);
    return governor;
  }

  /** What shares its limits: a key at an address, or a model of the library's user. */
  #accountOf(id: string): string {
    try {
      const { baseUrl, key } = providerSettings(id, this.#options);
      return createHash("sha256")
        .update(JSON.stringify([baseUrl, key?.value]))
        .digest("hex");
    } catch (error) {
      if (error instanceof TeamError) return id;
      throw error;
    }
  }
}
