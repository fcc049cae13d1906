/**
 * The view in the main part of the page. It is after the `#` of the address, so that it can be
 * linked to.
 */
export type Route =
  | { view: "room" }
  | { view: "messages"; member: string | null }
  | { view: "tasks" }
  | { view: "cost" }
  | { view: "permissions" }
  | { view: "changes" }
  | { view: "member"; name: string };

export function routeOf(hash: string): Route {
  const [view, name] = hash.replace(/^#\/?/, "").split("/").map(decoded);
  switch (view) {
    case "messages":
      return { view, member: name || null };
    case "tasks":
    case "cost":
    case "permissions":
    case "changes":
      return { view };
    case "members":
      return name ? { view: "member", name } : { view: "room" };
    default:
      return { view: "room" };
  }
}

export function hashOf(route: Route): string {
  switch (route.view) {
    case "room":
      return "#/";
    case "messages":
      return route.member ? `#/messages/${encodeURIComponent(route.member)}` : "#/messages";
    case "tasks":
    case "cost":
    case "permissions":
    case "changes":
      return `#/${route.view}`;
    case "member":
      return `#/members/${encodeURIComponent(route.name)}`;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A malformed address: it names no member.
    return "";
  }
}
