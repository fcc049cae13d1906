import { z } from "zod";
import { ProviderServer } from "../../../src/testing/provider-server/provider-server.ts";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { ProviderOptions, ProviderQuestion } from "../contract.ts";

const { turns, command } = childOptions(ProviderOptions);
const server = await ProviderServer.start();
const gapsMs: number[] = [];
const bodyBytes: number[] = [];
let firstBody = "";
let answeredMs = Number.NaN;

// An instant model: it answers every request at once with the next call of bash.
server.replyWith((request) => {
  if (bodyBytes.length > 0) gapsMs.push(request.at - answeredMs);
  else firstBody = request.text;
  bodyBytes.push(Buffer.byteLength(request.text));
  // Requests are not kept, to save memory: this process is not measured.
  server.requests.length = 0;
  const turn = bodyBytes.length;
  answeredMs = performance.now();
  // The comment makes each call unique, so that the guard against repetition accepts it.
  return turn <= turns ? calls("bash", { command: `${command} # ${turn}` }) : says("Done.");
});

serve(z.object({ question: ProviderQuestion }), async ({ question }) =>
  question === "url" ? { url: server.url } : { gapsMs, bodyBytes, firstBody },
);
