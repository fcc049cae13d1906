import { describe, expect, test } from "vitest";
import { AnthropicCache } from "../../src/testing/prompt-cache/anthropic-cache.ts";
import { OpenAiCache } from "../../src/testing/prompt-cache/openai-cache.ts";
import { googleCache, olderOpenAiCache } from "../../src/testing/prompt-cache/prefix-cache.ts";
import { RequestBody } from "../../src/testing/provider-server/provider-api.ts";

const minute = 60_000;
/** About a thousand tokens. */
const long = (name: string) => `${name} `.padEnd(3_500, "x");

interface Block {
  text: string;
  ttl?: "5m" | "1h";
}

describe("Anthropic", () => {
  test("what was written up to a mark is read by a request that begins with it", () => {
    const cache = new AnthropicCache();
    const first = cache.take(claude([marked("a"), marked("b")]), 0);
    const second = cache.take(claude([marked("a"), marked("b"), marked("c")]), minute);

    expect(first.cache_read_tokens).toBe(0);
    expect(second.cache_read_tokens).toBe(first.cache_write_tokens);
    expect(second.cache_write_tokens).toBeGreaterThan(1_000);
  });

  test("control: a changed beginning drops everything", () => {
    const cache = new AnthropicCache();
    cache.take(claude([marked("a"), marked("b")]), 0);

    expect(cache.take(claude([marked("A"), marked("b")]), 0).cache_read_tokens).toBe(0);
  });

  test("an entry lives five minutes from its last use, or an hour", () => {
    const cache = new AnthropicCache();
    const short = claude([marked("a"), marked("b")]);
    const hour = claude([marked("c", "1h"), marked("d", "1h")]);
    for (const body of [short, hour]) cache.take(body, 0);
    expect(cache.take(short, 4 * minute).cache_read_tokens).toBeGreaterThan(0);

    expect(cache.take(short, 8 * minute).cache_read_tokens).toBeGreaterThan(0);
    expect(cache.take(short, 13 * minute).cache_read_tokens).toBe(0);
    expect(cache.take(hour, 59 * minute).cache_read_tokens).toBeGreaterThan(0);
    expect(cache.take(hour, 119 * minute).cache_read_tokens).toBe(0);
  });

  test("a mark looks back over twenty blocks, its own included", () => {
    const blocks = (count: number): Block[] =>
      Array.from({ length: count }, (_, index) => ({ text: `${index}` }));
    const readAfter = (more: number) => {
      const cache = new AnthropicCache();
      cache.take(claude([marked("a"), marked("b")]), 0);
      const body = claude([{ text: long("a") }, { text: long("b") }, ...blocks(more), marked("c")]);
      return cache.take(body, 0).cache_read_tokens;
    };

    expect(readAfter(18)).toBeGreaterThan(0);
    expect(readAfter(19)).toBe(0);
  });

  test("what is shorter than the model's minimum is not cached", () => {
    const cache = new AnthropicCache();
    const body = (model: string) => claude([marked("a"), marked("b")], model);
    for (const model of ["claude-sonnet-5", "claude-opus-4-6"]) cache.take(body(model), 0);

    expect(cache.take(body("claude-sonnet-5"), 0).cache_read_tokens).toBeGreaterThan(0);
    expect(cache.take(body("claude-opus-4-6"), 0)).toMatchObject({
      ...{ cache_read_tokens: 0, cache_write_tokens: 0 },
    });
  });

  test("what is written for an hour is counted apart, and five marks are refused", () => {
    const body = claude([marked("a", "1h"), marked("b", "1h"), marked("c")]);
    const { cache_write_tokens, cache_write_1h_tokens } = new AnthropicCache().take(body, 0);
    const many = claude(["a", "b", "c", "d", "e"].map((name) => marked(name)));

    expect(cache_write_tokens - cache_write_1h_tokens).toBeGreaterThan(1_000);
    expect(cache_write_1h_tokens).toBeGreaterThan(2_000);
    expect(() => new AnthropicCache().take(many, 0)).toThrow("5 blocks are marked");
  });

  test("other thinking reads the system prompt, but not the messages", () => {
    const cache = new AnthropicCache();
    const body = (budget_tokens: number) => ({
      ...claude([marked("a")]),
      system: [{ type: "text", text: long("s").repeat(2), cache_control: { type: "ephemeral" } }],
      thinking: { type: "enabled", budget_tokens },
    });
    cache.take(body(1_024), 0);

    const same = cache.take(body(1_024), 0).cache_read_tokens;
    const other = cache.take(body(2_048), 0).cache_read_tokens;

    expect(other).toBeGreaterThan(1_000);
    expect(same - other).toBeGreaterThan(900);
  });
});

