import type { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";

/** What a request of either API may be without, one key at a time. */
export interface Sent {
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
}

export function askAnthropic(server: ProviderServer, sent: Sent = {}): Promise<Response> {
  const body = {
    model: "claude-test",
    max_tokens: 100,
    stream: true,
    messages: [{ role: "user", content: "hello" }],
    ...sent.body,
  };
  const headers = { "x-api-key": "secret", "anthropic-version": "2023-06-01", ...sent.headers };
  return post(`${server.url}/v1/messages`, body, headers);
}

export function askOpenAi(server: ProviderServer, sent: Sent = {}): Promise<Response> {
  const body = {
    model: "gpt-test",
    stream: true,
    messages: [{ role: "user", content: "hello" }],
    ...sent.body,
  };
  const headers = { authorization: "Bearer secret", ...sent.headers };
  return post(`${server.url}/v1/chat/completions`, body, headers);
}

export function askResponses(server: ProviderServer, sent: Sent = {}): Promise<Response> {
  const body = {
    model: "gpt-test",
    stream: true,
    store: false,
    input: [{ role: "user", content: "hello" }],
    ...sent.body,
  };
  const headers = { authorization: "Bearer secret", ...sent.headers };
  return post(`${server.url}/v1/responses`, body, headers);
}

export function askGoogle(server: ProviderServer, sent: Sent = {}): Promise<Response> {
  const body = { contents: [{ role: "user", parts: [{ text: "hello" }] }], ...sent.body };
  const headers = { "x-goog-api-key": "secret", ...sent.headers };
  const path = "/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse";
  return post(`${server.url}${path}`, body, headers);
}

function post(url: string, body: object, headers: Record<string, string>): Promise<Response> {
  // An empty value stands for a header that is left out.
  const given = Object.entries(headers).filter(([, value]) => value !== "");
  return fetch(url, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", ...Object.fromEntries(given) },
  });
}
