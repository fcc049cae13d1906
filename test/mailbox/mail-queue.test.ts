import { expect, test } from "vitest";
import { MailQueue } from "../../src/mailbox/mail-queue.ts";
import { type MailSource, newSource } from "../../src/mailbox/mail-source.ts";
import { lead, MemberName, newMessageId } from "../../src/protocol/ids.ts";

const source = newSource({ path: "/inbox/ada.jsonl", generation: 1 });

function mark(offset: number) {
  return { offset, tail: Buffer.from("tail") };
}

function push(queue: MailQueue, offset: number, more: { of?: MailSource; bytes?: number } = {}) {
  const { of = source, bytes = 10 } = more;
  const id = newMessageId(new Date());
  const to = MemberName.parse("ada");
  const message = { id, type: "message", from: lead, to, content: "", timestamp: 1 } as const;
  const delivery = { message, position: { generation: of.generation, offset } };
  queue.push({ source: of, mark: mark(offset), delivery, bytes });
  return id;
}

test("P25 at most 4,096 messages are held until some are settled", () => {
  const queue = new MailQueue();
  const first = push(queue, 1);
  for (let n = 2; n < 4096; n++) push(queue, n);
  queue.pass(source, mark(5000));
  expect(queue.isFull).toBe(false);
  const last = push(queue, 5001);
  expect(queue.isFull).toBe(true);

  queue.settle(queue.upTo(first));

  expect(queue.isFull).toBe(false);
  queue.settle(queue.upTo(last));
  expect(queue.isEmpty).toBe(true);
  for (let n = 0; n < 4095; n++) push(queue, 6000 + n);
  expect(queue.isFull).toBe(false);
  push(queue, 20_000);
  expect(queue.isFull).toBe(true);
});

test("P25 at most four mebibytes are held until some are settled", () => {
  const queue = new MailQueue();
  const first = push(queue, 1, { bytes: 4 * 1024 * 1024 - 1 });
  expect(queue.isFull).toBe(false);
  push(queue, 2, { bytes: 1 });
  expect(queue.isFull).toBe(true);

  queue.settle(queue.upTo(first));

  expect(queue.isFull).toBe(false);
  push(queue, 3, { bytes: 4 * 1024 * 1024 - 1 });
  expect(queue.isFull).toBe(true);
});

test("lines without a message are settled together with the messages before them", () => {
  const queue = new MailQueue();
  const live = newSource({ path: "/inbox/ada.jsonl", generation: 2 });
  queue.pass(live, mark(5));
  expect(queue.skipped()).toEqual({ count: 1, marks: new Map([[live, mark(5)]]) });
  const one = push(queue, 10, { of: live });
  queue.pass(live, mark(10));
  queue.pass(live, mark(20));
  queue.pass(live, mark(30));
  const two = push(queue, 40, { of: live });
  queue.pass(live, mark(50));

  expect(live.scanned).toEqual(mark(50));
  expect(queue.skipped().count).toBe(1);
  const settlement = queue.upTo(one);
  expect(settlement).toEqual({ count: 3, marks: new Map([[live, mark(30)]]) });
  expect(queue.deliveriesIn(settlement).map(({ message }) => message.id)).toEqual([one]);
  queue.settle(settlement);
  expect(live.settled).toEqual(mark(30));
  expect(queue.deliveries().map(({ message }) => message.id)).toEqual([two]);
  queue.settle(queue.upTo(two));
  expect([live.settled, queue.isEmpty]).toEqual([mark(50), true]);
});

test("each log is settled up to its own lines", () => {
  const queue = new MailQueue();
  const [old, live] = [1, 2].map((generation) => newSource({ path: "/inbox/a", generation }));
  if (!old || !live) throw new Error("There are two");
  queue.pass(old, mark(7));
  queue.pass(live, mark(7));
  queue.pass(live, mark(9));
  const id = push(queue, 12, { of: live });

  expect(queue.upTo(id)).toEqual({
    count: 3,
    marks: new Map([
      [old, mark(7)],
      [live, mark(12)],
    ]),
  });
});
