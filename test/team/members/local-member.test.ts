import { MessageChannel, type MessagePort } from "node:worker_threads";
import { expect, test } from "vitest";
import { clearConversation } from "../../../src/agent/clear.ts";
import { ModelRunner } from "../../../src/agent/model-runner.ts";
import { Listeners } from "../../../src/lib/listeners.ts";
import type { Rule } from "../../../src/permissions/rule.ts";
import { lead, type MemberName } from "../../../src/protocol/ids.ts";
import type { PermissionMode } from "../../../src/protocol/message.ts";
import { Inbox } from "../../../src/team/members/inbox.ts";
import { LocalMember } from "../../../src/team/members/local-member.ts";
import type {
  MemberHandle,
  MemberOrder,
  MemberState,
} from "../../../src/team/members/member-handle.ts";
import {
  type MemberHandleFixture,
  testMemberHandle,
} from "../../../src/testing/conformance/member-handle.ts";
import type { RunnerScript } from "../../../src/testing/conformance/runner.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { TestAgent } from "../../support/agent.ts";
import { modelThat } from "../../support/runner-steps.ts";

testMemberHandle("LocalMember", openLocalMember);

testMemberHandle("a member at the other end of a wire", async (script) => {
  const local = await openLocalMember(script);
  const { port1, port2 } = new MessageChannel();
  serve(local.handle, port1);
  return {
    handle: new DistantMember(local.handle.name, local.handle.state, port2),
    tell: local.tell,
    hanging: local.hanging,
    async [Symbol.asyncDispose]() {
      await local[Symbol.asyncDispose]();
      port1.close();
    },
  };
});

test("a member whose process leaves stops its run at once, and waits for no timeout", async () => {
  await using local = await openLocalMember(["hangs"]);
  await local.tell("Go.");
  await local.handle.order({ type: "start" });
  await local.hanging;

  await local.handle.order({ type: "leave" });

  expect(local.clock.monotonicMs()).toBe(0);
  expect(local.handle.state).toMatchObject({ lastEnd: undefined, isCutShort: true });
});

test("mail is reported as late only after the member's end, and wakes it no more", async () => {
  const late: string[] = [];
  await using local = await openLocalMember([{ says: "Done." }], () => late.push("late"));
  await local.handle.order({ type: "start" });
  await local.tell("Go.");
  await until(local.handle, ({ runs, isBusy }) => runs === 1 && !isBusy);
  expect(late).toEqual([]);

  await local.handle.order({ type: "end", reason: "it was shut down" });
  await local.tell("Are you there?");

  expect(late).toEqual(["late"]);
  expect(local.handle.state.runs).toBe(1);
});

/** Resolves when the state of a member is as `holds` says. */
function until(handle: MemberHandle, holds: (state: MemberState) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!holds(handle.state)) return;
      stop();
      resolve();
    };
    const stop = handle.onChange(look);
    look();
  });
}

async function openLocalMember(
  script: RunnerScript,
  onLateMail: () => void = () => undefined,
): Promise<MemberHandleFixture & { clock: ManualClock }> {
  const { model, hanging } = modelThat(script);
  // Its time stands still: nothing here may end by a timeout.
  const clock = new ManualClock();
  const test = await TestAgent.open(model);
  const unexpected = async () => {
    throw new Error("Nobody ordered that");
  };
  const handle = await LocalMember.open({
    name: lead,
    clock,
    goesOnByItself: true,
    isPaused: () => false,
    orders: {
      permission_response: unexpected,
      plan_approval_response: unexpected,
      shutdown_request: unexpected,
      team_permission_update: unexpected,
      withdraw_request: unexpected,
      mode_set_request: unexpected,
      landing_decision: unexpected,
    },
    open: async (carryOut) => ({
      runner: new ModelRunner(test.agent),
      inbox: new Inbox(test.member.reader, {
        reportMail: async () => undefined,
        carryOut,
        isLeaving: () => false,
      }),
      permissions: new PlainPermissions(),
      backgroundJobs: [],
      isTellingOfJobs: false,
      noteRunEnd: () => undefined,
      mailSettled: async () => undefined,
      setModel: async () => undefined,
      rewind: async () => false,
      goBack: async () => undefined,
      clear: (closeRun) => clearConversation(test.agent, closeRun),
      end: async () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    }),
    isWorthwhile: (unread, { hasEnded }) => unread.length > 0 && !hasEnded,
    settle: async () => undefined,
    onEvent: () => undefined,
    onStatus: () => undefined,
    onCrash: (reason) => {
      throw new Error(reason);
    },
    onLateMail,
    onWarning: (message) => {
      throw new Error(message);
    },
  });
  return {
    handle,
    clock,
    hanging,
    tell: (content) => test.tell(content),
    async [Symbol.asyncDispose]() {
      await handle.order({ type: "leave" });
      await test[Symbol.asyncDispose]();
    },
  };
}

class PlainPermissions {
  mode: PermissionMode = "default";
  rules: readonly Rule[] = [];

  setMode(mode: PermissionMode): void {
    this.mode = mode;
  }

  setRules(rules: readonly Rule[]): void {
    this.rules = rules;
  }
}

interface Order {
  id: number;
  order: MemberOrder;
}

interface News {
  /** The order that has been carried out; undefined where the state has only changed. */
  id: number | undefined;
  state: MemberState;
}

/** Carries out what comes through `port`, and tells of every change. */
function serve(handle: MemberHandle, port: MessagePort): void {
  const tell = (id?: number) => port.postMessage({ id, state: handle.state } satisfies News);
  handle.onChange(() => tell());
  port.on("message", async ({ id, order }: Order) => {
    await handle.order(order);
    tell(id);
  });
}

/** A member of which nothing but messages come. */
class DistantMember implements MemberHandle {
  readonly name: MemberName;
  state: MemberState;
  readonly #port: MessagePort;
  readonly #changes = new Listeners<void>();
  readonly #waiting = new Map<number, () => void>();
  #orders = 0;

  constructor(name: MemberName, state: MemberState, port: MessagePort) {
    this.name = name;
    this.state = structuredClone(state);
    this.#port = port;
    port.on("message", ({ id, state: current }: News) => {
      this.state = current;
      this.#changes.emit();
      if (id !== undefined) this.#waiting.get(id)?.();
    });
  }

  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  order(order: MemberOrder): Promise<void> {
    const id = this.#orders++;
    this.#port.postMessage({ id, order } satisfies Order);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
    });
  }
}
