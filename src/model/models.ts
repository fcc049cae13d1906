import { createHash } from "node:crypto";
import { Governor } from "./governor.ts";
import type { Model } from "./model.ts";
import { type ModelSurroundings, openModel } from "./open-model.ts";
import { providerSettings } from "./provider-settings.ts";

export interface ModelsOptions extends ModelSurroundings {
  random(): number;
  maxInFlight?: number;
}

/** The models of a team. All that use one key at one address share one governor. */
export class Models {
  readonly #options: ModelsOptions;
  readonly #governors = new Map<string, Governor>();

  constructor(options: ModelsOptions) {
    this.#options = options;
  }

  /** Throws `config-invalid` where the model cannot be what was asked for. */
  async open(id: string): Promise<Model> {
    return this.#governorOf(id).govern(await openModel(id, this.#options));
  }

  #governorOf(id: string): Governor {
    const { env, clock, random, maxInFlight } = this.#options;
    const { baseUrl, key } = providerSettings(id, env);
    const account = createHash("sha256")
      .update(JSON.stringify([baseUrl, key?.value]))
      .digest("hex");
    const known = this.#governors.get(account);
    if (known) return known;
    const governor = new Governor({ clock, random, ...(maxInFlight && { maxInFlight }) });
    this.#governors.set(account, governor);
    return governor;
  }
}
