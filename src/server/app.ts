import { type Context, Hono } from "hono";
import type { Secrets } from "../lib/secrets.ts";
import type { Admission } from "../protocol/dashboard.ts";
import type { Access, SignedRequest, TokenRefusal } from "./access.ts";
import { proofHeader } from "./access.ts";
import { guard, protect } from "./guard.ts";
import { masked } from "./masked.ts";
import { isApiPath, refusal, refuse } from "./refusal.ts";
import type { StaticFiles } from "./static-files.ts";

interface DashboardAppOptions {
  /** The routes that need access, without `/api` in their paths. */
  api: Hono;
  access: Access;
  files: StaticFiles;
  /** The secrets that are masked in all answers of the API. */
  secrets: Secrets;
  port: number;
  /** Called with Node's bindings of a request that has access. */
  onLetIn(bindings: unknown): void;
  /** Called with unexpected errors. */
  onFailure(error: unknown): void;
}

/** The request handler of the dashboard: files for everyone, the team only for the person. */
export function dashboardApp(options: DashboardAppOptions): Hono {
  const { api, access, files, port, onFailure } = options;
  const app = new Hono();
  app.use(protect());
  // First, because a page believes no answer without this proof, not even a refusal.
  app.use("/api/*", async (c, next) => {
    await next();
    const proof = access.answerTo(c.req.header(proofHeader), c.res.status);
    if (proof !== undefined) c.header(proofHeader, proof);
  });
  app.use(guard(port));
  app.use("/api/*", async (c, next) => {
    await next();
    const answer = masked(c.res, options);
    // Hono would merge the headers of two responses.
    c.res = undefined;
    c.res = answer;
  });
  app.post("/api/session", (c) => openSession(c, access));
  app.use("/api/*", async (c, next) => {
    // The body of a request without a session is not read.
    if (!access.knows(c.req.header(proofHeader))) return refuse(c, sessionMissing);
    const judgement = access.judge(await signedRequest(c));
    if (judgement === "refused") return refuse(c, sessionMissing);
    if (judgement === "repeated") return refuse(c, repeated);
    options.onLetIn(c.env);
    return next();
  });
  app.route("/api", api);
  app.get("*", async (c, next) =>
    isApiPath(c.req.path) ? next() : ((await files.answer(c)) ?? next()),
  );
  app.notFound((c) => refuse(c, notFound));
  app.onError((error, c) => {
    onFailure(error);
    return refuse(c, failed);
  });
  return app;
}

async function openSession(c: Context, access: Access): Promise<Response> {
  const opened = access.admit(await signedRequest(c));
  if (typeof opened === "string") {
    return refuse(c, refusal(401, opened, tokenRefusals[opened], runAgain));
  }
  const admission: Admission = opened;
  return c.json(admission);
}

async function signedRequest(c: Context): Promise<SignedRequest> {
  const { pathname, search } = new URL(c.req.url);
  const body = await c.req.text();
  const proof = c.req.header(proofHeader);
  return { proof, method: c.req.method, target: `${pathname}${search}`, body };
}

const runAgain = "Run `troupe web` again for a new address.";

const tokenRefusals: Readonly<Record<TokenRefusal, string>> = {
  "token-wrong": "This address does not belong to this dashboard.",
  "token-expired": "This address has expired: it was valid for an hour.",
  "token-used": "This address was already used: each works for one browser.",
};

const sessionMissing = refusal(
  401,
  "session-missing",
  "This browser has no access yet, or got it before the dashboard was started or more than a week ago.",
  runAgain,
);

const repeated = refusal(409, "request-repeated", "This was already sent and done.");
const notFound = refusal(404, "not-found", "There is nothing here.");

const failed = refusal(
  500,
  "failed",
  "The dashboard could not answer that. The team continues; troupe has printed why.",
  "Try it again.",
);
