import { fencesIn } from "./markdown-page.ts";

/** Languages of blocks that other tests compare, or that show what is printed. */
const otherLanguages = new Set(["sh", "bash", "console", "json", "text", "toml", "yaml"]);

/**
 * The blocks of a page that are code of a program and are in none of `programs`, each of which a test
 * runs. A block counts by its language, or by what it says; one that is indented is found too.
 */
export function unrunCode(text: string, programs: readonly string[]): string[] {
  const page = text.replaceAll(/^ +(?=```)/gm, "");
  return fencesIn(page)
    .filter(({ language, code }) => !otherLanguages.has(language) || saysProgram(code))
    .flatMap(({ language, code }) => (language === "" && !saysProgram(code) ? [] : parts(code)))
    .filter((part) => !programs.some((program) => isPartOf(part, program)));
}

function saysProgram(code: string): boolean {
  return /\bfrom "troupe|require\("troupe|\bimport\("troupe|\bTeam\.open\(|\bawait team\./.test(
    code,
  );
}

/** A block's imports stand alone: the program has them at its top. */
function parts(code: string): string[] {
  return code.split(/(?<=^import .*\n)\n/m);
}

function isPartOf(part: string, program: string): boolean {
  // A program may import more from there than the page needs.
  const isImport = /^import \{ (\w+) \} from ("[\w/]+");\n$/.exec(part);
  if (!isImport) return program.includes(part);
  const [, name, from] = isImport;
  return new RegExp(`^import \\{.*\\b${name}\\b.*\\} from ${from};$`, "m").test(program);
}
