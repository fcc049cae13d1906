/**
 * Three processes write to alice while the process that reads her mail is killed again and again.
 * In the end her transcript has every message once. Exits with 1 if it does not.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FileTeamStore, MemberName, systemPlace } from "troupe";
import { drain } from "./nothing-lost/drain.ts";

const senders = 3;
const kills = 5;
const alice = MemberName.parse("alice");

const workspace = await mkdtemp(join(tmpdir(), "troupe-demo-"));
const directory = join(workspace, ".team");
const place = systemPlace({ directory, onWarning: (message) => console.error(message) });

console.log(`A team in ${directory}`);
await found();

console.log(`${senders} processes send mail to alice …`);
const sending = Array.from({ length: senders }, (_, index) => run("sender", `sender ${index + 1}`));

for (let kill = 1; kill <= kills; kill++) {
  const reader = run("reader");
  await once(reader, "message");
  reader.kill("SIGKILL");
  await once(reader, "exit");
  console.log(`… and the process that reads her mail is killed (${kill} of ${kills})`);
}
const sent = (await Promise.all(sending.map(stop))).reduce((sum, count) => sum + count, 0);
const { seen, twice } = await takeStock();
console.log(`sent ${sent}, seen ${seen}, lost ${sent - seen}, seen twice ${twice}`);
console.log(`\nLook around, from any shell, here in this directory:

  npx troupe team     --team-dir ${directory}
  npx troupe messages --team-dir ${directory}
  npx troupe tasks    --team-dir ${directory}
  npx troupe send alice "hello" --team-dir ${directory}
  echo 'written by hand' >> ${directory}/inbox/alice.jsonl
  npx troupe inbox alice --team-dir ${directory}`);
process.exitCode = seen === sent && twice === 0 ? 0 : 1;

/** A lead, two teammates, and a board with two tasks, the second waiting for the first. */
async function found(): Promise<void> {
  await using store = await FileTeamStore.open(place);
  const bob = MemberName.parse("bob");
  await store.roster.update((team) => ({
    ...team,
    members: [
      { name: alice, role: "coder", status: "idle" },
      { name: bob, role: "tester", status: "idle" },
    ],
  }));
  const { lead } = await store.roster.read();
  const schema = await store.tasks.create({ subject: "Write schema.sql", created_by: lead });
  await store.tasks.create({ subject: "Test it", created_by: lead, blocked_by: [schema.id] });
  await store.tasks.claim(schema.id, { by: alice });
}

function run(program: string, ...more: string[]): ChildProcess {
  const path = fileURLToPath(new URL(`nothing-lost/${program}.ts`, import.meta.url));
  const argv = ["--import", "tsx", path, directory, ...more];
  return spawn(process.execPath, argv, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
}

/** Ends a sender, which answers with how many of its messages were accepted. */
async function stop(sender: ChildProcess): Promise<number> {
  sender.send("stop");
  const [count] = await once(sender, "message");
  return Number(count);
}

/** Takes in what is still unread, then counts what her transcript has. */
async function takeStock() {
  await using store = await FileTeamStore.open(place);
  const { reader, transcript } = await store.openMember(alice, { onSetAside: console.error });
  while (await drain({ reader, transcript })) {}

  const ids: string[] = [];
  for await (const entry of transcript.entries()) {
    if (entry.type === "delivery") ids.push(entry.message.id);
  }
  const seen = new Set(ids).size;
  return { seen, twice: ids.length - seen };
}
