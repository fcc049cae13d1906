import type { Random } from "../../soak/random.ts";
import type { Model, ModelPart, ModelRequest } from "../../src/model/model.ts";
import { lead, type MemberName } from "../../src/protocol/ids.ts";
import type { ReplyBlock } from "../../src/protocol/transcript.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import type { SimulatedProcess, World } from "./world.ts";

/** What a model answers. */
export type Mind = (self: MemberName, request: ModelRequest) => ReplyBlock[] | "failure";

export interface SimulatedModelOptions {
  world: World;
  process: SimulatedProcess;
  self: MemberName;
  mind: Mind;
  /** Told of every request when it is made. */
  onRequest(member: MemberName): void;
}

const usage = { input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0 };

/** A model that takes its time, by the scheduler, and then says what its mind says. */
export class SimulatedModel implements Model {
  readonly id = "simulated/model";
  readonly #options: SimulatedModelOptions;

  constructor(options: SimulatedModelOptions) {
    this.#options = options;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    const { world, process, self, mind, onRequest } = this.#options;
    if (!request.signal.aborted) onRequest(self);
    await world.point(process, `${self} thinks`);
    if (request.signal.aborted) {
      yield { type: "error", failure: { kind: "aborted", message: "The request was aborted" } };
      return;
    }
    const blocks = mind(self, request);
    if (blocks === "failure") {
      yield { type: "error", failure: { kind: "bad-request", message: "The provider says no" } };
      return;
    }
    const hasCalls = blocks.some(({ type }) => type === "tool-call");
    yield { type: "finish", blocks, stop: hasCalls ? "tool-calls" : "end", usage };
  }
}

export const teammateNames = ["alice", "bob", "carol", "dave"] as const;

/** What models of a story think of: everything, or what brings about the rare stories about plans. */
export type Topic = "everything" | "plans";

/** Does whatever comes to mind. With time it tires, and calls no more tools: so every story ends. */
export function wanderingMind(random: Random, energy: { left: number }, topic: Topic): Mind {
  return (self, request) => {
    if (random.fraction() < 0.02) return "failure";
    const seen = newestWords(request);
    if (energy.left <= 0 || random.fraction() < 0.3) return closingWords(random, seen);
    energy.left--;
    const answer = random.fraction() < 0.7 ? answerTo(self, seen, random) : undefined;
    return [answer ?? whim(self, random, topic)];
  };
}

function closingWords(random: Random, seen: string): ReplyBlock[] {
  const held = /task_id="(\d+)"/.exec(seen)?.[1];
  if (held && random.fraction() < 0.5) return [calls("complete_task", { task_id: held })];
  return random.fraction() < 0.3 ? [] : [says("That is that.")];
}

/** What mail asks for, if it asks for anything. */
function answerTo(self: MemberName, seen: string, random: Random): ReplyBlock | undefined {
  const approve = random.fraction() < 0.6;
  const type = self === lead ? "plan_approval_request" : "shutdown_request";
  const mail = new RegExp(`type="${type}"[^>]* request_id="([^"]+)"`).exec(seen);
  if (!mail) return undefined;
  return self === lead
    ? calls("plan_approval", { request_id: mail[1], approve })
    : calls("shutdown_response", { request_id: mail[1], approve, reason: "as it is" });
}

function whim(self: MemberName, random: Random, topic: Topic): ReplyBlock {
  const teammate = random.pick(teammateNames);
  const task_id = String(1 + random.below(3));
  const common: Whim[] = [
    ["send_message", { to: lead, content: "Hello." }],
    ["send_message", { to: teammate, content: "Hello." }],
    ["send_message", { to: teammate, content: "Are you there?" }],
    ["look", {}],
    ["change", {}],
    ["risk", {}],
    ["create_task", { subject: "Something to do" }],
    ["create_task", { subject: "Yours", owner: teammate }],
    ["create_task", { subject: "Afterwards", blocked_by: [task_id] }],
    ["claim_task", { task_id }],
    ["complete_task", { task_id }],
    ["update_task", { task_id, status: "pending" }],
    ["read_inbox", {}],
    ["list_teammates", {}],
  ];
  const ofLead: Whim[] = [
    ["spawn_teammate", { name: teammate, role: "coder", prompt: "Work." }],
    ["spawn_teammate", { name: teammate, role: "coder", prompt: "Plan.", plan_required: true }],
    ["spawn_teammate", { name: teammate, role: "coder", prompt: "Anew.", fresh: true }],
    ["spawn_teammate", { name: teammate, role: "tester", prompt: "Test." }],
    ["shutdown_request", { teammate }],
    ["shutdown_request", { teammate, force: true }],
    ["wait_for_teammates", {}],
    ["broadcast", { content: "All of you." }],
  ];
  const ofTeammate: Whim[] = [
    ["plan_approval", { plan: "First this, then that." }],
    ["change", {}],
  ];
  const all = [...common, ...(self === lead ? ofLead : ofTeammate)];
  const concerning = all.filter(
    ([tool, input]) => topic === "everything" || isOfPlans(tool, input),
  );
  const [tool, input] = random.pick(concerning);
  return calls(tool, input);
}

/** True for what a story needs in which a member with an approved plan takes a task, and then changes something. */
function isOfPlans(tool: string, input: object): boolean {
  return (
    ["plan_approval", "change", "claim_task", "create_task"].includes(tool) ||
    "plan_required" in input
  );
}

type Whim = [tool: string, input: object];

/** What came since the model's last reply. */
function newestWords({ conversation }: ModelRequest): string {
  const last = conversation.at(-1);
  return last?.type === "input" ? last.texts.join("\n") : "";
}
