import { basename, dirname, join } from "node:path";
import { Agent, type AgentOptions } from "../agent/agent.ts";
import { Bill, type ModelPricing } from "../agent/bill.ts";
import { Hooks } from "../agent/hooks.ts";
import { MailInput } from "../agent/input.ts";
import { ModelRunner } from "../agent/model-runner.ts";
import { rewindAgent } from "../agent/rewind.ts";
import { ensurePrivateDirectory, replaceFile } from "../lib/files.ts";
import { OwnDirectory } from "../lib/own-directory.ts";
import { takesImage } from "../model/image-support.ts";
import { assumedWindow, type ModelFacts, outputLimits } from "../model/model-facts.ts";
import { modelIds } from "../model/model-list.ts";
import { RequestApprovals } from "../permissions/approvals.ts";
import { Permissions } from "../permissions/permissions.ts";
import { BackgroundJobs } from "../processes/background-jobs.ts";
import { HostCommandRunner } from "../processes/host-command-runner.ts";
import { type MemberName, system } from "../protocol/ids.ts";
import type { Message } from "../protocol/message.ts";
import { workTools } from "../tools/work-tools.ts";
import { SeenFiles } from "../workspace/seen-files.ts";
import { Workspace } from "../workspace/workspace.ts";
import { BackgroundMail } from "./background-mail.ts";
import type { Equipment } from "./equipment.ts";
import { memberPrompt } from "./member-prompt.ts";
import { Inbox } from "./members/inbox.ts";
import type { MemberContext, MemberDefinition, MemberParts } from "./members/member-definition.ts";
import { projectInstructions } from "./project-instructions.ts";
import { gated } from "./protocols/plans.ts";
import { recap } from "./recap.ts";

/** Opens a member with its history: as it is defined, or not at all. */
export async function openMember(
  equipment: Equipment,
  definition: MemberDefinition,
  context: MemberContext,
): Promise<MemberParts> {
  const { place, layout, store, secrets } = equipment;
  const { name } = definition;
  const workspace = await openWorkspace(equipment, definition);
  // Before anything is made for it: a spawn that fails leaves nothing behind.
  const parts = await modelParts(equipment, definition);
  const system = secrets.mask(memberPrompt(definition, equipment.systemPrompt));
  const own = await store.openMember(name, context);
  const { runner, background } = commandsOf(equipment, { workspace, name });
  const wholePath = ({ id }: Message) => join(layout.outputs, `mail-${id}.txt`);
  const { clock } = place;
  const inbox = new Inbox(own.reader, context);
  const { isWorthwhile } = context;
  const input = new MailInput({
    reader: inbox,
    ...{ isWorthwhile, wholePath, keepWhole, secrets, clock },
    readImage: (reference) => equipment.imageFiles.read(reference),
  });
  const { widestMode } = context;
  const permissions = await permissionsFor(equipment, definition, { workspace, widestMode });
  const seenFiles = new SeenFiles();
  const work = workTools({
    ...{ workspace, runner, background, locks: equipment.fileLocks, seenFiles },
    history: equipment.history.of(name),
    mayRead: (path) => permissions.mayRead(path),
  });
  const chosen = [...work, ...equipment.tools].filter(
    ({ spec }) => definition.tools?.includes(spec.name) ?? true,
  );
  const instructions = () => projectInstructions(workspace, place.onWarning);
  const agent = await Agent.open({
    ...parts,
    name,
    cwd: workspace.cwd,
    expectsPauses: definition.role.type === "lead",
    system,
    tools: [...chosen, ...context.tools({ takeMail: () => input.takeForResult() })],
    transcript: own.transcript,
    input,
    permissions: gated(permissions, context.gate),
    hooks: new Hooks(equipment.hooks, place.onWarning),
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
  await introduce(agent, instructions);
  return {
    runner: new ModelRunner(agent),
    inbox,
    permissions,
    get backgroundJobs() {
      return background.list().filter(({ status }) => status === "running").length;
    },
    mailSettled: () => agent.mailSettled(),
    async rewind(point) {
      const hasWork = await rewindAgent(agent, point);
      // As after a restart: it may have read them since.
      seenFiles.forgetAll();
      await introduce(agent, instructions);
      return hasWork;
    },
    end: () => jobs.endForGood(),
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]();
      await own[Symbol.asyncDispose]();
    },
  };
}

/** Writes a text that is too long to be shown to a file that a model can read. */
export async function keepWhole(path: string, text: string): Promise<void> {
  await ensurePrivateDirectory(dirname(path));
  using directory = OwnDirectory.open(dirname(path));
  await replaceFile(directory.to(basename(path)), text);
}

