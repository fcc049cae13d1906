import { type RunEnd, runAgent } from "../agent/run-agent.ts";
import { TeamError } from "../errors.ts";
import { Disposables } from "../lib/disposables.ts";
import { checkModel } from "../model/models.ts";
import { defaultModelId } from "../model/provider-settings.ts";
import { parseRule } from "../permissions/rule.ts";
import type { AgentEvent } from "../protocol/events.ts";
import { lead as name, user } from "../protocol/ids.ts";
import { Equipment, type EquipmentOptions } from "./equipment.ts";
import { type MemberDefinition, type OpenMember, openMember } from "./member.ts";

export interface LeadOptions
  extends EquipmentOptions,
    Partial<Pick<MemberDefinition, "mode" | "maxTurns" | "unattended">> {
  /** The workspace. */
  cwd: string;
  /** Such as `anthropic/claude-…`; what the environment names unless said. */
  model?: string | undefined;
  /** Permission rules as a person writes them. */
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
}

/** Turns of one run, unless said. */
const defaultMaxTurns = 200;

/** The member that a person talks to, with the team that it leads. */
export class Lead implements AsyncDisposable {
  readonly #equipment: Equipment;
  readonly #member: OpenMember;
  readonly #opened: Disposables;

  private constructor(equipment: Equipment, member: OpenMember, opened: Disposables) {
    this.#equipment = equipment;
    this.#member = member;
    this.#opened = opened;
  }

  /** Goes on with the team in the directory, or begins one. Throws `lead-alive` where it runs. */
  static async open(options: LeadOptions): Promise<Lead> {
    const definition = definitionOf(options);
    const opened = new Disposables();
    try {
      const equipment = opened.use(await Equipment.open(options));
      const member = opened.use(await openMember(equipment, definition));
      return new Lead(equipment, member, opened);
    } catch (error) {
      await opened[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Tells the lead something, and runs it until it has answered. */
  async *prompt(text: string, signal: AbortSignal): AsyncGenerator<AgentEvent, RunEnd | undefined> {
    const { store, secrets } = this.#equipment;
    await store.send(name, { type: "message", from: user, content: secrets.mask(text) });
    const run = runAgent(this.#member.agent, signal);
    try {
      for (let next = await run.next(); ; next = await run.next()) {
        if (next.done) return next.value;
        store.events.append(next.value);
        yield next.value;
      }
    } finally {
      await run.return(undefined);
    }
  }

  /** Ends every command that runs, at once: for a process that is about to end without waiting. */
  killCommands(): void {
    this.#equipment.running.killAll();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened[Symbol.asyncDispose]();
  }
}

/** Checks everything that a person can get wrong, before anything is opened. */
function definitionOf(options: LeadOptions): MemberDefinition {
  const { env, cwd, mode = "default", maxTurns = defaultMaxTurns, unattended } = options;
  const model = options.model ?? defaultModelId(env);
  if (!model) {
    throw new TeamError("config-invalid", "No model is chosen", {
      hint: "Name one with --model or TROUPE_MODEL, such as anthropic/<model>, and set its provider's key.",
    });
  }
  checkModel(model, env);
  const rules = (["allow", "ask", "deny"] as const).flatMap((decision) =>
    (options[decision] ?? []).map((text) => parseRule(decision, text)),
  );
  return {
    name,
    role: { type: "lead", cwd },
    root: cwd,
    cwd,
    model,
    mode,
    rules,
    maxTurns,
    ...(unattended !== undefined && { unattended }),
  };
}
