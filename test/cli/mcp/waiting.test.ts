import { expect, test } from "vitest";
import type { PersonAccess } from "../../../src/cli/mcp/person-access.ts";
import { waitForChange, waitForMail } from "../../../src/cli/mcp/wait-tools.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { lead, user } from "../../../src/protocol/ids.ts";
import type { TeamView } from "../../../src/team/view/team-view.ts";
import { callTool } from "../../../src/testing/call-tool.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { openStore, viewTeam } from "../../support/team.ts";

/** Access to the team below `root`; `looked` resolves once a call has begun to watch it. */
function accessTo(root: string, schedule: PersonAccess["schedule"] = systemClock.schedule) {
  let note = () => {};
  const looked = new Promise<void>((resolve) => {
    note = resolve;
  });
  const view = async (): Promise<TeamView> => {
    const seen = viewTeam(root);
    const { onChange } = seen;
    return Object.assign(seen, {
      onChange(listener: Parameters<TeamView["onChange"]>[0]) {
        note();
        return onChange.call(seen, listener);
      },
    });
  };
  const access: PersonAccess = {
    view,
    schedule,
    print: () => Promise.reject(new Error("unused")),
    belowWarnings: (text) => text,
    waiting: (wait) => wait(),
  };
  return { access, looked };
}

test("a start of the team ends a wait for changes", async () => {
  await using directory = await temporaryDirectory();
  await (await openStore(directory.path))[Symbol.asyncDispose]();
  const { access, looked } = accessTo(directory.path);
  const waiting = callTool(waitForChange(access), {});

  await looked;
  await using _store = await openStore(directory.path);

  expect((await waiting).text).toContain("The team was started.");
});

test("mail that comes while a client waits ends its wait, and names where to go on", async () => {
  await using directory = await temporaryDirectory();
  await using store = await openStore(directory.path);
  const { access, looked } = accessTo(directory.path);
  const waiting = callTool(waitForMail(access), {});

  await looked;
  const { id } = await store.send(lead, { type: "message", from: user, content: "News." });

  const { text } = await waiting;
  expect(text).toContain(`with after "${id}"`);
  expect(text).toContain("\nNews.\n");
  const again = callTool(waitForMail(access), { after: id, timeout_s: 0 });
  expect((await again).text).toContain("No new mail for lead.");
});

test("no wait lasts longer than 50 seconds, and one that is aborted ends at once", async () => {
  await using directory = await temporaryDirectory();
  await using _store = await openStore(directory.path);
  const clock = new ManualClock();
  const first = accessTo(directory.path, (delayMs, run) => clock.schedule(delayMs, run));
  const second = accessTo(directory.path, (delayMs, run) => clock.schedule(delayMs, run));
  const ending = new AbortController();
  const long = callTool(waitForMail(first.access), { timeout_s: 50 });
  const aborted = callTool(waitForMail(second.access), {}, { signal: ending.signal });
  await Promise.all([first.looked, second.looked]);

  ending.abort();
  expect((await aborted).text).toContain("No new mail");
  clock.advance(49_999);

  expect((await long).text).toContain("No new mail");
});
