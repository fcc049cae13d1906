import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Agent, type ModelParts } from "../agent/agent.ts";
import { Hooks } from "../agent/hooks.ts";
import { MailInput } from "../agent/input.ts";
import { ModelRunner } from "../agent/model-runner.ts";
import { rewindAgent } from "../agent/rewind.ts";
import { TeamError } from "../errors.ts";
import { ensurePrivateDirectory, replaceFile } from "../lib/files.ts";
import { orNothing } from "../lib/or-nothing.ts";
import { OwnDirectory } from "../lib/own-directory.ts";
import type { MemberTools } from "../mcp/member-tools.ts";
import { RequestApprovals } from "../permissions/approvals.ts";
import { Permissions } from "../permissions/permissions.ts";
import { BackgroundJobs } from "../processes/background-jobs.ts";
import type { MemberCheckout } from "../protocol/checkout.ts";
import { type MemberName, system } from "../protocol/ids.ts";
import type { ImageReference, Message, PermissionMode } from "../protocol/message.ts";
import type { TranscriptEntry } from "../protocol/transcript.ts";
import { skillToolName } from "../tools/skill.ts";
import type { Tool } from "../tools/tool.ts";
import { workTools } from "../tools/work-tools.ts";
import { SeenFiles } from "../workspace/seen-files.ts";
import { Workspace } from "../workspace/workspace.ts";
import { withdrawHostQuestions } from "./ask-host.ts";
import { BackgroundMail } from "./background-mail.ts";
import { commandRunner } from "./command-runner-of.ts";
import type { ApprovalOptions, Equipment } from "./equipment.ts";
import { reviewPrompts } from "./hooks/review-prompts.ts";
import { MemberGuidance } from "./member-guidance.ts";
import { memberPrompt } from "./member-prompt.ts";
import { Inbox } from "./members/inbox.ts";
import type { MemberContext, MemberDefinition, MemberParts } from "./members/member-definition.ts";
import { modelParts } from "./model-parts.ts";
import { gated } from "./protocols/plans.ts";
import { recap } from "./recap.ts";
import type { MemberStore } from "./team-store.ts";
import { watchOthers } from "./watch-others.ts";

/** Opens a member with its history: as it is defined, or not at all. */
export async function openMember(
  equipment: Equipment,
  definition: MemberDefinition,
  context: MemberContext,
): Promise<MemberParts> {
  const { name } = definition;
  const workspace = await openWorkspace(equipment, definition);
  // Before anything is made for it: a spawn that fails leaves nothing behind.
  await equipment.sandbox.check(definition.sandbox);
  const parts = await modelParts(equipment, definition);
  const system = equipment.secrets.mask(memberPrompt(definition, equipment.systemPrompt));
  const own = await equipment.store.openMember(name, context);
  if (definition.hooks) await equipment.openCommandHooks();
  const commands = commandsOf(equipment, definition, workspace);
  const inbox = new Inbox(own.reader, {
    reportMail: (unread) => context.reportMail(unread),
    carryOut: (mail) => context.carryOut(mail),
    isLeaving: () => context.isLeaving(),
    onRefused: (id) => context.onRefused?.(id),
    review: reviewPrompts(equipment, name),
  });
  const { widestMode } = context;
  const permissions = await permissionsFor(equipment, definition, {
    ...{ workspace, widestMode, isShared: () => equipment.sharedFiles.isShared(name) },
  });
  await joinHooks(equipment, definition, () => permissions.mode);
  const seenFiles = new SeenFiles((real) => equipment.sharedFiles.touch(name, real));
  const guidance = await MemberGuidance.open(equipment, { workspace, permissions, definition });
  const isNew = async () => !(await own.transcript.tail()).some(isProfile);
  const servers = await equipment.mcp.toolsFor(definition, { system, isNew });
  const agent = await openAgent(equipment, definition, {
    ...{ context, parts, system, workspace, own, commands, inbox, permissions, seenFiles, servers },
    guidance,
  });
  const { background } = commands;
  const jobs = backgroundMail(equipment, { background, name });
  const left = await jobs.left();
  if (agent.lastRun.isOpen || left.length > 0) {
    await equipment.endOrphans(name);
    await withdrawHostQuestions(equipment.store, name);
  } else if (equipment.commandHooks) {
    // Hooks also run between runs.
    await equipment.endOrphans(name);
  }
  await jobs.tellFates(left);
  await introduce(agent, guidance, definition.opening);
  equipment.sharedFiles.join(name, workspace.root);
  return {
    runner: new ModelRunner(agent),
    inbox,
    permissions,
    get backgroundJobs() {
      const running = background.list().filter(({ status }) => status === "running");
      return running.map(({ command }) => command);
    },
    get isTellingOfJobs() {
      return jobs.isTelling;
    },
    mailSettled: () => agent.mailSettled(),
    async setModel(choice) {
      agent.setModel(await modelParts(equipment, { ...definition, ...choice }));
    },
    async rewind(point) {
      const hasWork = await rewindAgent(agent, point);
      // As after a restart: it may have read them since.
      seenFiles.forgetAll();
      await introduce(agent, guidance, definition.opening);
      return hasWork;
    },
    async goBack(number) {
      const { wentBackNote } = await import("./rewind/went-back-note.ts");
      const done = await equipment.checkouts.goBack(name, number);
      seenFiles.forgetAll();
      await agent.record({ type: "note", text: wentBackNote(done), wakes: false });
    },
    async clear(closeRun) {
      const { clearConversation } = await import("../agent/clear.ts");
      const size = await clearConversation(agent, closeRun);
      // It no longer knows any file.
      seenFiles.forgetAll();
      return size;
    },
    noteRunEnd: () => equipment.sharedFiles.endRun(name),
    end: async () => {
      equipment.sharedFiles.leave(name);
      await jobs.endForGood();
    },
    async [Symbol.asyncDispose]() {
      servers?.[Symbol.dispose]();
      await jobs[Symbol.asyncDispose]();
      await own[Symbol.asyncDispose]();
    },
  };
}

