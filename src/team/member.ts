import { join } from "node:path";
import { Agent, type AgentOptions } from "../agent/agent.ts";
import { Bill } from "../agent/bill.ts";
import { MailInput } from "../agent/input.ts";
import { systemPrompt } from "../agent/system-prompt.ts";
import type { MailboxReader } from "../mailbox/mailbox.ts";
import { contextWindow, findPrice } from "../model/prices.ts";
import { RequestApprovals } from "../permissions/approvals.ts";
import { Permissions } from "../permissions/permissions.ts";
import { BackgroundJobs } from "../processes/background-jobs.ts";
import { Shell } from "../processes/shell.ts";
import { type MemberName, system } from "../protocol/ids.ts";
import type { Message } from "../protocol/message.ts";
import { Workspace } from "../workspace/workspace.ts";
import { BackgroundMail } from "./background-mail.ts";
import type { Equipment } from "./equipment.ts";
import { gated } from "./gated-permissions.ts";
import { keepWhole } from "./keep-whole.ts";
import type { MemberDefinition, Seat } from "./members/member-definition.ts";
import type { OpenMember } from "./members/open-member.ts";
import { countWithoutRun } from "./members/unheard-mail.ts";
import { projectInstructions } from "./project-instructions.ts";
import { recap } from "./recap.ts";
import { workTools } from "./work-tools.ts";

const maxOutputTokens = 8_000;

/** Opens a member with its history: as it is defined, or not at all. */
export async function openMember(
  equipment: Equipment,
  definition: MemberDefinition,
  seat: Seat,
): Promise<OpenMember> {
  const { place, layout, store, secrets } = equipment;
  const { name } = definition;
  const workspace = await Workspace.open({ ...definition, teamDirectory: layout.directory });
  // Before anything is made for it: a spawn that fails leaves nothing behind.
  const parts = await modelParts(equipment, definition);
  const { transcript, reader } = await store.openMember(name, seat);
  const { shell, background } = commandsOf(equipment, { workspace, name });
  const wholePath = ({ id }: Message) => join(layout.outputs, `mail-${id}.txt`);
  const { clock } = place;
  const { isWorthwhile } = seat;
  const input = new MailInput({
    reader: heedful(reader, seat),
    ...{ isWorthwhile, wholePath, keepWhole, secrets, clock },
  });
  const permissions = await permissionsOf(equipment, { definition, seat, workspace });
  const work = workTools(
    equipment,
    { workspace, permissions, shell, background },
    definition.tools,
  );
  const instructions = () => projectInstructions(workspace, place.onWarning);
  const agent = await Agent.open({
    ...parts,
    name,
    system: systemPrompt(definition.role),
    tools: [...work, ...seat.tools],
    transcript,
    input,
    permissions: gated(permissions, seat.gate),
    approvals: new RequestApprovals(store.requests, { clock, ...equipment.approvals }),
    secrets,
    outputFiles: equipment.outputFiles,
    recap: async () => {
      const texts = [await instructions(), ...(await recap(store, name))];
      return texts.flatMap((text) => (text ? [secrets.mask(text)] : []));
    },
    wholePath,
    clock,
  });
  const jobs = backgroundMail(equipment, { background, name });
  const left = await jobs.left();
  if (agent.lastRun.isOpen || left.length > 0) await equipment.endOrphans(name);
  await jobs.tellFates(left);
  if (agent.conversation.utterances.length === 0) await introduce(agent, await instructions());
  return {
    agent,
    reader,
    permissions,
    get backgroundJobs() {
      return background.list().filter(({ status }) => status === "running").length;
    },
    takeMail: () => input.takeForResult(),
    takeWithoutRun: () => input.takeSome(countWithoutRun),
    end: () => jobs.endForGood(),
    [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose](),
  };
}

/** Throws where a member could not be opened as it is defined. */
export async function checkMember(
  equipment: Equipment,
  definition: MemberDefinition,
): Promise<void> {
  await Workspace.open({ ...definition, teamDirectory: equipment.layout.directory });
  await modelParts(equipment, definition);
}

/** Mail as its member takes it: what the runtime has to do about it is done before. */
export function heedful(
  reader: MailboxReader,
  seat: Seat,
): Pick<MailboxReader, "unread" | "acknowledge"> {
  return {
    async unread() {
      const unread = await reader.unread();
      // Whoever leaves takes nothing in any more: an order among it is for the next process.
      if (seat.isLeaving()) return [];
      await seat.heed(unread.map(({ message }) => message));
      return unread;
    },
    acknowledge: (upTo) => reader.acknowledge(upTo),
  };
}

type ModelParts = Pick<AgentOptions, "model" | "bill" | "limits">;

/** The model, what it costs, and what bounds it. */
async function modelParts(
  equipment: Equipment,
  { name, model: id, maxTurns, budget }: MemberDefinition,
): Promise<ModelParts> {
  const { prices, store, place } = equipment;
  const model = await equipment.openModel(id, name);
  const own = budget ? [equipment.budgetOf(name, budget)] : [];
  return {
    model,
    bill: new Bill({
      member: name,
      model: model.id,
      price: findPrice(model.id, prices),
      ledger: store.usage,
      budgets: [...own, equipment.budget],
      clock: place.clock,
    }),
    limits: { maxTurns, maxOutputTokens, contextTokens: contextWindow(model.id, prices) },
  };
}

async function permissionsOf(
  equipment: Equipment,
  {
    definition,
    seat,
    workspace,
  }: { definition: MemberDefinition; seat: Seat; workspace: Workspace },
): Promise<Permissions> {
  return new Permissions({
    mode: definition.mode,
    rules: definition.rules,
    widestMode: () => seat.widestMode(),
    locate: (path) => workspace.locate(path),
    teamDirectory: equipment.layout.directory,
    keyDirectories: await equipment.keyDirectories(),
    environment: equipment.environment,
  });
}

function commandsOf(
  equipment: Equipment,
  { workspace, name }: { workspace: Workspace; name: MemberName },
) {
  const { place, store, environment, outputFiles, pipes, programs, running } = equipment;
  const { clock } = place;
  const { cwd } = workspace;
  const owner = equipment.commandOwner(name);
  const shell = new Shell({
    ...{ cwd, environment, clock, outputFiles, pipes, programs, running, owner },
  });
  const background = new BackgroundJobs({ shell, clock, member: name, records: store.jobs });
  return { shell, background };
}

function backgroundMail(
  { store, secrets, place }: Equipment,
  { background, name }: { background: BackgroundJobs; name: MemberName },
): BackgroundMail {
  return new BackgroundMail(background, {
    member: name,
    tell: (mail) => store.send(name, { type: "message", from: system, ...mail }),
    records: store.jobs,
    secrets,
    onWarning: place.onWarning,
  });
}

/** What a member is shown in its first turn, and never again unless its conversation is summarized. */
async function introduce(agent: Agent, text: string | undefined): Promise<void> {
  if (!text) return;
  const note = agent.options.secrets.mask(text);
  await agent.record({ type: "note", text: note, wakes: false });
}