/** Throws where a member could not be opened as it is defined. */
export async function checkMember(
  equipment: Equipment,
  definition: MemberDefinition,
): Promise<void> {
  await openWorkspace(equipment, definition);
  await modelParts(equipment, definition);
  memberPrompt(definition, equipment.systemPrompt);
}

type ModelParts = Pick<AgentOptions, "model" | "thinking" | "takesImage" | "bill" | "limits">;

/** The model, what it costs, and what bounds it. */
async function modelParts(
  equipment: Equipment,
  { name, model: id, effort, thinkingBudget, maxTurns, budget }: MemberDefinition,
): Promise<ModelParts> {
  const { store, place } = equipment;
  const thinking = { effort, budgetTokens: thinkingBudget };
  const model = await equipment.openModel(id, name);
  const facts = await factsOf(equipment, model.id);
  const own = budget ? [equipment.budgetOf(name, budget)] : [];
  const prices = new Map<string, ModelPricing>();
  for (const [each, { price }] of facts) {
    prices.set(each, { price, reportsCost: equipment.reportsCost(each) });
  }
  const bill = new Bill({
    member: name,
    prices,
    ledger: store.usage,
    budgets: [...own, equipment.budget],
    clock: place.clock,
  });
  for (const [each, known] of facts) {
    equipment.tellAssumptions(each, known);
    const { usual } = outputLimits(known, equipment.maxOutputTokens);
    await equipment.tellUnsent(each, thinking, usual);
  }
  // Each model of a list must be able to go on.
  const least = (limit: (facts: ModelFacts) => number) =>
    Math.min(...[...facts.values()].map(limit));
  const limits = {
    maxTurns,
    maxOutputTokens: least((each) => outputLimits(each, equipment.maxOutputTokens).usual),
    raisedOutputTokens: least((each) => outputLimits(each, equipment.maxOutputTokens).raised),
    contextTokens: least((each) => each.contextWindow ?? assumedWindow),
  };
  const images = equipment.isModelOurs && {
    takesImage: (each: string, type: string) => takesImage(each, facts.get(each))(type),
  };
  return { model, thinking, bill, limits, ...images };
}

/** What is known of each model of a list. */
async function factsOf(equipment: Equipment, list: string): Promise<Map<string, ModelFacts>> {
  const facts = new Map<string, ModelFacts>();
  for (const id of modelIds(list)) facts.set(id, await equipment.modelFacts(id));
  return facts;
}

/** The permissions of a member as it is defined (default of `widestMode`: any mode). */
export async function permissionsFor(
  equipment: Equipment,
  definition: Pick<MemberDefinition, "root" | "cwd" | "mode" | "rules">,
  {
    workspace,
    widestMode = () => "bypassPermissions",
  }: { workspace?: Workspace; widestMode?: MemberContext["widestMode"] } = {},
): Promise<Permissions> {
  const place = workspace ?? (await openWorkspace(equipment, definition));
  return new Permissions({
    mode: definition.mode,
    rules: definition.rules,
    widestMode,
    locate: (path) => place.locate(path),
    teamDirectory: equipment.layout.directory,
    keyDirectories: await equipment.keyDirectories(),
    environment: equipment.environment,
    isPolicyOwn: equipment.hooks.beforeCall !== undefined,
  });
}

function openWorkspace(
  { layout }: Equipment,
  { root, cwd }: Pick<MemberDefinition, "root" | "cwd">,
): Promise<Workspace> {
  return Workspace.open({ root, cwd, teamDirectory: layout.directory });
}

function commandsOf(
  equipment: Equipment,
  { workspace, name }: { workspace: Workspace; name: MemberName },
) {
  const { place, store, secrets, environment, outputFiles, pipes, programs, running } = equipment;
  const { clock } = place;
  const { cwd } = workspace;
  const owner = equipment.commandOwner(name);
  const runner = new HostCommandRunner({
    ...{ cwd, environment, clock, outputFiles, pipes, programs, running, owner },
  });
  const background = new BackgroundJobs({
    ...{ runner, secrets, clock, member: name, records: store.jobs },
  });
  return { runner, background };
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

/** Records the project's instructions for the first turn. A compaction repeats them. */
async function introduce(
  agent: Agent,
  instructions: () => Promise<string | undefined>,
): Promise<void> {
  if (agent.conversation.utterances.length > 0) return;
  const text = await instructions();
  if (!text) return;
  const note = agent.options.secrets.mask(text);
  await agent.record({ type: "note", text: note, wakes: false });
}
