import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SecretMask } from "../../../src/server/export/mask-secrets.ts";

/** Put together here, so that nobody who searches the repository for keys finds one. */
const mixed = (length: number) => "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zA0cD".repeat(8).slice(0, length);
const hex = (length: number) => "4f8a2c91e07b6d53".repeat(16).slice(0, length);
const upper = (length: number) => mixed(length).toUpperCase();
const digits = (length: number) => "8192736450".repeat(4).slice(0, length);

const id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

const kinds: readonly (readonly [string, string])[] = [
  ["DigitalOcean", `dop_v1_${hex(64)}`],
  ["Vault", `hvs.${mixed(90)}`],
  ["Databricks", `dapi${hex(32)}`],
  ["Telegram", `${digits(10)}:AA${mixed(33)}`],
  ["Discord", `MT${mixed(22)}.Gx${mixed(4)}.${mixed(38)}`],
  ["PyPI", `pypi-AgEIcHlwaS5vcmc${mixed(100)}`],
  ["Docker", `dckr_pat_${mixed(27)}`],
  ["Shopify", `shpat_${hex(32)}`],
  ["Twilio", `SK${hex(32)}`],
  ["Linear", `lin_api_${mixed(40)}`],
  ["Mailgun", `key-${hex(32)}`],
  ["Mailgun's newer ones", `${hex(32)}-${hex(8)}-${hex(8)}`],
  ["Doppler", `dp.pt.${mixed(43)}`],
  ["age", `AGE-SECRET-KEY-1${upper(58)}`],
  ["GitHub's user token", `ghu_${mixed(36)}`],
  ["GitHub's server token", `ghs_${mixed(36)}`],
  ["GitLab's runner", `glrt-${mixed(20)}`],
  ["GitLab's deploy token", `gldt-${mixed(20)}`],
  ["npm", `npm_${mixed(36)}`],
  ["Stripe's webhook", `whsec_${mixed(32)}`],
  ["SendGrid", `SG.${mixed(22)}.${mixed(43)}`],
  ["Hugging Face", `hf_${mixed(34)}`],
  ["Supabase", `sbp_${hex(40)}`],
  ["Netlify", `nfp_${mixed(36)}`],
  ["Heroku", `HRKU-${mixed(36)}`],
  ["Atlassian", `ATATT3xFfGF0${mixed(100)}`],
  ["New Relic", `NRAK-${upper(27)}`],
  ["Fly.io", `fm2_${mixed(100)}`],
  ["Cloudflare's origin key", `v1.0-${hex(24)}-${hex(146)}`],
  ["Google's OAuth client", `GOCSPX-${mixed(28)}`],
  ["Azure's client secret", `abc8Q~${mixed(34)}`],
  ["Terraform", `${mixed(14)}.atlasv1.${mixed(67)}`],
  ["Grafana", `glsa_${mixed(32)}_${hex(8)}`],
  ["Sentry's token", `sntrys_${mixed(80)}`],
  ["Postman", `PMAK-${hex(24)}-${hex(34)}`],
  ["Airtable", `pat${mixed(14)}.${hex(64)}`],
  ["Notion", `ntn_${mixed(46)}`],
  ["Figma", `figd_${mixed(40)}`],
  ["PlanetScale", `pscale_tkn_${mixed(43)}`],
  ["Tailscale", `tskey-auth-${mixed(12)}-${mixed(32)}`],
  ["RubyGems", `rubygems_${hex(48)}`],
  ["Mailchimp", `${hex(32)}-us12`],
  ["Square", `sq0atp-${mixed(22)}`],
  ["Pulumi", `pul-${hex(40)}`],
  ["Replicate", `r8_${mixed(37)}`],
  ["bcrypt, as in htpasswd", `$2y$05$${mixed(53)}`],
  ["Apache's MD5, as in htpasswd", `$apr1$${mixed(8)}$${mixed(22)}`],
  ["crypt", `$6$${mixed(16)}$${mixed(86)}`],
  ["Bedrock", `ABSK${mixed(120)}==`],
  ["Amazon's marketplace", `amzn.mws.${id}`],
  ["Trello", `ATTA${hex(64)}1A2B3C4D`],
  ["Azure DevOps", `${mixed(76)}AZDO${mixed(4)}`],
  ["Firebase", `AAAA${mixed(7)}:APA91b${mixed(134)}`],
  ["Flutterwave", `FLWSECK-${hex(32)}-X`],
  ["Razorpay", `rzp_live_${mixed(14)}`],
  ["Plaid", `access-production-${id}`],
  ["Artifactory", `cmVmdGtu${mixed(56)}`],
  ["a plugin of age", `AGE-PLUGIN-YUBIKEY-1${upper(30)}`],
  ["Bitwarden", `0.${id}.${mixed(30)}:${mixed(22)}==`],
  ["Neon", `napi_${mixed(64).toLowerCase()}`],
  ["Render", `rnd_${mixed(32)}`],
  ["Sonar", `sqp_${hex(40)}`],
  ["Mapbox", `sk.eyJ1Ijoi${mixed(60)}.${mixed(22)}`],
  ["Adobe", `p8e-${mixed(32)}`],
  ["Asana", `2/${digits(16)}/${digits(16)}:${hex(32)}`],
  ["Intercom", `dG9rOj${mixed(54)}=`],
  ["ElevenLabs", `sk_${hex(48)}`],
  ["Cerebras", `csk-${mixed(48).toLowerCase()}`],
  ["Jina", `jina_${mixed(60)}`],
  ["Voyage", `pa-${mixed(43)}`],
  ["Pinecone", `pcsk_${mixed(6)}_${mixed(60)}`],
  ["Tavily", `tvly-${mixed(32)}`],
  ["Firecrawl", `fc-${hex(32)}`],
  ["E2B", `e2b_${hex(40)}`],
];

