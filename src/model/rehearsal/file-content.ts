import { asSentence } from "./sentences.ts";

/** What is put into a file that is asked for in words: something small of the file's kind. */
export function fileContent(path: string, about: string): string {
  const [, baseName = path, kind = ""] = /([^/]*?)(?:\.([^./]*))?$/.exec(path) ?? [];
  const topic = about.replace(/^(?:an?|the|some)\s+/i, "") || baseName;
  const title = topic.charAt(0).toUpperCase() + topic.slice(1);
  switch (kind.toLowerCase()) {
    case "sql":
      return tablesIn(about, baseName).map(createTable).join("\n");
    case "md":
      return `# ${title}\n\n${asSentence(`Written by the rehearsal model: ${topic}`)}\n`;
    case "json":
      return `${JSON.stringify({ about: topic }, null, 2)}\n`;
    default:
      return `${commentMarks[kind.toLowerCase()] ?? ""}${asSentence(topic)}\n`;
  }
}

const commentMarks: Readonly<Record<string, string>> = { js: "// ", ts: "// ", py: "# ", sh: "# " };

/** `a users table and an orders table`. Where none is named, the table is named after the file. */
function tablesIn(about: string, baseName: string): string[] {
  const named = [...about.matchAll(/\b([a-z_]\w*)\s+tables?\b/gi)].map(([, name = ""]) => name);
  return named.length > 0 ? named : [baseName.replace(/\W/g, "_")];
}

function createTable(name: string): string {
  const isOfPeople = /user|person|people|customer|member|account|author/i.test(name);
  const columns = [
    "id INTEGER PRIMARY KEY",
    "name TEXT NOT NULL",
    ...(isOfPeople ? ["email TEXT NOT NULL UNIQUE"] : []),
    "created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP",
  ];
  return `CREATE TABLE ${name.toLowerCase()} (\n  ${columns.join(",\n  ")}\n);\n`;
}
