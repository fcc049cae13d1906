import { type Context, Hono } from "hono";
import type { z } from "zod";
import { describeIssue, jsonString } from "../../lib/json.ts";
import {
  AnswerBody,
  AwayQuery,
  EntriesQuery,
  LandingBody,
  MessagesQuery,
  ModeBody,
  RuleBody,
  SendBody,
  StopBody,
  StreamQuery,
} from "../../protocol/dashboard-requests.ts";
import { Refused, refusalOf, refuse } from "../refusal.ts";
import type { Room } from "../room/room.ts";
import { streamChanges } from "./stream.ts";

/** What the page asks for and what the person does there, of the team in `room`. */
export function apiRoutes(room: Room): Hono {
  const api = new Hono();
  api.get("/stream", (c) => streamChanges(c, room, parsedQuery(c, StreamQuery)));
  api.get("/messages", async (c) => c.json(await room.messages(parsedQuery(c, MessagesQuery))));
  api.get("/messages/:to/:id", async (c) =>
    c.json(await room.message(c.req.param("to"), c.req.param("id"))),
  );
  api.get("/members/:name/transcript", async (c) =>
    c.json(await room.transcript(c.req.param("name"), parsedQuery(c, EntriesQuery))),
  );
  api.get("/cost", async (c) => c.json(await room.cost()));
  api.get("/landings/:id/changes", async (c) =>
    c.json(await room.landingChanges(c.req.param("id"))),
  );
  api.get("/checkouts", async (c) => c.json(await room.checkouts()));
  api.get("/away", async (c) => c.json(await room.away(parsedQuery(c, AwayQuery).since)));
  api.post("/messages", async (c) => {
    await room.send(await parsedBody(c, SendBody));
    return c.body(null, 204);
  });
  api.post("/requests/:id/answer", async (c) => {
    await room.answer(c.req.param("id"), await parsedBody(c, AnswerBody));
    return c.body(null, 204);
  });
  api.post("/landings/:id/decision", async (c) => {
    await room.decideLanding(c.req.param("id"), await parsedBody(c, LandingBody));
    return c.body(null, 204);
  });
  api.post("/landings/bring", async (c) => c.json(await room.bringLanded()));
  api.post("/checkouts/clean", async (c) => c.json(await room.cleanCheckouts()));
  api.post("/rules", async (c) => {
    await room.changeRule(await parsedBody(c, RuleBody));
    return c.body(null, 204);
  });
  api.post("/mode", async (c) => {
    await room.setMode(await parsedBody(c, ModeBody));
    return c.body(null, 204);
  });
  api.post("/stop", async (c) => {
    await room.stop((await parsedBody(c, StopBody)).member);
    return c.body(null, 204);
  });
  api.onError((error, c) => {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return refuse(c, refusal);
  });
  return api;
}

function parsedQuery<T>(c: Context, schema: z.ZodType<T>): T {
  return parsed(c.req.query(), schema);
}

async function parsedBody<T>(c: Context, schema: z.ZodType<T>): Promise<T> {
  return parsed(await c.req.text(), jsonString(schema));
}

function parsed<T>(value: unknown, schema: z.ZodType<T>): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const reason = describeIssue(result.error);
  throw new Refused(
    400,
    "input-invalid",
    `The dashboard got a request that it does not understand: ${reason}`,
  );
}
