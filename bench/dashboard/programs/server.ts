import { once } from "node:events";
import { serve as serveHttp } from "@hono/node-server";
import { Hono } from "hono";
import { Room } from "../../../src/server/room/room.ts";
import { apiRoutes } from "../../../src/server/routes/api.ts";
import { FileTeamView } from "../../../src/team/view/file-team-view.ts";
import { childOptions, serve } from "../../lib/serve.ts";
import { placeBelow } from "../../team/place.ts";
import { ServerOptions, ServerQuestion } from "../contract.ts";

const { directory } = childOptions(ServerOptions);
const place = placeBelow(directory);
const room = new Room({
  view: new FileTeamView(place),
  clock: place.clock,
});
const app = new Hono().route("/api", apiRoutes(room));
const server = serveHttp({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
await once(server, "listening");

serve(ServerQuestion, async ({ wanted }) => {
  if (wanted === "address") {
    const address = server.address();
    return { port: typeof address === "object" ? address?.port : undefined };
  }
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() };
});