test.each(kinds)("%s: only the secret is masked, in a line, in quotes and in JSON", (_, key) => {
  const mask = new SecretMask({ known: [], home: "" });
  const texts = [`it is ${key} here`, `x "${key}", y`, JSON.stringify({ text: `a ${key}` })];

  for (const text of texts) {
    expect(mask.text(text)).toBe(text.split(key).join("[secret]"));
  }
});

const inContext: readonly (readonly [string, string, string])[] = [
  ["netrc", "machine a.example login ada password hunter2", "hunter2"],
  ["netrc in lines", "machine a.example\n  login ada\n  password hunter2\n", "hunter2"],
  ["htpasswd", `ada:{SHA}${mixed(27)}=`, `${mixed(27)}`],
  ["a kubeconfig", `    client-key-data: ${mixed(120)}==`, mixed(120)],
  ["sshpass", "sshpass -p hunter2 ssh ada@host", "hunter2"],
  ["sshpass in quotes", "sshpass -p 'hunter2' ssh ada@host", "hunter2"],
  ["mysql", "mysql -u root -phunter2 shop", "hunter2"],
  ["mysqldump", "mysqldump -uroot -phunter2 shop > x", "hunter2"],
  ["a cookie", `Cookie: theme=dark; session=${mixed(24)}`, mixed(24)],
  ["a cookie of curl", `curl -H 'Cookie: session=${mixed(24)}' https://x`, mixed(24)],
  ["a cookie that is set", `Set-Cookie: sid=${mixed(24)}; Path=/; HttpOnly`, mixed(24)],
  ["a DSN of Sentry", `https://${hex(32)}@o1.ingest.sentry.io/1`, hex(32)],
  ["Azure storage", `AccountName=a;AccountKey=${mixed(86)}==;Suffix=x`, mixed(86)],
  ["a bus of Azure", `SharedAccessKeyName=a;SharedAccessKey=${mixed(43)}=`, mixed(43)],
  ["a signature of Azure", `https://a.example/x?sv=1&sig=${mixed(43)}%3D`, mixed(43)],
  ["Datadog", `DD_API_KEY=${hex(32)}`, hex(32)],
  ["Datadog's application", `"app_key": "${hex(40)}"`, hex(40)],
  ["Cloudflare", `CLOUDFLARE_API_TOKEN=${mixed(40)}`, mixed(40)],
  ["AWS", `aws_secret_access_key = ${mixed(40)}`, mixed(40)],
  ["redis", "redis://:hunter2@db:6379/0", "hunter2"],
  ["a password with an @ in a URL", "postgres://app:p@ss:w0rd@db:5432/x", "w0rd"],
  ["a token alone in a URL", `https://${mixed(40)}@git.example/a/b.git`, mixed(40)],
  ["Telegram's address", `https://t.example/bot${digits(10)}:AA${mixed(33)}/send`, mixed(33)],
  ["netrc without a login", "machine a.example\n  password hunter2\n  login ada\n", "hunter2"],
  ["pgpass", "db.example:5432:shop:ada:hunter2", "hunter2"],
  ["docker login", "docker login -u ada -p hunter2 registry.example", "hunter2"],
  ["the login file of Docker", `{"auths":{"r":{"auth":"${mixed(20)}=="}}}`, mixed(20)],
  ["the login file of npm", `//r.example/:_auth=${mixed(20)}==`, mixed(20)],
  ["redis-cli", "redis-cli -h db -a hunter2 ping", "hunter2"],
  ["the settings of redis", "port 6379\nrequirepass hunter2\n", "hunter2"],
  ["an element", "<server><password>hunter2</password></server>", "hunter2"],
  ["a word in YAML", "db:\n  password: correcthorse\n", "correcthorse"],
  ["a word in an INI file", "[db]\npasswd = letmein\n", "letmein"],
  ["Ansible", "ansible_become_pass: hunter2222", "hunter2222"],
  ["SSHPASS", "SSHPASS=hunter2 sshpass -e ssh ada@host", "hunter2"],
  ["a wireless network", 'psk="correct horse"', "horse"],
  ["Rails", `secret_key_base: ${hex(128)}`, hex(128)],
  ["Fernet", `FERNET_KEY=${mixed(43)}=`, mixed(43)],
  ["a session of a vault", `export BW_SESSION="${mixed(86)}=="`, mixed(86)],
  ["an old token of Vault", `VAULT_TOKEN=s.${mixed(24)}`, mixed(24)],
  ["Okta", `Authorization: SSWS 00${mixed(40)}`, mixed(40)],
  [
    "the words of a wallet",
    'MNEMONIC="abandon ability able about above absent absorb abstract absurd abuse access accident"',
    "absorb abstract",
  ],
  [
    "a key as RFC 4716 has it",
    `---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "x"\n${mixed(64)}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----`,
    mixed(30),
  ],
  [
    "a key of PuTTY",
    `Public-Lines: 1\nAAAAC3Nz\nPrivate-Lines: 1\n${mixed(48)}\nPrivate-MAC: 0`,
    mixed(30),
  ],
];

