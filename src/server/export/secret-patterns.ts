/** What stands where something looked like a secret. */
export const placeholder = "[secret]";

/** A way in which secrets look. What is returned takes the place of the match. */
export interface SecretPattern {
  pattern: RegExp;
  replace(...match: readonly string[]): string;
}

const whole = () => placeholder;
const afterFirst = (_: string, kept = "") => `${kept}${placeholder}`;

/** Values that stand for a secret and are none: `$TOKEN`, `<your key>`, `{{ secret }}`, `***`. */
const reference = /^(?:[$<{%*[(]|\\[$"'])/;

/** A key of which everybody can tell by its form whose it is. */
const tokens = [
  // Anthropic, OpenAI and those who do as they do. A digit: `sk-` also begins names in style sheets.
  /(?<![A-Za-z0-9_-])sk-(?=[A-Za-z_-]{0,80}\d)[A-Za-z0-9_-]{20,}/g,
  /(?<![A-Za-z0-9])(?:AKIA|ASIA|AGPA|AIDA|AROA)[0-9A-Z]{16}(?![0-9A-Za-z])/g,
  /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{30,}/g,
  /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{22,}/g,
  /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,}/g,
  /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /(?<![A-Za-z0-9])xapp-\d-[A-Za-z0-9-]{10,}/g,
  /(?<=hooks\.slack\.com\/services\/)[A-Za-z0-9/]{20,}/g,
  /(?<![A-Za-z0-9_-])AIza[0-9A-Za-z_-]{35}/g,
  /(?<![A-Za-z0-9])ya29\.[0-9A-Za-z_-]{20,}/g,
  /(?<![A-Za-z0-9])(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /(?<![A-Za-z0-9])(?:npm|hf)_[A-Za-z0-9]{30,}/g,
  /(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{30,}/g,
  /(?<![A-Za-z0-9])xai-[A-Za-z0-9]{30,}/g,
  /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
  // A JSON Web Token: both of its first parts are JSON in base64.
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
] as const;

/** Also one whose end is missing, but not the mere words: some of what is secret must follow. */
const privateKey =
  /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]{0,400}?[A-Za-z0-9+/]{32})(?:[^-]|-(?!----))*(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)?/g;

const authorization =
  /(\b(?:Proxy-)?Authorization\\?["']?[ \t]*[:=][ \t]*\\?["']?(?:Bearer|Basic|Token|ApiKey)[ \t]+)([^\s"'\\,]{6,})/gi;

const bearer = /(\bBearer[ \t]+)([A-Za-z0-9._~+/=-]{20,})/g;

/** In `scheme://user:password@host`. */
const inUrl = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/@:"'`<>]{0,100}:)([^\s/@"'`<>]{1,200})(?=@)/gi;

/** `--password hunter2`, and `-u name:password` of curl. */
const flag =
  /((?<=^|[\s"'])--?(?:password|passwd|passphrase|token|api-key|apikey|secret|auth-token|access-token)[ \t]+\\?["']?)([^\s"'\\-][^\s"'\\]{3,})/gim;
const user =
  /(\bcurl\b[^\n]{0,300}?[ \t](?:-u|--user)[ \t]*\\?["']?[^\s:"'\\]{1,100}:)([^\s"'\\]{3,})/g;

const assignment =
  /(passwords?|passwd|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|account[_-]?key|secret[_-]?key|credentials?)(\\?["'`]?[ \t]*(?:=>|:=|[:=])[ \t]*)(?:(\\?["'`])((?:(?!\3)[^\n]){4,500}?)\3|([^\s"'`,;&|<>(){}[\]\\]{4,500})(\(|\[)?)/gi;

/** All of them, those that match most first. */
export const secretPatterns: readonly SecretPattern[] = [
  { pattern: privateKey, replace: whole },
  { pattern: authorization, replace: unlessReference },
  { pattern: bearer, replace: afterFirst },
  { pattern: inUrl, replace: unlessReference },
  ...tokens.map((pattern) => ({ pattern, replace: whole })),
  { pattern: flag, replace: unlessReference },
  { pattern: user, replace: unlessReference },
  { pattern: assignment, replace: assigned },
];

function unlessReference(match = "", kept = "", value = ""): string {
  return reference.test(value) || value === placeholder ? match : `${kept}${placeholder}`;
}

function assigned(...parts: readonly (string | undefined)[]): string {
  const [match = "", name = "", separator = "", quote = "", quoted = "", plain = "", call] = parts;
  const value = quoted || plain;
  if (reference.test(value) || value.includes(placeholder) || value === "[key]") return match;
  const isSecret = quoted
    ? isQuotedSecret(name, quoted)
    : call === undefined && isPlainSecret(value, { name, separator });
  return isSecret ? `${name}${separator}${quote}${placeholder}${quote}` : match;
}

/** A password may be a sentence; of anything else that has spaces, it is a sentence about it. */
function isQuotedSecret(name: string, value: string): boolean {
  if (/^(?:process\.env|import\.meta|env\.|os\.environ)/.test(value)) return false;
  if (wordsOfCode.test(value)) return false;
  return /^pass(?:word|wd|phrase)/i.test(name) || (value.length >= 6 && !/\s/.test(value));
}

/**
 * What is assigned without quotes may be code or prose. In `NAME=value`, with no space around, it is
 * a value; elsewhere only what has letters and digits is.
 */
function isPlainSecret(
  value: string,
  { name, separator }: { name: string; separator: string },
): boolean {
  const hasBoth = /[A-Za-z]/.test(value) && /\d/.test(value);
  if (wordsOfCode.test(value) || /^[a-z_$][\w$]*(?:\.[\w$]+)+$/i.test(value)) return false;
  if (separator !== "=") return hasBoth && value.length >= 6 && !/^[A-Z][A-Za-z]*\d?$/.test(value);
  return hasBoth ? value.length >= 6 : /^pass(?:word|wd|phrase)|^pwd/i.test(name);
}

/** Names of types, of nothing, and of the very thing: `password=password`. */
const wordsOfCode =
  /^(?:string|str|text|number|int|integer|boolean|bool|any|unknown|object|null|nil|none|undefined|true|false|required|optional|never|void|bytes|self|this|changeme|example|hidden|redacted|masked|[a-z_]*(?:passwords?|passwd|secret|token|key|credentials?))[;,.]?$/i;
