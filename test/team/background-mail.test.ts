import { join } from "node:path";
import { expect, test } from "vitest";
import { hmacSignature } from "../../src/keys/signature.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { type BackgroundJob, BackgroundJobs } from "../../src/processes/background-jobs.ts";
import { FileJobRecords, MemoryJobRecords } from "../../src/processes/job-records.ts";
import { MemberName, type MessageId, newMessageId } from "../../src/protocol/ids.ts";
import { BackgroundMail } from "../../src/team/background-mail.ts";
import { openShell } from "../processes/shell-fixture.ts";

const alice = MemberName.parse("alice");
const bob = MemberName.parse("bob");

test("the end of a job is reported with the message id from its record", async () => {
  await using fixture = await openMail();
  const job = await fixture.start("until [ -e go ]; do sleep 0.01; done; echo done");
  const [record] = await fixture.records.list();

  await fixture.background.start({ command: "touch go", timeoutMs: undefined });
  await fixture.told(2);

  expect(record).toMatchObject({ id: job.id, member: "alice", message_id: job.messageId });
  expect(fixture.mail).toContainEqual({
    id: job.messageId,
    content: `Background task ${job.id} has ended: completed\n$ ${job.command}\ndone`,
  });
  await expect.poll(() => fixture.records.list()).toEqual([]);
});

test("from its end until its owner has the mail, a job is being told of", async () => {
  await using fixture = await openMail();
  let isTelling: boolean | undefined;
  fixture.background.onEnd(() => {
    isTelling = fixture.jobs.isTelling;
  });
  expect(fixture.jobs.isTelling).toBe(false);

  await fixture.start("echo done");
  await fixture.told(1);

  expect(isTelling).toBe(true);
  await expect.poll(() => fixture.jobs.isTelling).toBe(false);
});

test("a command finds its own record on disk", async () => {
  await using fixture = await openMail({ onDisk: true });

  const { id } = await fixture.start("ls background");
  await fixture.told(1);

  expect(fixture.mail[0]?.content).toContain(`alice-${id}.json`);
});

test("a command that cannot be started leaves no record", async () => {
  await using fixture = await openMail();

  const started = await fixture.background.start({ command: "echo \0", timeoutMs: undefined });

  expect(started).toMatchObject({ type: "not-started" });
  expect(await fixture.records.list()).toEqual([]);
});

test("P08 the records of jobs are kept when the process exits, and the next process reports their ends", async () => {
  await using fixture = await openMail();
  const { id, messageId } = await fixture.start("sleep 1000");
  await fixture.jobs[Symbol.asyncDispose]();
  expect(fixture.mail).toEqual([]);

  const next = fixture.openNext();
  await next.tellFates(await next.left());

  expect(fixture.mail).toEqual([
    {
      id: messageId,
      content: `Background task ${id} was ended when troupe stopped; what it had done by then is unknown.\n$ sleep 1000`,
    },
  ]);
  await next.tellFates(await next.left());
  expect(fixture.mail).toHaveLength(1);
});

test("a member that is shut down leaves no records, and removes no one else's", async () => {
  await using fixture = await openMail();
  await fixture.start("sleep 1000");
  const at = new Date();
  const others = {
    id: "0a1b2c3d",
    member: bob,
    command: "sleep 1000",
    started_at: at.toISOString(),
    message_id: newMessageId(at),
  };
  await fixture.records.add(others);

  await fixture.jobs.endForGood();

  expect(await fixture.records.list()).toEqual([others]);
  expect(fixture.mail).toEqual([]);
  expect(fixture.background.list()).toMatchObject([{ status: "stopped" }]);
});

test("a job whose end could not be reported keeps its record, and the person is warned", async () => {
  await using fixture = await openMail({ isFull: true });

  const { id } = await fixture.start("true");
  await expect.poll(() => fixture.warnings).toHaveLength(1);

  expect(fixture.warnings[0]).toContain(`background task ${id}`);
  expect(await fixture.records.list()).toMatchObject([{ id }]);
});

test("a job that is about to start when its member ends is ended too", async () => {
  await using fixture = await openMail();

  const starting = fixture.start("sleep 1000");
  await fixture.jobs[Symbol.asyncDispose]();

  const { id } = await starting;
  expect(fixture.background.list().find((job) => job.id === id)).toMatchObject({
    status: "stopped",
  });
});

interface Mail {
  id: MessageId;
  content: string;
}

/** The jobs of alice and what she is told of them. */
async function openMail({ onDisk = false, isFull = false } = {}) {
  const { runner, secrets, directory, ...fixture } = await openShell();
  const records = onDisk
    ? new FileJobRecords({
        directory: join(directory, "background"),
        signature: hmacSignature(Buffer.alloc(32)),
        onDamage: () => undefined,
        check: async () => undefined,
      })
    : new MemoryJobRecords();
  const mail: Mail[] = [];
  const warnings: string[] = [];
  const open = () => {
    const background = new BackgroundJobs({
      ...{ runner, secrets },
      clock: systemClock,
      member: alice,
      records,
    });
    const jobs = new BackgroundMail(background, {
      member: alice,
      records,
      tell: async (message) => {
        if (isFull) throw new Error("the disk is full");
        mail.push(message);
      },
      secrets: new Secrets([]),
      onWarning: (message) => warnings.push(message),
    });
    return { background, jobs };
  };
  const { background, jobs } = open();
  return {
    records,
    background,
    jobs,
    mail,
    warnings,
    openNext: () => open().jobs,
    told: (count: number) => expect.poll(() => mail).toHaveLength(count),
    async start(command: string): Promise<BackgroundJob> {
      const job = await background.start({ command, timeoutMs: undefined });
      if ("problem" in job) throw new Error(job.problem);
      return job;
    },
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]();
      await fixture[Symbol.asyncDispose]();
    },
  };
}
