import { expect, test } from "vitest";
import { Secrets } from "../../src/lib/secrets.ts";
import { environmentSecrets } from "../../src/model/environment-secrets.ts";

test.each([
  ["HTTPS_PROXY", "http://ada:pass-word@0123@proxy.example:3128", "pass-word@0123"],
  ["HTTPS_PROXY", "http://ada:pass-word%400123@proxy.example:3128", "pass-word@0123"],
  ["HTTPS_PROXY", "http://ada:pass-word@0123@proxy.example:3128", "pass-word%400123"],
  ["https_proxy", "ada:pass:word:0123@proxy.example:3128", "pass:word:0123"],
  ["ALL_PROXY", "http://token-0123@proxy.example", "token-0123"],
  ["OLLAMA_HOST", "https://ada:pass-word-0123@ollama.example", "pass-word-0123"],
  ["OLLAMA_HOST", "ada:pass-word-0123@ollama.example:11434", "pass-word-0123"],
  ["OPENAI_BASE_URL", "https://ada:pass-word@0123@gateway.example/v1", "pass-word@0123"],
  ["AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "https://ada:pass-word-0123@aws.example", "pass-word-0123"],
])("P24 of %s=%s, %s is masked whole", (name, url, secret) => {
  const secrets = new Secrets(environmentSecrets({ env: { [name]: url } }));

  expect(secrets.mask(`<${secret}>`)).toBe("<[key]>");
});

test.each([
  ["HTTPS_PROXY", "http://proxy.example:3128/path@0123"],
  ["HTTPS_PROXY", "http://ada-lovelace:secret-0123@proxy.example"],
  ["MAIL_ADDRESS", "ada-lovelace:proxy.example@mail.example"],
])("nothing else in %s=%s is masked", (name, url) => {
  const secrets = new Secrets(environmentSecrets({ env: { [name]: url } }));
  const text = "ada-lovelace at proxy.example:3128/path";

  expect(secrets.mask(text)).toBe(text);
});
