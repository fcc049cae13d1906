import { z } from "zod";
import type { MemberHooks } from "../../agent/hooks.ts";
import { reasonOf, TeamError } from "../../errors.ts";
import { stopped, unlessStopped } from "../../lib/unless-stopped.ts";
import type { MemberName, TaskId } from "../../protocol/ids.ts";
import type { Landing } from "../../protocol/landing.ts";
import type { SpawnRequest } from "../../tools/team/team-access.ts";
import { checkSpawnRequest } from "../check-spawn-request.ts";
import type { SpawnReview } from "../members/spawner.ts";

/**
 * The answer of `onSpawn`: `decision` refuses the spawn, and its `reason` is shown to the member or person that asked for it; `request` replaces the
 * request, which is checked like any other. `undefined` leaves it as it is.
 */
export type SpawnAnswer =
  | { readonly decision: "deny"; readonly reason: string }
  | { readonly request: SpawnRequest };

/** Functions of a program that see what the team does, and may prevent or change it. No hook permits what permissions deny. */
export interface TeamHooks extends MemberHooks {
  /**
   * Called before a teammate is spawned, or gets new work by a spawn, with who asks for it: the lead, or `user` for `Team.spawn`. If
   * it throws, or answers something else, the spawn is refused and `onWarning` is called.
   */
  onSpawn?(spawn: SpawnReview): SpawnAnswer | undefined | Promise<SpawnAnswer | undefined>;
  /**
   * Called before a member adds a task, or completes one. A text refuses that, and is what the member is told: the task stays as
   * it is. If it throws, that is refused, and `onWarning` is called.
   */
  beforeTask?(task: TaskReview): string | undefined | Promise<string | undefined>;
  /**
   * Called when the work of a member has passed its check, before it lands. A text sends it back to the member, as a check that has not
   * passed does. If it throws, the work is sent back, and `onWarning` is called.
   */
  beforeLanding?(landing: LandingReview): string | undefined | Promise<string | undefined>;
  /**
   * Called when a checkout was made for a teammate that is being spawned. A text refuses the spawn. If it throws, the
   * spawn is refused, and `onWarning` is called.
   */
  onCheckout?(checkout: CheckoutReview): string | undefined | Promise<string | undefined>;
}

/** A task that a member wants to add or to complete. */
export interface TaskReview {
  /** What the member wants to do. */
  readonly change: "create" | "complete";
  /** The member. */
  readonly by: MemberName;
  /** Absent for one that is to be added. */
  readonly id?: TaskId | undefined;
  /** What it is about, in a line. */
  readonly subject: string;
  /** What is to be done. */
  readonly description: string;
}

/** Work that is about to land. */
export interface LandingReview {
  /** The work, as it would land. */
  readonly landing: Landing;
  /** Aborted when something else was decided of it. */
  readonly signal: AbortSignal;
}

/** A checkout that was made. */
export interface CheckoutReview {
  /** Whose it is. */
  readonly member: MemberName;
  /** The role of that member. */
  readonly role: string;
  /** Where it is. */
  readonly path: string;
  /** Aborted when the team is closed. */
  readonly signal: AbortSignal;
}

/** Throws `task-refused` where a hook refuses what a member wants to do with a task. */
export async function reviewTask(
  { beforeTask }: Pick<TeamHooks, "beforeTask">,
  task: TaskReview,
  onWarning: (message: string) => void,
): Promise<void> {
  if (!beforeTask) return;
  const refusal = await refusalOf("beforeTask", () => beforeTask(task), onWarning);
  if (refusal === undefined) return;
  const { change, id } = task;
  const message =
    change === "create"
      ? `The task is not added, a hook refuses it: ${refusal}`
      : `Task ${id} is not completed, a hook refuses it: ${refusal}`;
  const hint =
    change === "create"
      ? "Change it, and add it again"
      : "Do what is missing, then complete it again";
  throw new TeamError("task-refused", message, { hint: `${hint}.` });
}

/** Why a hook refuses something; undefined if it does not. A hook that throws refuses. */
export async function refusalOf(
  hook: keyof TeamHooks,
  ask: () => string | undefined | Promise<string | undefined>,
  onWarning: (message: string) => void,
): Promise<string | undefined> {
  try {
    return z
      .string()
      .optional()
      .parse(await ask());
  } catch (error) {
    const problem = error instanceof z.ZodError ? z.prettifyError(error) : reasonOf(error);
    onWarning(`The hook ${hook} failed: ${problem}`);
    return "the program that decides about it failed";
  }
}

const Answer = z.union([
  z.strictObject({ decision: z.literal("deny"), reason: z.string() }),
  z.strictObject({ request: z.custom<SpawnRequest>((given) => typeof given === "object") }),
]);

/** The request as the program leaves it. Throws `spawn-refused` where the program refuses it. */
export async function reviewSpawn(
  hooks: Pick<TeamHooks, "onSpawn">,
  spawn: SpawnReview,
  onWarning: (message: string) => void,
): Promise<SpawnRequest> {
  const { request, signal } = spawn;
  if (!hooks.onSpawn) return request;
  try {
    const answer = await unlessStopped(signal, () => hooks.onSpawn?.(spawn));
    // A team that is being closed refuses every spawn.
    if (answer === undefined || answer === stopped) return request;
    return requestOf(Answer.parse(answer));
  } catch (error) {
    if (error instanceof TeamError) throw error;
    const problem = error instanceof z.ZodError ? z.prettifyError(error) : reasonOf(error);
    onWarning(`The hook onSpawn failed for '${request.name}': ${problem}`);
    throw refused("the program that decides about it failed");
  }
}

function requestOf(answer: z.infer<typeof Answer>): SpawnRequest {
  if ("decision" in answer) throw refused(answer.reason);
  checkSpawnRequest(answer.request);
  return answer.request;
}

function refused(reason: string): TeamError {
  const hint = "Do the work another way, or ask the person.";
  return new TeamError("spawn-refused", `The spawn is refused: ${reason}`, { hint });
}
