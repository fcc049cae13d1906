import { z } from "zod";
import { answer } from "./files/answer.ts";
import { byteOrderMark } from "./files/content.ts";
import { changeFile, type FileAccess } from "./files/guarded-change.ts";
import { hasOnlyCrlf, toCrlf } from "./files/line-endings.ts";
import { defineTool, type Tool } from "./tool.ts";

const WriteFileInput = z.object({ path: z.string(), content: z.string() });

export function writeFileTool(access: FileAccess): Tool {
  return defineTool({
    name: "write_file",
    description: "Write a whole file, making folders. An existing file must have been read first.",
    input: WriteFileInput,
    action: ({ path }) => ({ type: "write", path }),
    run: ({ path, content: text }) =>
      answer(path, () =>
        changeFile(access, {
          path,
          makesDirectories: true,
          compose(current) {
            const content = Buffer.from(keepForm(current, text));
            return { content, report: `Wrote ${content.length} bytes to ${path}` };
          },
        }),
      ),
  });
}

/**
 * Keeps the byte order mark and CRLF of a file: a model is not shown the one, and does not write
 * the other.
 */
function keepForm(current: Buffer | undefined, text: string): string {
  const old = current?.toString("utf8") ?? "";
  const isMarkLost = old.startsWith(byteOrderMark) && !text.startsWith(byteOrderMark);
  const lines = hasOnlyCrlf(old) && !text.includes("\r\n") ? toCrlf(text) : text;
  return isMarkLost ? byteOrderMark + lines : lines;
}
