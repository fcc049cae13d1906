import { lstatSync } from "node:fs";
import { hashOf, readContent } from "../lib/content-file.ts";
import { locationOf } from "../lib/file-path.ts";
import { ensurePrivateDirectory, listNames, removeFile, replaceFile } from "../lib/files.ts";
import { type ImageType, imageLimits } from "../lib/image.ts";
import { OwnDirectory } from "../lib/own-directory.ts";
import type { ImageReference } from "../protocol/message.ts";
import type { ModelImage } from "../protocol/transcript.ts";

/** An image that can be sent. */
export interface CheckedImage {
  readonly type: ImageType;
  readonly content: Buffer;
}

/**
 * The images of messages, each in a file that is named after its hash. A member that is shown one has
 * a copy in its transcript, so that the oldest files may be removed.
 */
export class ImageFiles {
  readonly #directory: string;
  readonly #maxBytes: number;

  constructor(directory: string, { maxBytes = 256 * 1024 * 1024 }: { maxBytes?: number } = {}) {
    this.#directory = directory;
    this.#maxBytes = maxBytes;
  }

  /** When it resolves, a message can refer to them. */
  async keep(images: readonly CheckedImage[]): Promise<ImageReference[]> {
    await ensurePrivateDirectory(this.#directory);
    using held = OwnDirectory.open(this.#directory);
    await this.#makeRoom(
      held,
      images.reduce((sum, { content }) => sum + content.length, 0),
    );
    const kept: ImageReference[] = [];
    for (const { type, content } of images) {
      const sha256 = hashOf(content);
      // Also where it is there already: it is the newest again, and whole.
      await replaceFile(held.to(sha256), content);
      kept.push({ media_type: type, sha256, bytes: content.length });
    }
    return kept;
  }

  /** The image, as a model is shown it; undefined where its file was removed or changed. */
  read({ media_type, sha256 }: ImageReference): ModelImage | undefined {
    const content = readContent(this.#directory, sha256, imageLimits.bytes);
    return content && { media_type, data: content.toString("base64") };
  }

  async #makeRoom(held: OwnDirectory, coming: number): Promise<void> {
    const files = (await listNames(held.to())).flatMap((name) => {
      const found = lstatSync(locationOf(held.to(name)), { throwIfNoEntry: false });
      return found?.isFile() ? [{ name, size: found.size, mtimeMs: found.mtimeMs }] : [];
    });
    let total = coming + files.reduce((sum, { size }) => sum + size, 0);
    for (const { name, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs)) {
      if (total <= this.#maxBytes) return;
      await removeFile(held.to(name));
      total -= size;
    }
  }
}
