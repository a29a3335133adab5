/** The security headers of every answer, as helmet makes them: computed once, because as middleware helmet costs a seventh of the throughput. */
import { ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/** Name and value, alternating. The policy is that of an API: nothing may be loaded, framed or cached, but for what `allowed` says. Headers that only tell a browser how to treat a page are left out. */
export function securityHeaders(allowed: Readonly<Record<string, string[]>> = {}): readonly string[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const protect = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], ...allowed },
    },
    // Only an answer over TLS has it.
    strictTransportSecurity: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  let failure: unknown;
  protect(request, response, (error) => {
    failure = error;
  });
  if (failure !== undefined) throw new Error('helmet refused its options', { cause: failure });
  const headers = Object.entries(response.getHeaders()).flatMap(([name, value]) => [name, String(value)]);
  return [...headers, 'cache-control', 'no-store'];
}
