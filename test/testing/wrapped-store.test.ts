import { MemoryTeamStore, parseMemberName, type TeamStore } from "../../src/index.ts";
import {
  exampleTeam,
  testCronBook,
  testEventLog,
  testJobRecords,
  testLandings,
  testMailbox,
  testRequests,
  testRoster,
  testTaskBoard,
  testTeamStore,
  testTeamView,
  testTranscript,
  testUsageLedger,
} from "../../src/testing/conformance/index.ts";
import { ManualClock } from "../../src/testing/index.ts";

/**
 * A store that is only known by its interface, as somebody else's is: all suites can be run on what
 * a `TeamStore` gives.
 */
function openStore(clock = new ManualClock()) {
  const inner: TeamStore = new MemoryTeamStore({ clock });
  const store: TeamStore = {
    ...{ roster: inner.roster, tasks: inner.tasks, requests: inner.requests },
    landings: inner.landings,
    checkouts: inner.checkouts,
    ...{ events: inner.events, usage: inner.usage, jobs: inner.jobs, crons: inner.crons },
    history: inner.history,
    ...{ signature: inner.signature, lost: inner.lost },
    view: () => inner.view(),
    send: (to, draft) => inner.send(to, draft),
    newestUnread: (name) => inner.newestUnread(name),
    openMember: (name, options) => inner.openMember(name, options),
    forget: (name) => inner.forget(name),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
  return { store, clock, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

const name = "a wrapped store";
const ignored = { onSetAside: () => undefined };

testTeamStore(name, async () => openStore());

testTeamView(name, async () => {
  const opened = openStore();
  return { ...opened, view: opened.store.view() };
});

testRoster(name, async () => {
  const opened = openStore();
  await opened.store.roster.update(exampleTeam);
  return { ...opened, roster: opened.store.roster };
});

testTaskBoard(name, async () => {
  const opened = openStore();
  return { ...opened, board: opened.store.tasks, reopen: async () => opened.store.tasks };
});

testRequests(name, async () => {
  const opened = openStore();
  return { ...opened, requests: opened.store.requests, reopen: async () => opened.store.requests };
});

testLandings(name, async () => {
  const opened = openStore();
  return { ...opened, landings: opened.store.landings, reopen: async () => opened.store.landings };
});

testEventLog(name, async (clock) => {
  const opened = openStore(clock);
  return { ...opened, log: opened.store.events };
});

testUsageLedger(name, async () => {
  const opened = openStore();
  return { ...opened, ledger: opened.store.usage };
});

testJobRecords(name, async () => {
  const opened = openStore();
  return { ...opened, records: opened.store.jobs };
});

testCronBook(name, async () => {
  const opened = openStore();
  return { ...opened, book: opened.store.crons };
});

testTranscript(name, async () => {
  const opened = openStore();
  const { transcript } = await opened.store.openMember(parseMemberName("lead"), ignored);
  return { ...opened, transcript };
});

testMailbox(name, async () => {
  const opened = openStore();
  const { mailbox, reader } = await opened.store.openMember(parseMemberName("lead"), ignored);
  // A mailbox has one reader at a time, and the suite opens its own.
  await reader[Symbol.asyncDispose]();
  return { ...opened, mailbox };
});
