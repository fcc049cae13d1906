import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import type { TeamOptions } from "../../src/team/team-options.ts";
import { status } from "../../src/testing/provider-server/answers.ts";
import type { ProviderRequest } from "../../src/testing/provider-server/provider-api.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { never, requestIdIn } from "../e2e/promises/scenes.ts";
import { providerEnvironment } from "../support/agent-on-wire.ts";
import { gifOf } from "../support/images.ts";
import { pixel } from "../support/pixel.ts";
import { requestBlocks } from "../support/request-blocks.ts";
import { occurrences, TeamOnWire, Watched } from "../support/team-on-wire.ts";

const data = Buffer.from(pixel.data, "base64");
const image = { data, mediaType: "image/png" };
const url = `data:image/png;base64,${pixel.data}`;

/** A model of each wire, and an image and a text as it is sent them. */
const wires: [string, unknown][] = [
  [
    "anthropic/claude-sonnet-5-5",
    [
      { type: "image", source: { type: "base64", ...pixel } },
      { type: "text", text: "What is it?" },
    ],
  ],
  [
    "openai/gpt-6.1-sol",
    [
      { type: "input_image", image_url: url },
      { type: "input_text", text: "What is it?" },
    ],
  ],
  [
    "openai-compatible/llava",
    [
      { type: "image_url", image_url: { url } },
      { type: "text", text: "What is it?" },
    ],
  ],
  [
    "google/gemini-4-argon",
    [{ inlineData: { mimeType: "image/png", data: pixel.data } }, { text: "What is it?" }],
  ],
];

async function openOn(wire: TeamOnWire, model: string, options: Partial<TeamOptions> = {}) {
  const { url: address } = wire.server;
  const compatible = {
    OPENAI_COMPATIBLE_BASE_URL: `${address}/v1`,
    OPENAI_COMPATIBLE_API_KEY: "key-of-the-test-0123",
  };
  const env = { PATH: process.env.PATH, ...providerEnvironment(wire.server), ...compatible };
  return wire.open({ model, env, ...options });
}

/** All parts of what the model was shown last. */
function partsOf(request: ProviderRequest | undefined): unknown[] {
  const { messages, input, contents } = Shown.parse(request?.body);
  const last = [...messages, ...(input ?? []), ...(contents ?? [])].at(-1);
  return (last?.content ?? last?.parts ?? []).map((part) => {
    const { cache_control: _, ...rest } = part;
    return rest;
  });
}

const Parts = z.array(z.record(z.string(), z.unknown())).optional();
const Turns = z.array(z.looseObject({ content: Parts.catch(undefined), parts: Parts }));
const Shown = z.looseObject({
  messages: Turns.default([]),
  input: Turns.optional(),
  contents: Turns.optional(),
});

test.each(wires)("%s is shown an image of a prompt before its text", async (model, parts) => {
  await using wire = await TeamOnWire.start({ lead: [says("A pixel.")] });
  const team = await openOn(wire, model);

  await team.prompt({ text: "What is it?", images: [image] });
  const { result } = await team.quiet();

  expect(result).toBe("A pixel.");
  const [request] = wire.requestsOf("lead");
  expect(partsOf(request)).toEqual(parts);
});

test("P18 P08 after a restart the requests go on from those before it, with the same bytes", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("A pixel."), says("Two.")] });
  const before = await wire.open();
  await before.prompt({ text: "What is it?", images: [image] });
  await before.quiet();
  await before.close();
  await rm(join(wire.teamDirectory, "images"), { recursive: true });

  const team = await wire.open();
  await team.prompt({ text: "And these?", images: [image, image] });
  await team.quiet();

  const [first = [], second = []] = wire.requestsOf("lead").map(({ body }) => requestBlocks(body));
  expect(second.slice(0, first.length)).toEqual(first);
  expect(occurrences(second.join(), pixel.data)).toBe(3);
});

test("a file is the image as it was when the prompt was sent", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("A pixel.")] });
  const path = join(wire.root, "shot.png");
  await writeFile(path, data);
  const team = await wire.open();

  const sending = team.prompt({ text: "What is it?", images: [path] });
  const { images } = z.looseObject({ images: z.array(z.unknown()) }).parse(await sending);
  await rm(path);
  await team.quiet();

  expect(images).toEqual([
    {
      media_type: "image/png",
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      bytes: data.length,
    },
  ]);
  expect(wire.shownTo("lead")).toContain(pixel.data);
});

test("a teammate is shown an image with a message of the person, and knows that it belongs to it", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")], alice: [says("Fine.")] });
  const team = await wire.open();
  await team.spawn({ name: "alice", role: "coder", prompt: "Wait." });
  await team.quiet();

  await team.message("alice", { text: "Build this.", images: [image] });
  await team.quiet();

  const [picture, text] = partsOf(wire.requestsOf("alice").at(-1));
  expect(picture).toMatchObject({ type: "image" });
  expect(text).toMatchObject({
    text: expect.stringMatching(/<teammate-message .* images="1">Build/),
  });
});

test("ask shows images, too", async () => {
  const submits = (request: ProviderRequest) =>
    calls("submit_result", { request_id: requestIdIn(request), result: "a pixel" });
  await using wire = await TeamOnWire.start({ lead: [submits, says("Done.")] });
  const team = await wire.open({ structuredResults: true });

  const asked = { text: "What is it?", images: [image] };
  const result = await team.ask(asked, { schema: { type: "string" } });

  expect(result).toBe("a pixel");
  expect(wire.shownTo("lead")).toContain(pixel.data);
});

