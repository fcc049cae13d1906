import { join } from "node:path";
import { Agent, type AgentOptions } from "../agent/agent.ts";
import { Bill } from "../agent/bill.ts";
import { MailInput } from "../agent/input.ts";
import { type Role, systemPrompt } from "../agent/system-prompt.ts";
import { ensurePrivateDirectory, replaceFile } from "../lib/files.ts";
import { contextWindow, findPrice } from "../model/prices.ts";
import { RequestApprovals, type Unattended } from "../permissions/approvals.ts";
import { Permissions } from "../permissions/permissions.ts";
import type { Rule } from "../permissions/rule.ts";
import { BackgroundJobs, isBackgroundName } from "../processes/background-jobs.ts";
import { endOrphans } from "../processes/orphans.ts";
import { Shell } from "../processes/shell.ts";
import { type MemberName, system } from "../protocol/ids.ts";
import type { Message, PermissionMode } from "../protocol/message.ts";
import { backgroundRunTool, checkBackgroundTool } from "../tools/background.ts";
import { bashTool } from "../tools/bash.ts";
import { fileTools } from "../tools/files/file-tools.ts";
import type { Tool } from "../tools/tool.ts";
import { SeenFiles } from "../workspace/seen-files.ts";
import { Workspace } from "../workspace/workspace.ts";
import { BackgroundMail } from "./background-mail.ts";
import type { Equipment } from "./equipment.ts";
import { projectInstructions } from "./project-instructions.ts";
import { recap } from "./recap.ts";

/** Who a member is to be. */
export interface MemberDefinition {
  name: MemberName;
  role: Role;
  /** The workspace, and the directory in it where the member works. */
  root: string;
  cwd: string;
  /** Such as `anthropic/claude-…`. */
  model: string;
  mode: PermissionMode;
  rules: readonly Rule[];
  maxTurns: number;
  /** Set where nobody can be asked: why every call that needs asking is denied. */
  unattended?: Unattended;
}

/** A member with its history and its tools, ready to run. */
export interface OpenMember extends AsyncDisposable {
  readonly agent: Agent;
}

const maxOutputTokens = 8_000;

export async function openMember(
  equipment: Equipment,
  definition: MemberDefinition,
): Promise<OpenMember> {
  const { place, layout, store, models, budget, prices, secrets, outputFiles } = equipment;
  const { name, role, mode, rules, maxTurns, unattended } = definition;
  const { clock } = place;
  const model = await models.open(definition.model, name);
  const workspace = await Workspace.open({ ...definition, teamDirectory: layout.directory });
  const { transcript, reader } = await store.openMember(name, { onSetAside: () => undefined });
  const { shell, background } = commandsOf(equipment, { workspace, name });
  const instructions = () => projectInstructions(workspace, place.onWarning);
  const wholePath = ({ id }: Message) => join(layout.outputs, `mail-${id}.txt`);
  const options: AgentOptions = {
    name,
    system: systemPrompt(role),
    model,
    tools: toolsOf(equipment, { workspace, shell, background }),
    transcript,
    input: new MailInput({ reader, wholePath, keepWhole, secrets, clock }),
    permissions: new Permissions({
      mode,
      rules,
      locate: (path) => workspace.locate(path),
      teamDirectory: layout.directory,
      keyDirectory: await equipment.keyDirectory(),
    }),
    approvals: new RequestApprovals(store.requests, unattended === undefined ? {} : { unattended }),
    bill: new Bill({
      member: name,
      model: model.id,
      price: findPrice(model.id, prices),
      ledger: store.usage,
      budgets: [budget],
      clock,
    }),
    limits: { maxTurns, maxOutputTokens, contextTokens: contextWindow(model.id, prices) },
    secrets,
    outputFiles,
    recap: async () => {
      const texts = [await instructions(), ...(await recap(store, name))];
      return texts.flatMap((text) => (text ? [secrets.mask(text)] : []));
    },
    wholePath,
    clock,
  };
  const agent = await Agent.open(options);
  if (agent.wasCutShort) await endLeftovers(equipment, agent);
  if (agent.conversation.utterances.length === 0) await introduce(agent, await instructions());
  const jobs = new BackgroundMail(background, {
    tell: (content) => store.send(name, { type: "message", from: system, content }),
    secrets,
    onWarning: place.onWarning,
  });
  return { agent, [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose]() };
}

function commandsOf(
  equipment: Equipment,
  { workspace, name }: { workspace: Workspace; name: MemberName },
) {
  const { place, environment, outputFiles, pipes, running } = equipment;
  const { clock } = place;
  const { cwd } = workspace;
  const owner = equipment.commandOwner(name);
  const shell = new Shell({ cwd, environment, clock, outputFiles, pipes, running, owner });
  return { shell, background: new BackgroundJobs({ shell, clock }) };
}

/** Ends what a process that was killed has left running: its background jobs, and open calls. */
async function endLeftovers(equipment: Equipment, { options, conversation }: Agent): Promise<void> {
  const open = new Set(conversation.openCalls.map(({ call }) => call.call_id));
  await endOrphans({
    owner: equipment.commandOwner(options.name),
    isOrphan: (name) => isBackgroundName(name) || open.has(name),
    running: equipment.running,
    clock: options.clock,
  });
}

interface ToolParts {
  workspace: Workspace;
  shell: Shell;
  background: BackgroundJobs;
}

function toolsOf({ fileLocks: locks }: Equipment, parts: ToolParts): Tool[] {
  const { workspace, shell, background } = parts;
  return [
    bashTool({ shell, background }),
    backgroundRunTool({ background }),
    checkBackgroundTool({ background }),
    ...fileTools({ workspace, seenFiles: new SeenFiles(), locks }),
  ];
}

async function keepWhole(path: string, text: string): Promise<void> {
  await ensurePrivateDirectory(join(path, ".."));
  await replaceFile(path, text);
}

/** What a member is shown in its first turn, and never again unless its conversation is summarized. */
async function introduce(agent: Agent, text: string | undefined): Promise<void> {
  if (!text) return;
  const note = agent.options.secrets.mask(text);
  await agent.record({ type: "note", text: note, wakes: false });
}
