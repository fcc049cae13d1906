import { TeamError } from "../../errors.ts";
import { Serial } from "../../lib/serial.ts";
import type { Effort, EffortChoice } from "../../protocol/effort.ts";
import { lead, type MemberName } from "../../protocol/ids.ts";
import type { MemberRecord } from "../../protocol/team.ts";
import type { EventHub } from "../event-hub.ts";
import { followLead, followsLead, withLeads, withOwn } from "../members/inherited-fields.ts";
import type {
  LeadSettings,
  MemberDefinition,
  ModelAndEffort,
} from "../members/member-definition.ts";
import type { MemberHandle } from "../members/member-handle.ts";
import type { RosterKeeper } from "../members/roster-keeper.ts";

/** What the person sets of a member's model; what is left out stays as it is. */
export interface ModelSetting {
  /** The id of a model, or several, separated by commas, each of which stands in for those before it. */
  model?: string | undefined;
  /** How much it thinks; `default` is as its model does by itself. */
  effort?: EffortChoice | undefined;
}

/** The model and the effort of a member. */
export interface MemberModel {
  /** The name of the member. */
  member: MemberName;
  /** Its model, or a list of them, as it was given. */
  model: string;
  /** How much it thinks; undefined if its model does as it does by itself. */
  effort: Effort | undefined;
  /** What a teammate has from the lead, and what changes with the lead's. */
  follows: readonly ("model" | "effort")[];
}

export interface ModelChoicesOptions {
  keeper: RosterKeeper;
  hub: EventHub;
  living(): readonly MemberHandle[];
  /** The lead's settings that are in force. */
  lead: LeadSettings;
  /** How a member is opened, as its record (the lead's: none) and the lead's settings say. */
  define(record: MemberRecord | undefined, lead: LeadSettings): MemberDefinition;
  /** The whole id of a model, or of each of a list. Throws where one cannot be used. */
  resolveModel(list: string): Promise<string>;
  /** Why a model certainly cannot be asked for an effort. */
  effortProblem(list: string, effort: Effort): Promise<string | undefined>;
  /** Throws where a member could not be opened as it is defined. */
  checkMember(definition: MemberDefinition): Promise<void>;
}

/** A change of some members' models, which is possible. */
interface PlannedChange {
  lead: LeadSettings;
  edit(record: MemberRecord): MemberRecord;
  /** Those whose model or effort changes. */
  members: readonly { handle: MemberHandle; choice: ModelAndEffort }[];
}

/** The person's choices of models and efforts while the team works. */
export class ModelChoices {
  readonly #options: ModelChoicesOptions;
  readonly #changes = new Serial();
  #lead: LeadSettings;

  constructor(options: ModelChoicesOptions) {
    this.#options = options;
    this.#lead = options.lead;
  }

  /** The lead's settings, with the model and the effort that were set last. */
  get lead(): LeadSettings {
    return this.#lead;
  }

  /** The model and the effort of each living member. */
  async list(): Promise<MemberModel[]> {
    return (await this.#members()).map(({ handle: { name }, record }) => {
      const { model, effort } = this.#options.define(record, this.#lead);
      const follows = (["model", "effort"] as const).filter((field) => followsLead(record, field));
      return { member: name, model, effort, follows };
    });
  }

  /**
   * Changes the model, the effort or both of a member, or of `all`: then teammates have the lead's from now on. It is
   * durable before a member asks another model. Throws where any member cannot have it; then nothing has changed.
   */
  set(name: MemberName | "all", asked: ModelSetting): Promise<void> {
    return this.#changes.run(() => this.#set(name, asked));
  }

  async #set(name: MemberName | "all", asked: ModelSetting): Promise<void> {
    const { model, effort } = asked;
    const setting = {
      ...(model !== undefined && { model: await this.#options.resolveModel(model) }),
      ...(effort !== undefined && { effort: effort === "default" ? undefined : effort }),
    };
    const change = await this.#changeOf(name, setting);
    await this.#keep(change, { ...setting, ...(effort !== undefined && { effort }) });
    for (const { handle, choice } of change.members) {
      await handle.order({ type: "set-model", ...choice });
      const { model: id, effort: thinks } = choice;
      const event = { type: "model-set" as const, member: handle.name, model: id };
      this.#options.hub.say({ ...event, ...(thinks && { effort: thinks }) });
    }
  }

  /** Throws where it is not possible. */
  async #changeOf(
    name: MemberName | "all",
    setting: Partial<ModelAndEffort>,
  ): Promise<PlannedChange> {
    const { define } = this.#options;
    const isOfLead = name === lead || name === "all";
    const leads = isOfLead ? { ...this.#lead, ...setting } : this.#lead;
    const edit = (record: MemberRecord): MemberRecord => {
      if (name === "all") return withLeads(record, setting);
      return record.name === name ? withOwn(record, setting) : record;
    };
    const members: PlannedChange["members"][number][] = [];
    for (const { handle, record } of await this.#members()) {
      const before = define(record, this.#lead);
      const after = define(record && edit(record), leads);
      const { model, effort } = after;
      if (model === before.model && effort === before.effort) continue;
      await this.#check(after);
      members.push({ handle, choice: { model, effort } });
    }
    return { lead: leads, edit, members };
  }

  async #check(definition: MemberDefinition): Promise<void> {
    const { effortProblem, checkMember } = this.#options;
    const { name, model, effort } = definition;
    const problem = effort && (await effortProblem(model, effort));
    if (problem) {
      throw new TeamError(
        "config-invalid",
        `'${name}' cannot have the effort ${effort}: ${problem}`,
        {
          hint: "Set an effort that its model takes, or `default`, first; or choose another model.",
        },
      );
    }
    await checkMember(definition);
  }

  /** Writes the change down, in one write. */
  async #keep({ lead: leads, edit }: PlannedChange, setting: ModelSetting): Promise<void> {
    const { keeper } = this.#options;
    const before = this.#lead;
    // A teammate that is spawned from now on has it.
    this.#lead = leads;
    try {
      const { model, effort } = leads;
      const ofLead =
        leads !== before && keeper.changePermissions((decided) => ({ ...decided, ...setting }));
      const records = keeper.changeAll((record) => followLead(edit(record), { model, effort }));
      await Promise.all([ofLead, records]);
    } catch (error) {
      this.#lead = before;
      throw error;
    }
  }

  /** The living members in the order of the roster, the lead first and without a record. */
  async #members(): Promise<{ handle: MemberHandle; record: MemberRecord | undefined }[]> {
    const { keeper, living } = this.#options;
    await keeper.settled();
    const { members } = await keeper.read();
    return [undefined, ...members].flatMap((record) => {
      const handle = living().find(({ name }) => name === (record?.name ?? lead));
      return handle ? [{ handle, record }] : [];
    });
  }
}