test.each([
  [
    "openai/o3-mini",
    image,
    "does not take image/png",
    "Models that take images: openai/gpt-6.1-sol.",
  ],
  ["rehearsal", image, "does not take image/png", /anthropic\/.*, openai\/.*, google\//],
  [
    "google/gemini-4-argon",
    { data: gifOf(1, 1), mediaType: "image/gif" },
    "does not take image/gif",
    "Convert it to a PNG.",
  ],
])(
  "%s is known not to take an image: the prompt is refused, and nothing is sent",
  async (model, refused, message, hint) => {
    await using wire = await TeamOnWire.start({});
    const team = await openOn(wire, model);

    await expect(team.prompt({ text: "What is it?", images: [refused] })).rejects.toMatchObject({
      code: "image-refused",
      message: `${model} ${message}`,
      hint: typeof hint === "string" ? hint : expect.stringMatching(hint),
    });

    expect(await readdir(wire.teamDirectory)).not.toContain("images");
    expect(await wire.stored("inbox", "lead.jsonl")).toBe("");
    expect(wire.server.requests).toEqual([]);
  },
);

test("a model that takes no images gets the conversation of another without them, and the person is told once", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("A pixel."), says("Yes.")] });
  const before = await openOn(wire, "openai/gpt-6.1-sol");
  await before.prompt({ text: "What is it?", images: [image] });
  await before.quiet();
  await before.close();
  const team = await openOn(wire, "openai/o3-mini");
  const watched = new Watched(team);

  for (const text of ["Sure?", "Really?"]) {
    await team.prompt(text);
    await team.quiet();
  }

  const shown = wire.shownTo("lead");
  expect(shown).not.toContain(pixel.data);
  expect(shown).toContain("(An image is left out here: openai/o3-mini does not take image/png.)");
  const warnings = watched.events.flatMap((event) =>
    event.type === "warning" ? [event.message] : [],
  );
  expect(warnings).toEqual([
    "1 image is not shown to openai/o3-mini, which does not take image/png",
  ]);
});

test("a model that stands in and takes no images goes on without them, and the person is told", async () => {
  const answer = ({ api }: ProviderRequest) => (api === "anthropic" ? status(529) : says("Hm."));
  await using wire = await TeamOnWire.start({ lead: [answer] });
  const provider = { fallbackAfterMs: 1 };
  const team = await openOn(wire, "anthropic/claude-sonnet-5-5,openai/o3-mini", { provider });
  const watched = new Watched(team);

  await team.prompt({ text: "What is it?", images: [image] });
  const { result } = await team.quiet();

  expect(result).toBe("Hm.");
  expect(wire.requestsOf("lead")[0]?.text).toContain(pixel.data);
  expect(wire.shownTo("lead")).not.toContain(pixel.data);
  const message = "1 image is not shown to openai/o3-mini, which does not take image/png";
  expect(watched.events).toContainEqual(expect.objectContaining({ type: "warning", message }));
});

test("read_file shows an image to a model that takes none as a text that says so", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("read_file", { path: "shot.png" }), says("I cannot see it.")],
  });
  await writeFile(join(wire.root, "shot.png"), data);
  const team = await openOn(wire, "openai/o3-mini");

  await team.prompt("What is in shot.png?");
  await team.quiet();

  expect(wire.shownTo("lead")).toContain("(An image is left out here: openai/o3-mini");
  expect(wire.shownTo("lead")).not.toContain(pixel.data);
});

test("P16 a compaction keeps the images of a prompt that is not answered, and no others", async () => {
  const tooLong = status(413);
  await using wire = await TeamOnWire.start({
    lead: [says("Seen."), tooLong, says("A summary."), says("Both are pixels.")],
  });
  const team = await wire.open();
  await team.prompt({ text: "First.", images: [image] });
  await team.quiet();

  await team.prompt({ text: "Second.", images: [image] });
  const { result } = await team.quiet();

  expect(result).toBe("Both are pixels.");
  const counts = wire.requestsOf("lead").map(({ text }) => occurrences(text, pixel.data));
  expect(counts).toEqual([1, 2, 2, 1]);
  const [summary, picture, second] = partsOf(wire.requestsOf("lead").at(-1)).slice(-3);
  expect(summary).toMatchObject({ type: "text" });
  expect(picture).toMatchObject({ type: "image" });
  expect(second).toMatchObject({ text: "Second." });
});

test("P39 going back to before a prompt takes its image back, and keeps those before it", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Seen.")] });
  const team = await wire.open();
  for (const text of ["First.", "Second."]) {
    await team.prompt({ text, images: [image] });
    await team.quiet();
  }
  const checkpoint = (await team.checkpoints()).at(-1);

  await team.rewind(checkpoint?.id ?? "");
  await team.prompt("Third.");
  await team.quiet();

  expect(occurrences(wire.shownTo("lead"), pixel.data)).toBe(1);
});

test("an image whose file is gone before the member reads it is named, and the text is shown", async () => {
  await using wire = await TeamOnWire.start({ lead: [never, says("Which image?")] });
  const before = await wire.open();
  await before.prompt("Wait.");
  await wire.requested("lead", 1);
  await before.prompt({ text: "What is it?", images: [image] });
  await before.close();
  await rm(join(wire.teamDirectory, "images"), { recursive: true });

  const team = await wire.open();
  await team.prompt("Go on.");
  await team.quiet();

  expect(wire.shownTo("lead")).toContain("What is it?\\n\\n(1 image of this message is missing");
});

test("an unknown member, and a text that is empty, are refused before an image is kept", async () => {
  await using wire = await TeamOnWire.start({});
  const team = await wire.open();

  await expect(team.message("zed", { text: "Hi.", images: [image] })).rejects.toMatchObject({
    code: "member-unknown",
  });
  await expect(team.prompt({ text: " ", images: [image] })).rejects.toMatchObject({
    code: "message-invalid",
  });
  expect(await readdir(wire.teamDirectory)).not.toContain("images");
});
