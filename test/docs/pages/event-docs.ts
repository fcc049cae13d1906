import { readFileSync } from "node:fs";
import ts from "typescript";

/** What the doc comments of an event's interface say. */
export interface EventDocs {
  readonly meaning: string;
  readonly fields: ReadonlyMap<string, string>;
}

/** The doc comments of all events, by their type. */
export function eventDocs(path = "src/protocol/events.ts"): Map<string, EventDocs> {
  const { statements } = parse(path);
  return new Map(
    statements.filter(ts.isInterfaceDeclaration).flatMap((event) => {
      const fields = event.members.filter(ts.isPropertySignature);
      const type = fields.find(({ name }) => nameOf(name) === "type")?.type;
      const literal = type && ts.isLiteralTypeNode(type) ? type.literal : undefined;
      if (!literal || !ts.isStringLiteral(literal)) return [];
      const texts = fields.map((field) => [nameOf(field.name), docOf(field)] as const);
      return [[literal.text, { meaning: docOf(event), fields: new Map(texts) }] as const];
    }),
  );
}

function parse(path: string): ts.SourceFile {
  return ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
}

function nameOf(name: ts.PropertyName): string {
  return ts.isIdentifier(name) ? name.text : "";
}

function docOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return (ts.getTextOfJSDocComment(doc?.comment) ?? "").replace(/\s+/g, " ");
}
