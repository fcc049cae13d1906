import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TeamOptions } from "../../src/team/team-options.ts";
import { type ScriptedAnswer, status } from "../../src/testing/provider-server/answers.ts";
import type { ProviderRequest } from "../../src/testing/provider-server/provider-api.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { providerEnvironment } from "../support/agent-on-wire.ts";
import { pngOf } from "../support/images.ts";
import { pixel } from "../support/pixel.ts";
import { requestBlocks } from "../support/request-blocks.ts";
import { occurrences, TeamOnWire, Watched } from "../support/team-on-wire.ts";

const good = { data: Buffer.from(pixel.data, "base64"), mediaType: "image/png" };
/** It says how large it is, and ends there: only the provider, which decodes it, notices. */
const cutOff = { data: pngOf(40, 30), mediaType: "image/png" };
const cutOffData = cutOff.data.toString("base64");

const anthropicRefusal = {
  type: "error",
  error: { type: "invalid_request_error", message: "Could not process image" },
};
const openAiRefusal = {
  error: {
    message: "The image data you provided does not represent a valid image.",
    type: "invalid_request_error",
    param: "input",
    code: "image_parse_error",
  },
};
const googleRefusal = {
  error: { code: 400, message: "Unable to process input image.", status: "INVALID_ARGUMENT" },
};

/** Refuses every request with the image that is cut off, as a provider does. */
function refusesCutOff(body: object, ...answers: readonly ScriptedAnswer[]) {
  const left = [...answers];
  return ({ text }: ProviderRequest): ScriptedAnswer => {
    if (text.includes(cutOffData)) return status(400, body);
    return left.shift() ?? says("Fine.");
  };
}

async function openOn(wire: TeamOnWire, model: string, options: Partial<TeamOptions> = {}) {
  const compatible = {
    OPENAI_COMPATIBLE_BASE_URL: `${wire.server.url}/v1`,
    OPENAI_COMPATIBLE_API_KEY: "key-of-the-test-0123",
  };
  const env = { PATH: process.env.PATH, ...providerEnvironment(wire.server), ...compatible };
  return wire.open({ model, env, ...options });
}

function warningsOf({ events }: Watched): string[] {
  return events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
}

test.each([
  ["anthropic/claude-sonnet-5-5", "Anthropic", anthropicRefusal],
  ["openai/gpt-6.1-sol", "OpenAI", openAiRefusal],
  ["openai-compatible/llava", "The OpenAI-compatible endpoint", openAiRefusal],
  ["google/gemini-4-argon", "Google", googleRefusal],
])(
  "P17 %s refuses an image: it is asked again without it, and is not sent it after a restart",
  async (model, label, refusal) => {
    await using wire = await TeamOnWire.start({ lead: [refusesCutOff(refusal)] });
    const before = await openOn(wire, model);
    const watched = new Watched(before);
    const reason = `${label} refuses the request (400): ${refusal.error.message}`;

    await before.prompt({ text: "What is it?", images: [cutOff] });
    expect((await before.quiet()).result).toBe("Fine.");
    expect(warningsOf(watched).filter((each) => each.includes("image"))).toEqual([
      `1 image is left out: ${reason}`,
    ]);
    await before.close();

    const team = await openOn(wire, model);
    const again = new Watched(team);
    await team.prompt("And now?");
    expect((await team.quiet()).result).toBe("Fine.");

    expect(warningsOf(again).filter((each) => each.includes("image"))).toEqual([]);
    const requests = wire.requestsOf("lead");
    expect(requests.map(({ text }) => occurrences(text, cutOffData))).toEqual([1, 0, 0]);
    const [second = [], third = []] = requests.slice(1).map(({ body }) => requestBlocks(body));
    expect(requests[1]?.text).toContain(`(An image is left out here: ${reason})`);
    expect(third.slice(0, second.length)).toEqual(second);
    expect(wire.server.refusals).toEqual([]);
  },
);

test("images that the model has replied to stay, and all since then are left out", async () => {
  await using wire = await TeamOnWire.start({ lead: [refusesCutOff(anthropicRefusal)] });
  const team = await wire.open();
  const watched = new Watched(team);
  await team.prompt({ text: "First.", images: [good] });
  await team.quiet();

  await team.prompt({ text: "Second.", images: [good, cutOff] });
  const { result } = await team.quiet();

  expect(result).toBe("Fine.");
  expect(occurrences(wire.shownTo("lead"), pixel.data)).toBe(1);
  expect(wire.shownTo("lead")).toContain("(2 images are left out here: ");
  expect(warningsOf(watched)).toEqual([expect.stringMatching(/^2 images are left out: /)]);
});

test("an image that a tool has shown is left out of its result", async () => {
  const answers = [calls("read_file", { path: "shot.png" }), says("I cannot see it.")];
  await using wire = await TeamOnWire.start({
    lead: [refusesCutOff(anthropicRefusal, ...answers)],
  });
  await writeFile(join(wire.root, "shot.png"), cutOff.data);
  const team = await wire.open();

  await team.prompt("What is in shot.png?");
  const { result } = await team.quiet();

  expect(result).toBe("I cannot see it.");
  expect(wire.shownTo("lead")).toMatch(
    /shot\.png \(image\/png, 33 bytes\).*\(An image is left out/,
  );
});

test("a provider that refuses an image which another has taken gets the conversation without images", async () => {
  const answer = (request: ProviderRequest) =>
    request.api === "anthropic" ? says("Seen.") : refusesCutOff(openAiRefusal)(request);
  await using wire = await TeamOnWire.start({ lead: [answer] });
  const before = await openOn(wire, "anthropic/claude-sonnet-5-5");
  await before.prompt({ text: "What is it?", images: [cutOff] });
  await before.quiet();
  await before.close();

  const team = await openOn(wire, "openai/gpt-6.1-sol");
  await team.prompt({ text: "And this?", images: [good] });
  const { result } = await team.quiet();

  expect(result).toBe("Fine.");
  expect(wire.shownTo("lead")).not.toContain(pixel.data);
  expect(occurrences(wire.shownTo("lead"), "left out here")).toBe(2);
});

test("P16 a conversation that is too long and has a refused image is summarized without it", async () => {
  let isLong = true;
  const refuses = refusesCutOff(anthropicRefusal, says("A summary."));
  const answer = (request: ProviderRequest) => {
    const first = isLong;
    isLong = false;
    return first ? status(413) : refuses(request);
  };
  await using wire = await TeamOnWire.start({ lead: [answer] });
  const team = await wire.open();

  await team.prompt({ text: "What is it?", images: [cutOff] });
  const { result } = await team.quiet();

  expect(result).toBe("Fine.");
  expect(wire.shownTo("lead")).toContain("An image is left out here");
});

test("a refusal that has to do with no image of the conversation ends the run with its reason", async () => {
  await using wire = await TeamOnWire.start({ lead: [status(400, anthropicRefusal)] });
  const team = await wire.open();
  const watched = new Watched(team);

  await team.prompt({ text: "What is it?", images: [good] });
  await team.quiet();

  expect(watched.events).toContainEqual(
    expect.objectContaining({
      type: "run-end",
      outcome: "failed",
      reason: "Anthropic refuses the request (400): Could not process image",
    }),
  );
  expect(wire.requestsOf("lead")).toHaveLength(2);
});
