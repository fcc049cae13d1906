import { setTimeout } from "node:timers/promises";
import type { AgentEvent } from "../../../src/protocol/events.ts";
import { lead, MemberName } from "../../../src/protocol/ids.ts";
import { FileTeamStore } from "../../../src/team/file-team-store.ts";
import type { Transcript } from "../../../src/transcript/transcript.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { percentile } from "../../lib/statistics.ts";
import { placeBelow } from "../../team/place.ts";
import { CrowdOptions, CrowdQuestion } from "../contract.ts";

const { directory, members } = childOptions(CrowdOptions);
// The process that runs the team: without one the server would show no activity.
const store = await FileTeamStore.open(placeBelow(directory));
const { events: log } = store;
const names = members.map((name) => MemberName.parse(name));
const tickMs = 10;

/** A call, its output and its result, and the model's reply, repeatedly. */
function eventOf(member: MemberName, number: number): AgentEvent {
  const at = new Date().toISOString();
  const call_id = `${Math.floor(number / 4)}`;
  const kinds: readonly AgentEvent[] = [
    {
      type: "tool-call",
      at,
      member,
      call_id,
      name: "bash",
      input: { command: `npm test ${call_id}` },
    },
    { type: "tool-output", at, member, call_id, text: `${number} passing\n` },
    { type: "tool-result", at, member, call_id, output: `${number} passing`, is_error: false },
    { type: "text-delta", at, member, text: `The tests of step ${number} pass, so I go on. ` },
  ];
  return kinds[number % kinds.length] ?? { type: "run-start", at, member };
}

/** One member writes to the next, and the first one adds an entry. */
async function sendMail(number: number, transcript: Transcript): Promise<void> {
  const [from, to] = [names[number % names.length], names[(number + 1) % names.length]];
  if (!from || !to) return;
  const content = `Message ${number}: part ${number} is done, please go on with the next one.`;
  await store.send(to, { type: "message", from, content });
  const blocks = [{ type: "text" as const, text: `I have told them of part ${number}.` }];
  await transcript.append([{ type: "reply", at: new Date().toISOString(), blocks, stop: "end" }]);
}

serve(CrowdQuestion, async ({ seconds, eventsPerSecond, mailPerSecond }) => {
  const [first = lead] = names;
  const { transcript } = await store.openMember(first, { onSetAside: () => undefined });
  const tookMs: number[] = [];
  const began = performance.now();
  let done = 0;
  let sent = 0;
  for (let now = began; now < began + seconds * 1000; now = performance.now()) {
    const due = ((now - began) / 1000) * eventsPerSecond * names.length;
    for (; done < due; done++) {
      const member = names[done % names.length];
      if (!member) continue;
      const start = performance.now();
      log.append(eventOf(member, Math.floor(done / names.length)));
      tookMs.push(performance.now() - start);
    }
    for (const mail = ((now - began) / 1000) * mailPerSecond; sent < mail; sent++) {
      await sendMail(sent, transcript);
    }
    await setTimeout(tickMs);
  }
  await log.flush();
  return {
    events: done,
    appendMs: { median: percentile(tookMs, 0.5), worst: percentile(tookMs, 0.999) },
  };
});
