import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { type StreamAnswer, streamText } from "../../../src/testing/provider-server/answers.ts";
import { calls, reply, says } from "../../../src/testing/scripted-model.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { StreamingOptions } from "../contract.ts";

const { members, piecesPerSecond } = childOptions(StreamingOptions);
let streaming = 0;

/** Answers the lead at once, and teammates with a text that never ends. */
const server = createServer(async (request, response) => {
  const body = await text(request);
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (!body.includes("You are '")) response.end(streamText("anthropic", leadsAnswer(body)));
  else await stream(response);
});

function leadsAnswer(body: string): StreamAnswer {
  if (body.includes("tool_result")) return says("All are at work.");
  const names = Array.from({ length: members }, (_, index) => `writer-${index + 1}`);
  return reply(
    names.map((name) => calls("spawn_teammate", { name, role: "writer", prompt: "Write." })),
  );
}

async function stream(response: ServerResponse): Promise<void> {
  const frames = streamText("anthropic", says("Another few words. ")).split(/(?<=\n\n)/);
  const at = frames.findIndex((frame) => frame.includes("text_delta"));
  response.write(frames.slice(0, at).join(""));
  streaming++;
  while (!response.destroyed) {
    response.write(frames[at]);
    await setTimeout(1000 / piecesPerSecond);
  }
}

await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

serve(z.object({}), async () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return { url: `http://127.0.0.1:${address.port}`, streaming };
});
