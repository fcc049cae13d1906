import { z } from "zod";
import { firstCharacters } from "../lib/cut-text.ts";
import { maxWholeBytes } from "../workspace/regular-file.ts";
import { answer } from "./files/answer.ts";
import { decodeText } from "./files/content.ts";
import { type Change, changeFile, type FileAccess } from "./files/guarded-change.ts";
import { toCrlf } from "./files/line-endings.ts";
import { defineTool, failure, type Tool } from "./tool.ts";

const EditFileInput = z.object({
  path: z.string(),
  old_text: z.string(),
  new_text: z.string(),
  replace_all: z.boolean().describe("Every occurrence").optional(),
});

type FileEdit = z.infer<typeof EditFileInput>;

export function editFileTool(access: FileAccess): Tool {
  return defineTool({
    name: "edit_file",
    description: "Replace a literal text in a file that was read. It must occur once.",
    input: EditFileInput,
    action: ({ path }) => ({ type: "write", path }),
    run: (edit) =>
      answer(edit.path, async () => {
        const { path } = edit;
        if (edit.old_text === "") {
          return failure("Error: old_text is empty. Give the text to replace, or use write_file.");
        }
        if (edit.old_text === edit.new_text) {
          return failure("Error: old_text and new_text are the same. Nothing would change.");
        }
        const compose = (current: Buffer | undefined) => applyEdit(edit, current);
        return changeFile(access, { path, makesDirectories: false, compose });
      }),
  });
}

function applyEdit({ path, replace_all, ...edit }: FileEdit, current: Buffer | undefined): Change {
  if (!current) return { refusal: `Error: ${path} does not exist. Make it with write_file.` };
  const text = decodeText(current);
  if (text === undefined) {
    return { refusal: `Error: ${path} is not UTF-8 text. Change it with a command.` };
  }
  const { oldText, newText } = withEndingsOf(text, edit);
  const parts = text.split(oldText);
  const count = parts.length - 1;
  if (count === 0) {
    return { refusal: `Error: Text not found in ${path}${nearMiss(text, edit.old_text)}` };
  }
  if (count > 1 && !replace_all) {
    return {
      refusal: `Error: The text occurs ${count} times in ${path}. Give more of what is around it, or set replace_all.`,
    };
  }
  if (text.length + count * (newText.length - oldText.length) > maxWholeBytes) {
    return { refusal: `Error: ${path} would become larger than ${maxWholeBytes} bytes.` };
  }
  const report = `Edited ${path}${count > 1 ? `\n${count} places` : ""}`;
  return { content: Buffer.from(parts.join(newText)), report };
}

/**
 * A model writes LF; if the file has CRLF, that is what the model means, and what must be written.
 */
function withEndingsOf(
  text: string,
  { old_text: oldText, new_text: newText }: Pick<FileEdit, "old_text" | "new_text">,
): { oldText: string; newText: string } {
  const withReturns = { oldText: toCrlf(oldText), newText: toCrlf(newText) };
  const isCrlfFile = count(text, "\r\n") * 2 > count(text, "\n");
  if (isCrlfFile && text.includes(withReturns.oldText)) return withReturns;
  return text.includes(oldText) ? { oldText, newText } : withReturns;
}

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

const maxShownCharacters = 1000;
const maxStarts = 1000;

/**
 * The text after "Text not found": a second line with the place of almost the same text, or
 * nothing. A model that has only the spaces wrong should not have to read the file again.
 */
function nearMiss(text: string, wanted: string): string {
  const lines = text.split(/\r?\n/);
  const wantedLines = wanted.trim().split(/\r?\n/).map(squeeze);
  const squeezed = lines.map(squeeze);
  const [first = ""] = wantedLines;
  const starts = squeezed
    .flatMap((line, index) => (first !== "" && line === first ? index : []))
    .slice(0, maxStarts);
  const match = starts.find((start) =>
    wantedLines.every((line, index) => squeezed[start + index] === line),
  );
  if (match !== undefined) {
    const found = lines.slice(match, match + wantedLines.length).join("\n");
    return `\nLine ${match + 1} has it with other spaces: ${firstCharacters(found, maxShownCharacters)}`;
  }
  const [start] = starts;
  if (start === undefined) return "\nRead the file again for what it really says.";
  const differing = wantedLines.findIndex((line, index) => squeezed[start + index] !== line);
  return `\nLine ${start + 1} begins like it; line ${start + differing + 1} differs: ${firstCharacters(lines[start + differing] ?? "", maxShownCharacters)}`;
}

function squeeze(line: string): string {
  return line.trim().replace(/\s+/g, " ");
}
