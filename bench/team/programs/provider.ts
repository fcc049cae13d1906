import { z } from "zod";
import type { ScriptedAnswer } from "../../../src/testing/provider-server/answers.ts";
import type { ProviderRequest } from "../../../src/testing/provider-server/provider-api.ts";
import { ProviderServer } from "../../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { ProviderOptions, ProviderQuestion } from "../contract.ts";
import { Sightings } from "../sightings.ts";

const { scene, teammates } = childOptions(ProviderOptions);
const names = Array.from({ length: teammates }, (_, index) => `sleeper-${index + 1}`);
const server = await ProviderServer.start();
const sightings = new Sightings();
const firstBodies = { lead: "", teammate: "" };
let requests = 0;
let sentBytes = 0;
let said = 0;

interface Part {
  lead(request: ProviderRequest): ScriptedAnswer;
  teammate(request: ProviderRequest, name: string): ScriptedAnswer | Promise<ScriptedAnswer>;
}

const parts: Record<typeof scene, Part> = {
  sleepers: {
    lead(request) {
      if (hasSpoken(request)) return says("All have slept.");
      const spawns = names.map((name) =>
        calls("spawn_teammate", { name, role: "sleeper", prompt: "Sleep, then report." }),
      );
      sightings.say({ shownBy: names.map(hasSlept), to: "lead" });
      return reply([...spawns, calls("wait_for_teammates", {})]);
    },
    teammate: (request, name) =>
      hasSpoken(request) ? says(hasSlept(name)) : calls("bash", { command: "sleep 1" }),
  },
  reports: {
    lead: () => says("Seen."),
    teammate() {
      const report = `Report ${++said}.`;
      sightings.say({ shownBy: [report], to: "lead" });
      return says(report);
    },
  },
  "reports-at-once": {
    lead: () => says("Seen."),
    async teammate() {
      await allWait();
      const report = `Report ${++said}.`;
      sightings.say({ shownBy: [report], to: "lead" });
      return says(report);
    },
  },
  letters: {
    lead({ body }) {
      if (JSON.stringify(body.messages.at(-1)).includes("tool_result")) return says("Sent.");
      const content = `Letter ${++said}.`;
      sightings.say({ shownBy: [content], to: "worker" });
      return calls("send_message", { to: "worker", content });
    },
    // Nothing to say: a report would have the lead answer it.
    teammate: () => reply([]),
  },
};

// An instant model: it answers every request at once.
server.replyWith((request) => {
  const name = memberOf(request);
  requests++;
  sentBytes += Buffer.byteLength(request.text);
  firstBodies[name === "lead" ? "lead" : "teammate"] ||= request.text;
  sightings.look(request, name);
  // What was received is not kept: this process's memory is not what is measured.
  server.requests.length = 0;
  return name === "lead" ? parts[scene].lead(request) : parts[scene].teammate(request, name);
});

let waiting: (() => void)[] = [];

/** Resolves for all teammates at once, when the last of them has asked. */
function allWait(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length < teammates) return;
    for (const each of waiting) each();
    waiting = [];
  });
}

function hasSpoken({ body }: ProviderRequest): boolean {
  return body.messages.some(({ role }) => role === "assistant");
}

function hasSlept(name: string): string {
  return `${name} has slept.`;
}

/** Whose request it is, by its system prompt. */
function memberOf({ body }: ProviderRequest): string {
  return /You are '([a-z0-9_-]+)'/.exec(JSON.stringify(body.system))?.[1] ?? "lead";
}

serve(z.object({ question: ProviderQuestion }), async ({ question }) =>
  question === "url"
    ? { url: server.url }
    : { gapsMs: sightings.gapsMs, requests, sentBytes, firstBodies },
);
