import { expect, test } from "vitest";
import { SecretMask } from "../../../src/server/export/mask-secrets.ts";

const home = "/home/ada";

function masked(text: string, known: readonly string[] = []): { text: string; count: number } {
  const mask = new SecretMask({ known, home });
  return { text: mask.text(text), count: mask.count };
}

/** Put together here, so that nobody who searches the repository for keys finds one. */
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789";
const jwt = ["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0In0", letters.slice(0, 30)].join(".");
const body = `MIIEpAIBAAKCAQEA${letters}\n${letters}${letters}`;
const pem = `-----BEGIN RSA ${"PRIVATE"} KEY-----\n${body}\n-----END RSA ${"PRIVATE"} KEY-----`;

const positives: readonly (readonly [string, string, string])[] = [
  ["an Anthropic key", `use sk-${"ant"}-api03-${letters} now`, "use [secret] now"],
  ["an OpenAI key", `sk-${"proj"}-${letters}`, "[secret]"],
  ["an AWS key id", `id ${"AKIA"}IOSFODNN7EXAMPLE.`, "id [secret]."],
  ["a GitHub token", `${"ghp"}_${letters.slice(0, 36)}`, "[secret]"],
  ["a fine-grained GitHub token", `${"github"}_pat_${letters.slice(0, 40)}`, "[secret]"],
  ["a Slack token", `${"xoxb"}-123456789012-abcdefghijkl`, "[secret]"],
  ["a Google key", `${"AIza"}${letters.slice(0, 35)}`, "[secret]"],
  ["a JSON Web Token", `jwt ${jwt}`, "jwt [secret]"],
  ["a private key", `before\n${pem}\nafter`, "before\n[secret]\nafter"],
  ["a private key without its end", pem.slice(0, 120), "[secret]"],
  ["a private key in JSON", JSON.stringify({ k: pem }), '{"k":"[secret]"}'],
  [
    "a header",
    "curl -H 'Authorization: Bearer abc123def'",
    "curl -H 'Authorization: Bearer [secret]'",
  ],
  [
    "a header in JSON",
    '"authorization": "Basic dXNlcjpwYXNz"',
    '"authorization": "Basic [secret]"',
  ],
  ["a URL with a password", "postgres://ada:hunter2@db/x", "postgres://ada:[secret]@db/x"],
  ["an environment line", "DB_PASSWORD=correcthorse", "DB_PASSWORD=[secret]"],
  ["an exported token", "export MY_TOKEN=ab12cd34", "export MY_TOKEN=[secret]"],
  ["a query", "/login?user=ada&password=hunter2&x=1", "/login?user=ada&password=[secret]&x=1"],
  ["JSON", '{"password": "hunter2"}', '{"password": "[secret]"}'],
  ["JSON in a text of JSON", '\\"api_key\\": \\"ab12cd34\\"', '\\"api_key\\": \\"[secret]\\"'],
  ["a passphrase", 'passphrase = "correct horse battery"', 'passphrase = "[secret]"'],
  ["YAML", "password: hunter2", "password: [secret]"],
  ["a flag", "mysql --password hunter2 db", "mysql --password [secret] db"],
  ["curl's user", "curl -s -u ada:hunter2 https://x", "curl -s -u ada:[secret] https://x"],
];

test.each(positives)("%s is masked", (_, text, shown) => {
  expect(masked(text)).toEqual({ text: shown, count: 1 });
});

const negatives: readonly (readonly [string, string])[] = [
  ["a hash of git", "commit 9f2c1e7ab34d56f8091a2b3c4d5e6f7081920a3b"],
  ["a UUID", "019a8b7c-6d5e-7f40-8a1b-2c3d4e5f6071"],
  ["a picture in base64", `data:image/png;base64,iVBORw0KGgo${letters.repeat(20)}==`],
  ["prose about passwords", "The password: it must have 8 characters. A token is needed."],
  ["prose about a bearer", "Send the Bearer authentication header."],
  ["types", "interface Login { password: string; token: string | null; apiKey?: string }"],
  ["code", "const token = readToken(); login(password=password, secret=config.secret)"],
  ["code that looks into the environment", "const secret = process.env.SECRET;"],
  ["variables", "curl -H 'Authorization: Bearer $TOKEN' https://ada:$PASS@host --token $TOKEN"],
  ["what is to be filled in", "API_KEY=<your key> PASSWORD={{ password }}"],
  ["counts", "max_tokens: 4096, input_tokens=12345, tokens: 99"],
  ["names in a style sheet", ".sk-loading-spinner-container-large { color: red }"],
  ["words that end in sk", "the task-0123456789-0123456789-abcdef and disk-0123456789abcdef012345"],
  ["an address without a password", "https://example.org:8080/a@b and ssh://git@host/x"],
  ["words about a key", "grep -----BEGIN PRIVATE KEY----- in *.pem"],
  ["a long line", `${"x".repeat(5_000)}`],
];

test.each(negatives)("%s is kept", (_, text) => {
  expect(masked(text)).toEqual({ text, count: 0 });
});

test("known keys are masked, whatever they look like", () => {
  expect(masked("it is plain-words-here, twice: plain-words-here", ["plain-words-here"])).toEqual({
    text: "it is [key], twice: [key]",
    count: 2,
  });
});

test("the home directory is masked, and no other path is mistaken for it", () => {
  const text = "/home/ada/src, /home/ada: and /home/adam, /srv/home/ada, /home/ada-old";
  expect(masked(text).text).toBe("~/src, ~: and /home/adam, /srv/home/ada, /home/ada-old");
});

test("a home directory at the root masks nothing", () => {
  expect(new SecretMask({ known: [], home: "/" }).text("/usr/bin")).toBe("/usr/bin");
});

test("every text of a value is masked, and identifiers are not", () => {
  const mask = new SecretMask({ known: ["a-known-key"], home });
  const value = { id: "a-known-key", list: [{ text: "a-known-key", count: 3, none: null }] };

  expect(mask.json(value)).toEqual({
    id: "a-known-key",
    list: [{ text: "[key]", count: 3, none: null }],
  });
});

test("a private key in a diff is masked in each of its lines", () => {
  const mask = new SecretMask({ known: [], home });
  const diff = ["# keys", ...pem.split("\n")].map((text) => ({ type: "added", text }));

  const texts = mask.json(diff).map(({ text }) => text);

  expect(texts).toEqual(["# keys", "[secret]", "[secret]", "[secret]", "[secret]"]);
});

test("masking a long text takes time proportional to its length", () => {
  const mask = new SecretMask({ known: [], home });
  const hostile = [
    "password".repeat(20_000),
    `${"a.".repeat(50_000)}://`,
    "-----BEGIN PRIVATE KEY-----".repeat(5_000),
    `curl ${"-u ".repeat(50_000)}`,
    "eyJ".repeat(60_000),
  ];

  for (const text of hostile) mask.text(text);
});
