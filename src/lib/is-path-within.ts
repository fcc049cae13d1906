/** True for a path that leads from a directory to something in it, and neither to git's own files nor out of it. */
export function isPathWithin(path: string): boolean {
  const parts = path.split("/");
  return parts.every((part) => part !== "" && part !== "." && part !== ".." && part !== ".git");
}
