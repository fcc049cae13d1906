import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";

const Manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});
type Manifest = z.infer<typeof Manifest>;

interface Published {
  manifest: Manifest;
  /** Makes the content when it is first asked for. */
  tarball: () => Promise<Uint8Array>;
}

/**
 * An npm registry on this machine with a few packages. With it, package managers install as users
 * do, by name from a registry, but without a network and without a publication.
 */
export class LocalRegistry implements AsyncDisposable {
  readonly #packages = new Map<string, Published>();
  readonly #server = createServer(({ url = "/" }, response) => {
    void this.#answer(decodeURIComponent(url)).then(
      (answer) => {
        response.writeHead(answer ? 200 : 404, { "content-type": answer?.type ?? "text/plain" });
        response.end(answer?.body);
      },
      (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
    );
  });

  static async start(): Promise<LocalRegistry> {
    const registry = new LocalRegistry();
    registry.#server.listen(0, "127.0.0.1");
    await once(registry.#server, "listening");
    return registry;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/`;
  }

  /** Adds what `npm pack` has made. */
  async addTarball(path: string): Promise<void> {
    const read = ["-xzOf", path, "package/package.json"];
    const { stdout } = await promisify(execFile)("tar", read);
    const manifest = Manifest.parse(JSON.parse(stdout));
    this.#packages.set(manifest.name, { manifest, tarball: () => readFile(path) });
  }

  /** Adds a package that is installed in a directory. */
  async addInstalled(directory: string): Promise<void> {
    const manifest = Manifest.parse(
      JSON.parse(await readFile(join(directory, "package.json"), "utf8")),
    );
    let tarball: Promise<Uint8Array> | undefined;
    const pack = () => {
      tarball ??= tarballOf(directory);
      return tarball;
    };
    this.#packages.set(manifest.name, { manifest, tarball: pack });
  }

  /** Adds a package that nobody will ask for the content of, such as one for another platform. */
  addManifest(manifest: unknown): void {
    const parsed = Manifest.parse(manifest);
    this.#packages.set(parsed.name, { manifest: parsed, tarball: async () => new Uint8Array() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #answer(path: string): Promise<{ type: string; body: string | Uint8Array } | undefined> {
    const [name = "", file] = path.slice(1).split("/-/");
    const found = this.#packages.get(name);
    if (!found) return undefined;
    const tarball = await found.tarball();
    if (file) return { type: "application/octet-stream", body: tarball };
    const document = this.#document(found.manifest, tarball);
    return { type: "application/json", body: JSON.stringify(document) };
  }

  #document(manifest: Manifest, tarball: Uint8Array) {
    const { name, version } = manifest;
    const dist = {
      tarball: `${this.url}${name}/-/${basename(name)}-${version}.tgz`,
      integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
      shasum: createHash("sha1").update(tarball).digest("hex"),
    };
    return {
      name,
      "dist-tags": { latest: version },
      versions: { [version]: { ...manifest, dist } },
      // Package managers distrust what was published in the last days.
      time: { [version]: "2026-01-01T00:00:00.000Z" },
    };
  }
}

/** Package managers remove the first directory of every path, whatever it is called. */
async function tarballOf(directory: string): Promise<Uint8Array> {
  const pack = ["-czf", "-", "-C", dirname(directory), basename(directory)];
  const options = { encoding: "buffer", maxBuffer: 2 ** 28 } as const;
  return (await promisify(execFile)("tar", pack, options)).stdout;
}
