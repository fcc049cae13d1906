import { temporaryDirectory } from "../src/testing/temporary-directory.ts";
import { measureHooks } from "./doors/hooks.ts";
import { measureServers } from "./doors/servers.ts";
import { publish } from "./lib/report.ts";

await using directory = await temporaryDirectory();

await publish({
  title: "Hooks, and servers of others",
  command: "npm run bench:doors",
  about: "Each figure is of one run.",
  date: new Date(),
  sections: [await measureHooks(directory.path), await measureServers()],
});
