import { narrowed } from "../agent/call-round.ts";
import { type HookedCall, Hooks } from "../agent/hooks.ts";
import { RequestApprovals } from "../permissions/approvals.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { Verdict } from "../permissions/verdict.ts";
import { maxOutputCharacters } from "../processes/output-capture.ts";
import { bashTool } from "../tools/bash.ts";
import { readFileTool } from "../tools/read-file.ts";
import type { PreparedCall, Tool, ToolContext, ToolOutput } from "../tools/tool.ts";
import { SeenFiles } from "../workspace/seen-files.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Equipment } from "./equipment.ts";
import type { MemberDefinition } from "./members/member-definition.ts";
import { commandsOf, openWorkspace, permissionsFor } from "./open-member.ts";
import { gated, type PlanGate } from "./protocols/plans.ts";
import { newTypedCallId } from "./typed-questions.ts";

/** A call that a text asks for which the person sends: what came of it, or why it was not made. */
export type TypedOutcome =
  | { readonly type: "done"; readonly text: string; readonly isError: boolean }
  | { readonly type: "refused"; readonly reason: string };

export interface TypedCallsOptions {
  /** The member as it is now, with the mode and the rules in force. */
  definition: MemberDefinition;
  gate: PlanGate;
  /** What asks for the calls, for the person. */
  asker: string;
  signal: AbortSignal;
}

/**
 * Makes calls as a member would make them, while the person's text for it is prepared: judged by its
 * permissions, plan gate and hooks, asked about where its own would be, in its sandbox and directory.
 */
export class TypedCalls {
  readonly #equipment: Equipment;
  readonly #options: TypedCallsOptions;
  readonly #permissions: Pick<Permissions, "judge">;
  readonly #bash: Tool;
  readonly #readFile: Tool;
  readonly #hooks: Hooks;
  readonly workspace: Workspace;

  private constructor(
    equipment: Equipment,
    options: TypedCallsOptions,
    { workspace, permissions }: { workspace: Workspace; permissions: Permissions },
  ) {
    this.#bash = bashTool(commandsOf(equipment, options.definition, workspace));
    this.#readFile = readFileTool({ workspace, seenFiles: new SeenFiles(() => undefined) });
    this.workspace = workspace;
    this.#equipment = equipment;
    this.#options = options;
    this.#permissions = gated(permissions, options.gate);
    this.#hooks = new Hooks(equipment.hooks, equipment.place.onWarning);
  }

  static async open(equipment: Equipment, options: TypedCallsOptions): Promise<TypedCalls> {
    const { definition } = options;
    const workspace = await openWorkspace(equipment, definition);
    const isShared = () => equipment.sharedFiles.isShared(definition.name);
    const permissions = await permissionsFor(equipment, definition, { workspace, isShared });
    return new TypedCalls(equipment, options, { workspace, permissions });
  }

  runCommand(command: string): Promise<TypedOutcome> {
    return this.#call(this.#bash, { command });
  }

  readFile(path: string): Promise<TypedOutcome> {
    return this.#call(this.#readFile, { path });
  }

  async #call(tool: Tool, written: unknown): Promise<TypedOutcome> {
    const { name } = tool.spec;
    const accepted = tool.prepare(written);
    if (accepted.type !== "prepared") return refused(`${name} cannot do that`);
    const callId = newTypedCallId();
    const given = { tool: name, input: written, action: accepted.action, callId };
    const answer = await this.#hooks.beforeCall(this.#hooked(given));
    if ("output" in answer) return this.#done(answer.output, callId);
    if (answer.stop !== undefined) return refused(answer.stop);
    const input = answer.input ?? written;
    const prepared = answer.input === undefined ? accepted : tool.prepare(input);
    if (prepared.type === "invalid") return refused(prepared.output.text);
    const call = { ...given, input, action: prepared.action };
    const isAllowed = answer.decision === "allow";
    const judged = await this.#permissions.judge({ tool: name, action: call.action, isAllowed });
    const verdict = narrowed(judged, answer.decision, answer.reason);
    return (await this.#try(call, prepared, verdict)) ?? this.#permitted(call, prepared, verdict);
  }

  /** What came of a trial that needed nothing more. */
  async #try(call: TypedCall, prepared: PreparedCall, verdict: Verdict) {
    if (verdict.decision === "allow" || verdict.confinement !== "trial") return undefined;
    const output = await prepared.run({ ...this.#context(call), confinement: "trial" });
    return output.isHindered ? undefined : this.#finish(call, output);
  }

  async #permitted(
    call: TypedCall,
    prepared: PreparedCall,
    verdict: Verdict,
  ): Promise<TypedOutcome> {
    const refusal = await this.#refusalOf(call, verdict);
    if (refusal !== undefined) return refused(refusal);
    const isReadOnly = verdict.decision === "allow" && verdict.confinement === "read-only";
    const context = this.#context(call);
    const confined = isReadOnly ? { ...context, confinement: "read-only" as const } : context;
    return this.#finish(call, await prepared.run(confined));
  }

  /** Undefined when the call may be made. */
  async #refusalOf(call: TypedCall, verdict: Verdict): Promise<string | undefined> {
    const { decision, reason, suggestedRule, summary } = verdict;
    if (decision !== "ask") return decision === "deny" ? reason : undefined;
    const { store, place, approvals } = this.#equipment;
    const { definition, asker, signal } = this.#options;
    const asking = new RequestApprovals(store.requests, { clock: place.clock, ...approvals });
    const { callId, tool, input } = call;
    const answer = await asking.ask(
      {
        ...{ member: definition.name, callId, tool, input, suggestedRule, summary },
        ...{ reason: `${asker} asks for it, and ${reason}`, mayBeOpen: false },
      },
      signal,
    );
    if (answer.type === "allowed") return undefined;
    return answer.type === "denied" ? answer.reason : "it was interrupted";
  }

  async #finish(call: TypedCall, output: ToolOutput): Promise<TypedOutcome> {
    const { output: left, stop } = await this.#hooks.afterCall(this.#hooked(call), output);
    return stop === undefined ? this.#done(left, call.callId) : refused(stop);
  }

  async #done({ text, isError }: ToolOutput, callId: string): Promise<TypedOutcome> {
    const { outputFiles, secrets } = this.#equipment;
    const isLong = text.length > maxOutputCharacters;
    const shown = isLong ? await outputFiles.capOutput(text, callId) : secrets.mask(text);
    return { type: "done", text: shown, isError };
  }

  #hooked(call: TypedCall): HookedCall {
    const { definition, signal } = this.#options;
    return { ...call, member: definition.name, cwd: this.workspace.cwd, signal };
  }

  #context({ callId }: TypedCall): ToolContext {
    const { definition, signal } = this.#options;
    const { name: member, model } = definition;
    return { callId, member, cwd: this.workspace.cwd, model, signal, onOutput: () => undefined };
  }
}

type TypedCall = Pick<HookedCall, "tool" | "input" | "action" | "callId">;

function refused(reason: string): TypedOutcome {
  return { type: "refused", reason };
}
