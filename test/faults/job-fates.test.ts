import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sweepCrashes, type Trial } from "../../soak/sweep.ts";
import { hmacSignature } from "../../src/keys/signature.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { FileMailbox } from "../../src/mailbox/file-mailbox.ts";
import { MailWriter } from "../../src/mailbox/mail-writer.ts";
import { BackgroundJobs } from "../../src/processes/background-jobs.ts";
import { FileJobRecords } from "../../src/processes/job-records.ts";
import { MemberName, system } from "../../src/protocol/ids.ts";
import { BackgroundMail } from "../../src/team/background-mail.ts";
import { openShell, type ShellFixture } from "../processes/shell-fixture.ts";
import { FaultyFileSystem } from "../support/faulty-file-system.ts";

const alice = MemberName.parse("alice");

test("P08 after a crash at any change of the disk between a job's start and its report, or in the next start, its owner is notified once", async () => {
  const { hits, violations } = await sweep({ keepsIds: true });

  expect(violations).toEqual([]);
  expect(hits).toBeGreaterThan(0);
});

test("control: if the report has a new id each time, an owner is notified twice", async () => {
  const { violations } = await sweep({ keepsIds: false });

  expect(violations).toContainEqual(expect.stringContaining("told 2 times"));
});

async function sweep({ keepsIds }: { keepsIds: boolean }) {
  using faulty = await FaultyFileSystem.install();
  const prepare = async (directory: string): Promise<Trial> => {
    await mkdir(join(directory, "inbox"));
    const shell = await openShell();
    const first = openJobs({ directory, shell, keepsIds });
    return {
      act: () => first.runToItsEnd("true"),
      recover: async () => {
        const { mail } = openJobs({ directory, shell, keepsIds });
        await mail.tellFates(await mail.left());
      },
      goOn: async () => undefined,
      async violations() {
        const count = await countMail(directory);
        const hasStarted = first.background.list().length > 0;
        return count === 1 || (count === 0 && !hasStarted) ? [] : [`told ${count} times`];
      },
      async [Symbol.asyncDispose]() {
        await first.background[Symbol.asyncDispose]();
        await shell[Symbol.asyncDispose]();
      },
    };
  };
  return await sweepCrashes({ faulty, prepare, recoveryStride: 1 });
}

interface JobsOptions {
  directory: string;
  shell: ShellFixture;
  keepsIds: boolean;
}

/** What one process has for the jobs of alice. */
function openJobs({ directory, shell: { runner, secrets }, keepsIds }: JobsOptions) {
  const records = new FileJobRecords({
    directory: join(directory, "background"),
    signature: hmacSignature(Buffer.alloc(32)),
    onDamage: (problem) => {
      throw new Error(problem);
    },
    check: async () => undefined,
  });
  const mailbox = openMailbox(directory);
  const background = new BackgroundJobs({
    ...{ runner, secrets },
    clock: systemClock,
    member: alice,
    records,
  });
  const mail = new BackgroundMail(background, {
    member: alice,
    tell: ({ id, content }) =>
      mailbox.append({ type: "message", from: system, content, ...(keepsIds && { id }) }),
    records,
    secrets: new Secrets([]),
    onWarning: () => undefined,
  });
  return {
    background,
    mail,
    async runToItsEnd(command: string): Promise<void> {
      const ended = new Promise((resolve) => background.onEnd(resolve));
      const job = await background.start({ command, timeoutMs: undefined });
      if ("problem" in job) return;
      await ended;
      await mail[Symbol.asyncDispose]();
    },
  };
}

function openMailbox(directory: string): FileMailbox {
  return new FileMailbox({
    inbox: join(directory, "inbox"),
    owner: alice,
    signature: hmacSignature(new Uint8Array(32)),
    clock: systemClock,
    writer: new MailWriter(),
    watch: { subscribe: () => () => undefined },
    check: async () => undefined,
    onWarning: () => undefined,
  });
}

/** How many messages alice is shown. */
async function countMail(directory: string): Promise<number> {
  await using mailbox = openMailbox(directory);
  const delivered = { positions: [], ids: new Set<never>() };
  const reader = await mailbox.openReader({ delivered, onSetAside: () => undefined });
  return (await reader.unread()).length;
}