describe("OpenAI from GPT-5.6 on", () => {
  test("a request is found up to the newest message of the one before", () => {
    const cache = new OpenAiCache();
    const first = cache.take(gpt(["a", "b"]), 0);
    const second = cache.take(gpt(["a", "b", "c"]), 29 * minute);

    expect(second.cache_read_tokens).toBe(first.cache_write_tokens);
    expect(cache.take(gpt(["a", "b", "c"]), 60 * minute).cache_read_tokens).toBe(0);
  });

  test("a shared beginning is found only where it is marked", () => {
    const read = (isMarked: boolean) => {
      const cache = new OpenAiCache();
      cache.take(gpt(["a"], { isMarked }), 0);
      return cache.take(gpt(["b"], { isMarked }), 0).cache_read_tokens;
    };

    expect(read(false)).toBe(0);
    expect(read(true)).toBeGreaterThan(1_000);
  });

  test("another key finds nothing", () => {
    const cache = new OpenAiCache();
    cache.take(gpt(["a", "b"], { key: "alice" }), 0);

    expect(cache.take(gpt(["a", "b"], { key: "bob" }), 0).cache_read_tokens).toBe(0);
  });
});

describe("caches that find any repeated beginning", () => {
  test("OpenAI's find it in steps of 128 tokens from 1024 on", () => {
    const cache = olderOpenAiCache();
    cache.take(gpt(["a", "b"]), 0);
    const { cache_read_tokens } = cache.take(gpt(["a", "c"]), 0);

    expect(cache_read_tokens).toBeGreaterThanOrEqual(1_024);
    expect(cache_read_tokens % 128).toBe(0);
  });

  test.each([
    [{}, 23 * 60 * minute, 25 * 60 * minute],
    [{ retainsNothing: true }, 4 * minute, 6 * minute],
  ])(
    "OpenAI's, with %j, forget it between %i and %i ms after its last use",
    (options, one, other) => {
      const readAfter = (ms: number) => {
        const cache = olderOpenAiCache(options);
        cache.take(gpt(["a", "b"]), 0);
        return cache.take(gpt(["a", "b"]), ms).cache_read_tokens;
      };

      expect(readAfter(one)).toBeGreaterThan(0);
      expect(readAfter(other)).toBe(0);
    },
  );

  test("Google's need 4096 tokens", () => {
    const cache = googleCache();
    const body = (...names: string[]) =>
      RequestBody.parse({ model: "gemini-3.5-flash", contents: names.map(long) });
    const short = body("a", "b");
    const whole = body("a", "b", "c", "d", "e");
    for (const each of [short, whole]) cache.take(each, 0);

    expect(cache.take(short, 0).cache_read_tokens).toBe(0);
    expect(cache.take(whole, 0).cache_read_tokens).toBeGreaterThanOrEqual(4_096);
  });
});

function marked(name: string, ttl?: Block["ttl"]): Block {
  return { text: long(name), ttl: ttl ?? "5m" };
}

function claude(blocks: readonly Block[], model = "claude-sonnet-5"): RequestBody {
  const content = blocks.map(({ text, ttl }) => {
    const cache_control = { type: "ephemeral", ...(ttl === "1h" && { ttl }) };
    return { type: "text", text, ...(ttl && { cache_control }) };
  });
  return RequestBody.parse({ model, messages: [{ role: "user", content }] });
}

function gpt(
  names: readonly string[],
  { isMarked = false, key = "alice" }: { isMarked?: boolean; key?: string } = {},
): RequestBody {
  const mark = isMarked ? { prompt_cache_breakpoint: { mode: "explicit" } } : {};
  const system = { type: "input_text", text: long("s").repeat(2), ...mark };
  const messages = names.map((name) => ({
    role: "user",
    content: [{ type: "input_text", text: long(name) }],
  }));
  return RequestBody.parse({
    model: "gpt-6-sol",
    prompt_cache_key: key,
    input: [{ role: "developer", content: [system] }, ...messages],
  });
}