function isProfile({ type }: TranscriptEntry): boolean {
  return type === "profile";
}

/** From now on hooks that are commands know the member. */
async function joinHooks(
  equipment: Equipment,
  definition: MemberDefinition,
  mode: () => PermissionMode,
): Promise<void> {
  if (!equipment.commandHooks) return;
  const { hookedMember } = await import("./hooks/open-command-hooks.ts");
  equipment.commandHooks.join(hookedMember(equipment, definition, { mode }));
}

/** What a member's agent works with. */
interface AgentParts {
  context: MemberContext;
  parts: ModelParts;
  system: string;
  workspace: Workspace;
  own: MemberStore;
  commands: ReturnType<typeof commandsOf>;
  inbox: Inbox;
  permissions: Permissions;
  seenFiles: SeenFiles;
  guidance: MemberGuidance;
  /** By which it uses MCP servers, if it has any. */
  servers: MemberTools | undefined;
}

async function openAgent(
  equipment: Equipment,
  definition: MemberDefinition,
  agentParts: AgentParts,
): Promise<Agent> {
  const { context, parts, system, workspace, own, inbox, permissions, guidance } = agentParts;
  const { place, layout, store, secrets, imageFiles } = equipment;
  const { clock } = place;
  const { name, role } = definition;
  const { isWorthwhile } = context;
  const wholePath = ({ id }: Message) => join(layout.outputs, `mail-${id}.txt`);
  const readImage = (reference: ImageReference) => imageFiles.read(reference);
  const input = new MailInput({
    ...{ reader: inbox, isWorthwhile, wholePath, keepWhole, secrets, clock, readImage },
  });
  const teamTools = context.tools({ takeMail: () => input.takeForResult() });
  const agent = await Agent.open({
    ...{ ...parts, name, system, input, secrets, wholePath, clock },
    cwd: workspace.cwd,
    expectsPauses: role.type === "lead",
    tools: [
      ...ownTools(equipment, definition, agentParts),
      ...(agentParts.servers?.tools ?? []),
      ...teamTools,
    ],
    lifelong: skillsOf(definition, guidance),
    transcript: own.transcript,
    permissions: gated(permissions, context.gate),
    hooks: new Hooks(equipment.hooks, place.onWarning),
    approvals: new RequestApprovals(store.requests, {
      clock,
      ...approvalsOf(equipment, definition),
    }),
    outputFiles: equipment.outputFiles,
    recap: async () => {
      const texts = [...(await guidance.texts(agent.tools)), ...(await recap(store, name))];
      return texts.map((text) => secrets.mask(text));
    },
  });
  return agent;
}

/** Undefined for a member whose role denies it. */
function skillsOf({ ofRole }: MemberDefinition, guidance: MemberGuidance) {
  if (ofRole?.disallowed_tools?.includes(skillToolName)) return undefined;
  return { isOffered: guidance.hasSkills, tools: () => [guidance.skillTool()] };
}

