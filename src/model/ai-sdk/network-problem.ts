import type { FailureKind } from "../model-failure.ts";

/** Why a request got no answer, and what to do. */
interface NetworkProblem {
  readonly kind: FailureKind;
  /** Node's, OpenSSL's or `ProxyFailure`'s code; empty if there is none. */
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

export function networkProblem(error: unknown): NetworkProblem {
  const code = codeOf(error);
  return { ...adviceFor(code), code, message: messageOf(error) };
}

/** Codes of OpenSSL for a certificate that Node does not accept. */
const certificateCode = /CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|HOSTNAME_MISMATCH/;

/** True if a request failed on its way, also where other code than ours sent it. */
export function isNetworkError(error: unknown): boolean {
  const code = codeOf(error);
  return networkCode.test(code) || certificateCode.test(code);
}

const networkCode = /^(PROXY_|ECONN|ENOTFOUND$|EAI_|ETIMEDOUT$|EPIPE$|E(HOST|NET)UNREACH$)/;

function adviceFor(code: string): Pick<NetworkProblem, "kind" | "hint"> {
  if (certificateCode.test(code)) {
    const hint =
      "If your network has its own certificate authority, set SSL_CERT_FILE to the file with its certificate.";
    return { kind: "untrusted", hint };
  }
  if (code === "PROXY_CREDENTIALS") {
    const hint =
      "Put your name and password for the proxy into its address, before the host and an @.";
    return { kind: "proxy-refused", hint };
  }
  if (code === "PROXY_REFUSED") {
    const hint = "Ask who runs the proxy to allow this host, or add the host to NO_PROXY.";
    return { kind: "proxy-refused", hint };
  }
  if (code === "PROXY_UNREACHABLE") {
    const hint =
      "Check the address in HTTPS_PROXY or HTTP_PROXY; hosts that need no proxy, such as localhost, belong in NO_PROXY.";
    return { kind: "unreachable", hint };
  }
  if (code === "ECONNREFUSED") {
    return { kind: "unreachable", hint: "Check that a server is running there, and the base URL." };
  }
  if (code === "ENOTFOUND") {
    return { kind: "unreachable", hint: "Check the host in the base URL, and your network." };
  }
  return { kind: "network", hint: "Check the network, and the base URL if you have set one." };
}

/** The innermost message: the outer ones only say that a request has failed. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A host with several addresses fails with one error for each.
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  return error.cause instanceof Error ? messageOf(error.cause) : error.message;
}

/** The code of the error that `messageOf` shows; empty if there is none. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  if (error.cause instanceof Error) return codeOf(error.cause);
  return "code" in error ? String(error.code) : "";
}