test.each(inContext)(
  "%s: the secret is masked, and the text around it is kept",
  (_, text, secret) => {
    const shown = new SecretMask({ known: [], home: "" }).text(text);

    expect(shown).not.toContain(secret);
    expect(shown).toContain("[secret]");
    expect(shown.length).toBeGreaterThan("[secret]".length);
  },
);

const ordinary = [
  hex(40),
  "commit a1b2c3d",
  `FROM node@sha256:${hex(64)}`,
  id,
  `data:image/png;base64,${mixed(200)}`,
  `"integrity": "sha512-${mixed(86)}=="`,
  `github.com/a/b v1.2.3 h1:${mixed(43)}=`,
  `checksum = "${hex(64)}"`,
  `resolved "https://registry.example/a/-/a-1.0.0.tgz#${hex(40)}"`,
  `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5${mixed(48)} ada@x`,
  `-----BEGIN CERTIFICATE-----\n${mixed(64)}\n-----END CERTIFICATE-----`,
  "password: string",
  "password: Password",
  "password = await_password()",
  "password: process.env.DB_PASSWORD",
  "  password: {{ secrets.DB }}",
  "<password>%DB_PASSWORD%</password>",
  "The password is hashed with bcrypt.",
  "const token = await getToken();",
  "http://localhost:3000/a@b",
  "id INTEGER PRIMARY KEY",
  `PUBLIC_KEY=${mixed(40)}`,
  "SSH_KEY=/home/ada/.ssh/id_ed25519",
  "max_tokens=8000",
  "docker run -p 8080:80 nginx",
  "src/a.ts:12:x:y:z",
  '<Input type="password" name="password" />',
  "auth: true",
  '"author": "Ada Lovelace"',
];

test.each(ordinary)("%j is not a secret", (text) => {
  expect(new SecretMask({ known: [], home: "" }).text(text)).toBe(text);
});

test("almost nothing is masked in the sources and the lockfile of this repository", async () => {
  const mask = new SecretMask({ known: [], home: "" });
  const files = await sourceFiles("src");
  const texts = await Promise.all(
    ["package-lock.json", ...files].map((file) => readFile(file, "utf8")),
  );
  const masked: string[] = [];
  for (const text of texts) {
    for (const line of text.split("\n")) if (mask.text(line) !== line) masked.push(line.trim());
  }

  expect(texts.join("").length).toBeGreaterThan(1_000_000);
  expect(masked.length, masked.join("\n")).toBeLessThanOrEqual(5);
});

async function sourceFiles(directory: string): Promise<string[]> {
  const names = await readdir(directory, { recursive: true });
  return names.filter((name) => name.endsWith(".ts")).map((name) => join(directory, name));
}

/** What patterns with repetitions are slow at: beginnings without an end, again and again. */
const adversarial = [
  "a",
  "A",
  "0",
  "sk-",
  "eyJ",
  "login x password ",
  "Cookie: a=",
  "Cookie: aaaa=bbbb;",
  "mysql ",
  "password=",
  "://a:",
  "-----BEGIN PRIVATE KEY-----",
  "pat",
  "<password>",
  "A_KEY=",
  "auth: ",
  "mnemonic: abandon ",
  "abandon ",
  "Private-Lines: 1\n",
  "docker login ",
  "machine a password ",
  "https://aaaa",
  "passwd = a",
  "a:5432:b:c:",
  `${"a".repeat(14)}.`,
  "$1$a$",
  "0f",
  "\\",
  " ",
];

test.each(adversarial)(
  "a megabyte of %j is processed fast, which a quadratic pattern would not be",
  (part) => {
    const text = part.repeat(Math.ceil(1_000_000 / part.length));

    const shown = new SecretMask({ known: [], home: "" }).text(text);

    expect(shown).not.toBe("");
  },
);