/** A member whose role has it ask nobody is denied at once what would be asked. */
function approvalsOf({ approvals }: Equipment, { ofRole }: MemberDefinition): ApprovalOptions {
  if (!ofRole?.asks_nobody) return approvals;
  const name = ofRole.agent?.name;
  return { unattended: () => `your role (${name}) denies all that would be asked` };
}

/** The tools to work with that a member may have, built-in and the program's own. */
function ownTools(
  equipment: Equipment,
  { name, tools: chosen, ofRole }: MemberDefinition,
  { workspace, commands, permissions, seenFiles }: AgentParts,
): Tool[] {
  const { fileLocks: locks, changes, tools: programs, web } = equipment;
  const work = workTools({
    watchOthers: () => watchOthers(equipment, name),
    ...{ ...commands, workspace, locks, seenFiles, history: changes.of(name), web },
    mayRead: (path) => permissions.mayRead(path),
  });
  const { disallowed_tools: disallowed = [] } = ofRole ?? {};
  return [...work, ...programs].filter(
    ({ spec }) => (chosen?.includes(spec.name) ?? true) && !disallowed.includes(spec.name),
  );
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
  await equipment.sandbox.check(definition.sandbox);
  await modelParts(equipment, definition);
  memberPrompt(definition, equipment.systemPrompt);
}

/** Throws `spawn-refused` where a skill or an MCP server is missing that the member is to have. */
export async function checkGiven(
  equipment: Equipment,
  definition: MemberDefinition,
): Promise<void> {
  equipment.mcp.require(definition);
  if (!definition.skills?.length) return;
  const workspace = await openWorkspace(equipment, definition);
  const permissions = { mayRead: () => true };
  const guidance = await MemberGuidance.open(equipment, { workspace, permissions, definition });
  guidance.requireSkills();
}

/** The permissions of a member as it is defined (default of `widestMode`: any mode). */
export async function permissionsFor(
  equipment: Equipment,
  definition: Pick<
    MemberDefinition,
    "root" | "cwd" | "checkout" | "mode" | "rules" | "sandbox" | "hooks" | "ofRole"
  >,
  {
    workspace,
    widestMode = () => "bypassPermissions",
    isShared = () => false,
  }: {
    workspace?: Workspace;
    widestMode?: MemberContext["widestMode"];
    isShared?: () => boolean;
  } = {},
): Promise<Permissions> {
  const place = workspace ?? (await openWorkspace(equipment, definition));
  return new Permissions({
    mode: definition.mode,
    rules: definition.rules,
    ownRules: definition.ofRole?.own_rules,
    widestMode,
    locate: (path) => place.locate(path),
    teamDirectory: equipment.layout.directory,
    keyDirectories: await equipment.keyDirectories(),
    environment: equipment.environment,
    isShared,
    isPolicyOwn: equipment.hasOwnPolicy(definition),
    isConfined: () => equipment.sandbox.isInForce(definition.sandbox),
  });
}

export async function openWorkspace(
  { layout }: Equipment,
  { root, cwd, checkout }: Pick<MemberDefinition, "root" | "cwd" | "checkout">,
): Promise<Workspace> {
  if (checkout) await requireCheckout(checkout);
  return await Workspace.open({ root, cwd, teamDirectory: layout.directory });
}

async function requireCheckout({ path }: MemberCheckout): Promise<void> {
  if (await orNothing(stat(path), undefined)) return;
  throw new TeamError("checkout-failed", `The checkout ${path} is gone`, {
    hint: "Its kept work is in the repository: see troupe changes. Shut the member down, and spawn it again for a new checkout.",
  });
}

export function commandsOf(
  equipment: Equipment,
  { name, sandbox, checkout, ofRole }: MemberDefinition,
  { cwd, root }: Workspace,
) {
  const { place, store, secrets } = equipment;
  const { clock } = place;
  const runner = commandRunner(equipment, { name, sandbox, checkout, cwd, root, ofRole });
  const background = new BackgroundJobs({
    ...{ runner, secrets, clock, member: name, records: store.jobs },
  });
  const ownsGit = checkout !== undefined;
  return {
    ...{ runner, background },
    sandboxNote: equipment.sandbox.note({ ownsGit, mode: sandbox, network: ofRole?.network }),
  };
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

/** Records what is to be known from the first turn on. A compaction repeats it. */
async function introduce(
  agent: Agent,
  guidance: MemberGuidance,
  opening: readonly string[] = [],
): Promise<void> {
  if (agent.conversation.utterances.length > 0) return;
  const { secrets } = agent.options;
  for (const text of [...(await guidance.texts(agent.tools)), ...opening]) {
    await agent.record({ type: "note", text: secrets.mask(text), wakes: false });
  }
}
