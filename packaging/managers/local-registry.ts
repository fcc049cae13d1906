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

/** A package to serve: its manifest, and its content if somebody may want to have it. */
interface Published {
  manifest: Manifest;
  tarball?: Uint8Array;
}

/**
 * An npm registry on this machine with a few packages. With it, package managers install as users
 * do, by name from a registry, but without a network and without a publication.
 */
export class LocalRegistry implements AsyncDisposable {
  readonly #packages = new Map<string, Published>();
  readonly #server = createServer(({ url = "/" }, response) => {
    const answer = this.#answer(decodeURIComponent(url));
    response.writeHead(answer ? 200 : 404, { "content-type": answer?.type ?? "text/plain" });
    response.end(answer?.body);
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
    this.#packages.set(manifest.name, { manifest, tarball: await readFile(path) });
  }

  /** Adds a package that is installed in a directory. */
  async addInstalled(directory: string): Promise<void> {
    const manifest = Manifest.parse(
      JSON.parse(await readFile(join(directory, "package.json"), "utf8")),
    );
    const pack = ["-czf", "-", "-C", dirname(directory), basename(directory)];
    const options = { encoding: "buffer", maxBuffer: 2 ** 28 } as const;
    const { stdout } = await promisify(execFile)("tar", pack, options);
    this.#packages.set(manifest.name, { manifest, tarball: stdout });
  }

  /** Adds a package that nobody will ask for the content of, such as one for another platform. */
  addManifest(manifest: unknown): void {
    const parsed = Manifest.parse(manifest);
    this.#packages.set(parsed.name, { manifest: parsed });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  #answer(path: string): { type: string; body: string | Uint8Array } | undefined {
    const [name = "", file] = path.slice(1).split("/-/");
    const found = this.#packages.get(name);
    if (!found) return undefined;
    if (!file) return { type: "application/json", body: JSON.stringify(this.#document(found)) };
    return found.tarball && { type: "application/octet-stream", body: found.tarball };
  }

  #document({ manifest, tarball = new Uint8Array() }: Published) {
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
