import { reasonOf, TeamError } from "../../errors.ts";
import { onAbort } from "../../lib/on-abort.ts";
import { HttpEndpoint } from "../../mcp-server/http-endpoint.ts";
import type { Offer } from "../../mcp-server/open-server.ts";
import type { Io } from "../command.ts";

/** Serves a person's clients over HTTP until the person ends it. Prints the address, and the secret once. */
export async function serveHttp(
  offer: Offer,
  { port, io }: { port: number | undefined; io: Io },
): Promise<void> {
  const given = givenSecret(io);
  await using endpoint = await listen(port);
  const { secret } = endpoint.admit(offer, { secret: given });
  if (port !== undefined && port !== endpoint.port) {
    io.err(`Port ${port} is in use; the server is on port ${endpoint.port}.`);
  }
  io.err("Anyone who has the secret can act as you. Ctrl-C ends the server.");
  io.out(endpoint.url);
  if (given === undefined) io.out(`Authorization: Bearer ${secret}`);
  await new Promise<void>((resolve) => {
    onAbort(io.signal, resolve);
  });
}

async function listen(port: number | undefined): Promise<HttpEndpoint> {
  try {
    return await HttpEndpoint.open(port);
  } catch (error) {
    throw new TeamError("config-invalid", `The server cannot listen: ${reasonOf(error)}`, {
      cause: error,
      hint: "Choose another port with --port; ports below 1024 need root.",
    });
  }
}

/** A secret of the person's choice is not printed: a script has it already. */
function givenSecret({ processInfo }: Io): string | undefined {
  const given = processInfo.env.TROUPE_MCP_TOKEN;
  if (given === undefined || given === "") return undefined;
  if (/^[A-Za-z0-9_.~+/-]{32,200}$/.test(given)) return given;
  throw new TeamError("config-invalid", "TROUPE_MCP_TOKEN is no secret that can be used", {
    hint: "It must have 32 to 200 letters, digits and . _ ~ + / -, as `openssl rand -hex 32` prints them. Without it, troupe makes one.",
  });
}
