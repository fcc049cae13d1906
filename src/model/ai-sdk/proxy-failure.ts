/** Why a proxy did not connect a request. Its text is for the person. */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";
  /** `refused`: it answered, and will not connect. `unreachable`: it may work later. */
  readonly code: "PROXY_REFUSED" | "PROXY_CREDENTIALS" | "PROXY_UNREACHABLE";

  constructor(code: ProxyFailure["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** The failure for the status with which the proxy at `place` answered. */
export function proxyRefusal(place: string, status: number): ProxyFailure {
  if (status === 407) {
    return new ProxyFailure(
      "PROXY_CREDENTIALS",
      `the proxy ${place} wants other credentials (407)`,
    );
  }
  const isTemporary = status >= 500;
  return new ProxyFailure(
    isTemporary ? "PROXY_UNREACHABLE" : "PROXY_REFUSED",
    `the proxy ${place} ${isTemporary ? "cannot connect" : "refuses to connect"} (${status})`,
  );
}
