import { createServer, type IncomingHttpHeaders } from "node:http";
import { troupeIn } from "./troupe.ts";

interface Seen {
  url: string | undefined;
  headers: IncomingHttpHeaders;
}

/** A real server that answers every request with this status. */
export async function answering(status: number, body = "{}", { breaksOff = false } = {}) {
  const seen: Seen[] = [];
  const server = createServer(({ url, headers }, response) => {
    seen.push({ url, headers });
    const length = breaksOff ? { "content-length": body.length + 1 } : {};
    response.writeHead(status, { location: "/elsewhere", ...length });
    if (breaksOff) response.write(body, () => response.destroy());
    else response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    seen,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Report {
  ok: boolean;
  checks: { name: string; state: string; text: string; remedy?: string }[];
}

/** What `troupe doctor` finds. */
export async function examine(root: string, env: Record<string, string> = {}, ...flags: string[]) {
  const result = await troupeIn({ root, env }, "doctor", "--json", ...flags);
  const report: Report = JSON.parse(result.out.join("\n"));
  const about = (name: string) => report.checks.filter((check) => check.name === name);
  return { ...result, report, about };
}
