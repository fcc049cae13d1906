import type { Rolldown } from "tsdown";
import ts from "typescript";

/**
 * Leaves the schemas out of the package's types. A schema has the name of its type, so that the
 * bundler, which knows names only, would add Zod's types wherever that type is used.
 */
export function withoutSchemas(): Rolldown.Plugin {
  return {
    name: "without-schemas",
    transform: {
      order: "pre",
      filter: { id: /\/src\/.*\.d\.ts$/ },
      handler: (code, id) => ({ code: removeSchemas(id, code), map: null }),
    },
  };
}

function removeSchemas(name: string, code: string): string {
  const { statements } = ts.createSourceFile(name, code, ts.ScriptTarget.Latest);
  const schemas = statements.filter((each) => isSchema(each));
  return schemas.reduceRight((text, { pos, end }) => text.slice(0, pos) + text.slice(end), code);
}

function isSchema(statement: ts.Statement): boolean {
  if (!ts.isVariableStatement(statement)) return false;
  return statement.declarationList.declarations.some(
    ({ type }) =>
      type !== undefined &&
      ts.isTypeReferenceNode(type) &&
      ts.isQualifiedName(type.typeName) &&
      ts.isIdentifier(type.typeName.left) &&
      type.typeName.left.text === "z",
  );
}
