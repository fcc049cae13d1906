import { asSentence } from "./words.ts";

/** What a file gets that is asked for in words: small, and of its kind. */
export function fileContent(path: string, about: string): string {
  const topic = about.replace(/^(?:an?|the|some)\s+/i, "").trim();
  const title = topic || baseName(path);
  switch (path.slice(path.lastIndexOf(".") + 1).toLowerCase()) {
    case "sql":
      return tables(about, path).map(createTable).join("\n");
    case "md":
      return `# ${asTitle(title)}\n\n${asSentence(`Written by the rehearsal model: ${title}`)}\n`;
    case "json":
      return `${JSON.stringify({ about: title }, null, 2)}\n`;
    case "js":
    case "mjs":
    case "ts":
      return `// ${asTitle(title)}\nexport const about = ${JSON.stringify(title)};\n`;
    case "py":
      return `"""${asTitle(title)}."""\n\nABOUT = ${JSON.stringify(title)}\n`;
    case "sh":
      return `#!/bin/sh\n# ${asTitle(title)}\necho ${JSON.stringify(title)}\n`;
    case "html":
      return `<!doctype html>\n<title>${asTitle(title)}</title>\n<p>${asSentence(title)}</p>\n`;
    default:
      return `${asSentence(title)}\n`;
  }
}

/** The tables that are asked for: `a users table and an orders table`, `tables users, orders`. */
function tables(about: string, path: string): string[] {
  const before = [...about.matchAll(/\b([a-z_]\w*)\s+tables?\b/gi)].flatMap(
    ([, name]) => name ?? [],
  );
  const [, after = ""] = /\btables?\s+(?:called|named|for)?\s*([\w\s,]+)$/i.exec(about) ?? [];
  const names = [...before, ...after.split(/\s*,\s*|\s+and\s+/)]
    .map((name) => name.trim().toLowerCase())
    .filter(
      (name) => /^[a-z_]\w*$/.test(name) && !["a", "an", "the", "and", "with"].includes(name),
    );
  return names.length > 0 ? [...new Set(names)] : [baseName(path).replace(/\W/g, "_")];
}

function createTable(name: string): string {
  const isPeople = /user|person|people|customer|member|account|author/.test(name);
  const columns = [
    "id INTEGER PRIMARY KEY",
    "name TEXT NOT NULL",
    ...(isPeople ? ["email TEXT NOT NULL UNIQUE"] : []),
    "created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP",
  ];
  return `CREATE TABLE ${name} (\n${columns.map((column) => `  ${column}`).join(",\n")}\n);\n`;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
}

function asTitle(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
