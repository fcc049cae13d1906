import { expect, test } from "vitest";
import { TeamError } from "../../../src/errors.ts";
import { hmacSignature } from "../../../src/keys/signature.ts";
import { newMessageId, newRequestId, parseTeammateName, user } from "../../../src/protocol/ids.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { StoredRequests } from "../../../src/requests/stored-requests.ts";
import {
  isCarriedOut,
  MailOrders,
  type OrderHandlers,
} from "../../../src/team/members/mail-orders.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { promised } from "../../support/promised.ts";

const alice = parseTeammateName("alice");

function order(): Message {
  return {
    ...{ id: newMessageId(new Date(0)), type: "mode_set_request", from: user, to: alice },
    ...{ content: "", timestamp: 0, mode: "plan" },
  };
}

/** Orders by mail that come to `outcomes` in turn, and to nothing from then on. */
function mailOrders(...outcomes: TeamError[]) {
  const carriedOut: string[] = [];
  const warnings: string[] = [];
  const receipts: boolean[] = [];
  const shutdown = promised();
  const unexpected = async () => {
    throw new Error("Nobody ordered that");
  };
  const orders: OrderHandlers = {
    permission_response: unexpected,
    plan_approval_response: unexpected,
    shutdown_request: () => shutdown.promise,
    team_permission_update: unexpected,
    withdraw_request: unexpected,
    landing_decision: unexpected,
    async mode_set_request(_, { id }, { isFromBefore }) {
      receipts.push(isFromBefore);
      const outcome = outcomes.shift();
      if (outcome) throw outcome;
      carriedOut.push(id);
    },
  };
  const onWarning = (message: string) => void warnings.push(message);
  const control = new MailOrders({ member: alice, orders, onWarning });
  return { control, carriedOut, warnings, receipts, shutdown };
}

test("an order is carried out once, however often it is read", async () => {
  const { control, carriedOut } = mailOrders();
  const mail = [order(), order()];

  await Promise.all([control.carryOut(mail), control.carryOut(mail)]);

  expect(carriedOut).toEqual(mail.map(({ id }) => id));
});

test("an order that could not be written keeps its mail unread, and is carried out when it is read again", async () => {
  const full = new TeamError("write-failed", "The disk is full");
  const { control, carriedOut, warnings } = mailOrders(full);
  const mail = order();

  await expect(control.carryOut([mail])).rejects.toBe(full);
  await control.carryOut([mail]);

  expect(carriedOut).toEqual([mail.id]);
  expect(warnings).toEqual([]);
});

test("a refused order is reported, and not tried again", async () => {
  const refusal = new TeamError("config-invalid", "It is wider than the lead's", { hint: "No." });
  const { control, carriedOut, warnings } = mailOrders(refusal);
  const mail = order();

  await control.carryOut([mail]);
  await control.carryOut([mail]);

  expect(carriedOut).toEqual([]);
  expect(warnings).toEqual(["It is wider than the lead's. No."]);
});

test("if there are very many orders, the oldest are forgotten", async () => {
  const { control, carriedOut } = mailOrders();
  const mail = Array.from({ length: 4_097 }, order);
  await control.carryOut(mail);

  const [first, second] = mail;
  await control.carryOut([second ?? order(), first ?? order()]);

  expect(carriedOut.slice(mail.length)).toEqual([first?.id]);
});

test.each([-3_600, 3_600])(
  "a carried-out answer is recognized by its id, with a sender's clock %d s off",
  async (skewSeconds) => {
    const clock = new ManualClock();
    const requests = new StoredRequests({ signature: hmacSignature(new Uint8Array(32)), clock });
    const timestamp = clock.now().getTime() / 1000 + skewSeconds;
    const [answer, another] = [order(), order()].map((it) => ({ ...it, timestamp }));
    const subject = { tool: "bash", input: {} };
    const draft = { type: "permission", from: alice, to: user, subject } as const;
    const { id, hash } = await requests.open(draft);

    const cause = answer?.id;
    const decided = await requests.decide(id, { by: user, state: "approved", hash, cause });

    expect([answer, another].map((it) => it && isCarriedOut(decided, it))).toEqual([true, false]);
  },
);

test("only what was there at the first look is from before, however empty that was", async () => {
  const { control, receipts } = mailOrders();

  await control.carryOut([order(), order()]);
  await control.carryOut([order()]);
  expect(receipts).toEqual([true, true, false]);

  const later = mailOrders();
  await later.control.carryOut([]);
  await later.control.carryOut([order()]);
  expect(later.receipts).toEqual([false]);
});

test("other mail is not carried out, and keeps nobody waiting", async () => {
  const { control, carriedOut } = mailOrders();
  let settled = 0;
  control.onSettled(() => settled++);
  const { mode: _, ...mail } = { ...order(), mode: "plan" };

  await control.carryOut([{ ...mail, type: "message" }]);

  expect([carriedOut, settled, control.isIdle]).toEqual([[], 0, true]);
});

test("it is told once when nothing is left to carry out, and not before", async () => {
  const { control } = mailOrders();
  const work = promised();
  const seen: boolean[] = [];
  control.onSettled(() => seen.push(control.isIdle));

  const working = control.during(() => work.promise);
  expect(control.isIdle).toBe(false);
  await control.during(async () => undefined);
  expect(seen).toEqual([]);
  work.keep();
  await control.settled();
  await working;

  expect(seen).toEqual([true]);
});

test("an order to end is under way until it is done, and holds up nothing that comes after it", async () => {
  const { control, carriedOut, shutdown } = mailOrders();
  const next = order();
  const end: Message = {
    ...{ id: newMessageId(new Date(0)), type: "shutdown_request", from: user, to: alice },
    ...{ content: "", timestamp: 0, request_id: newRequestId(new Date(0)) },
  };

  await control.carryOut([end, next]);

  expect(carriedOut).toEqual([next.id]);
  expect(control.isIdle).toBe(false);
  shutdown.keep();
  await control.settled();
  expect(control.isIdle).toBe(true);
});

test("a decision of an older version, which names no order, is known by who decided and when", async () => {
  const clock = new ManualClock();
  const requests = new StoredRequests({ signature: hmacSignature(new Uint8Array(32)), clock });
  const subject = { tool: "bash", input: {} };
  const pending = await requests.open({ type: "permission", from: alice, to: user, subject });
  const { id, hash } = pending;
  const decided = await requests.decide(id, { by: user, state: "approved", hash });
  const at = (skewSeconds: number, from = user) => ({
    ...{ ...order(), from, timestamp: clock.now().getTime() / 1_000 + skewSeconds },
  });

  expect(isCarriedOut(decided, at(0))).toBe(true);
  expect(isCarriedOut(decided, at(-1))).toBe(true);
  expect(isCarriedOut(decided, at(1))).toBe(false);
  expect(isCarriedOut(decided, at(0, alice))).toBe(false);
  expect(isCarriedOut(pending, at(0))).toBe(false);
});
