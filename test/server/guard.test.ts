import { expect, test } from "vitest";
import {
  judgeRequest,
  largestBody,
  largestSessionBody,
  type RequestFacts,
} from "../../src/server/guard.ts";

const look: RequestFacts = {
  method: "GET",
  path: "/api/look",
  target: "127.0.0.1:4747",
  host: "127.0.0.1:4747",
  origin: undefined,
  fetchSite: undefined,
  contentType: undefined,
  contentLength: undefined,
};
const act: RequestFacts = {
  ...look,
  method: "POST",
  origin: "http://127.0.0.1:4747",
  contentType: "application/json",
  contentLength: "2",
};
const file: RequestFacts = { ...look, path: "/dashboard.js" };
const local = { host: "localhost:4747", target: "localhost:4747" };

test.each<[string, RequestFacts]>([
  ["a look", look],
  ["a look of our page", { ...look, fetchSite: "same-origin" }],
  ["an act", act],
  ["JSON that names its letters", { ...act, contentType: "application/json; charset=utf-8" }],
  ["the longest body", { ...act, contentLength: String(largestBody) }],
  ["a file", file],
  ["a file's headers", { ...file, method: "HEAD" }],
  ["an address that was typed", { ...file, path: "/", fetchSite: "none" }],
  ["a link that was followed", { ...file, path: "/", fetchSite: "cross-site" }],
])("%s is allowed", (_, facts) => {
  expect(judgeRequest(facts, 4747)).toBeUndefined();
});

test.each<[string, RequestFacts, number]>([
  ["no host", { ...look, host: undefined }, 421],
  [
    "another name that leads here",
    { ...look, host: "a.example:4747", target: "a.example:4747" },
    421,
  ],
  ["the name that may lead to another server of this machine", { ...look, ...local }, 421],
  ["another port", { ...look, host: "127.0.0.1:80", target: "127.0.0.1:80" }, 421],
  ["two hosts that differ", { ...look, target: "localhost:4747" }, 421],
  ["a file by another name", { ...file, host: "a.example:4747", target: "a.example:4747" }, 421],
  ["another page's look", { ...look, origin: "https://a.example" }, 403],
  ["another page's use of a file", { ...file, origin: "https://a.example" }, 403],
  ["a page that has no origin", { ...act, origin: "null" }, 403],
  ["a page of the same port by another name", { ...act, origin: "http://localhost:4747" }, 403],
  ["an act that does not say whose", { ...act, origin: undefined }, 403],
  ["another port's page", { ...look, fetchSite: "same-site" }, 403],
  ["a look that was typed as an address", { ...look, fetchSite: "none" }, 403],
  ["an act on a file", { ...act, path: "/dashboard.js" }, 405],
  ["a form", { ...act, contentType: "application/x-www-form-urlencoded" }, 415],
  ["plain text", { ...act, contentType: "text/plain" }, 415],
  ["nothing that is said to be JSON", { ...act, contentType: undefined }, 415],
  ["a body of no known length", { ...act, contentLength: undefined }, 411],
  ["a body that is too long", { ...act, contentLength: String(largestBody + 1) }, 413],
  [
    "more than a token from somebody who has none",
    { ...act, path: "/api/session", contentLength: String(largestSessionBody + 1) },
    413,
  ],
])("%s is refused", (_, facts, status) => {
  expect(judgeRequest(facts, 4747)).toMatchObject({ status });
});

test.each(["OPTIONS", "PUT", "DELETE", "PATCH", "TRACE", "HEAD", "get"])(
  "%s is not a method of the API, and the allowed ones are listed",
  (method) => {
    expect(judgeRequest({ ...act, method }, 4747)).toMatchObject({
      status: 405,
      allow: "GET, POST",
    });
  },
);

test("a browser omits the default port from the host", () => {
  const facts = { ...look, host: "127.0.0.1", target: "127.0.0.1" };

  expect(judgeRequest(facts, 80)).toBeUndefined();
  expect(judgeRequest(facts, 4747)).toMatchObject({ status: 421 });
});
