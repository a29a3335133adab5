/** Sends one request and notes what came of it; a connection that breaks is no error here. */
import http from 'node:http';

export function createClient({ url, key, journal, sockets }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: sockets });

  function send(operation) {
    const entry = journal.begin(operation);
    const payload = operation.body === undefined ? undefined : Buffer.from(JSON.stringify(operation.body));
    const headers = {
      authorization: `Bearer ${key}`,
      'x-request-id': entry.id,
      ...(payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': payload.length }),
      ...operation.headers,
    };
    return new Promise((resolve) => {
      const options = { host: url.hostname, port: url.port, agent, method: operation.method, headers };
      const request = http.request({ ...options, path: operation.path }, (incoming) => {
        const chunks = [];
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.on('error', () => resolve(entry));
        incoming.on('end', () => {
          if (!incoming.complete) return resolve(entry);
          const text = Buffer.concat(chunks).toString('utf8');
          journal.answer(entry, { status: incoming.statusCode, headers: incoming.headers, body: JSON.parse(text) });
          resolve(entry);
        });
        // Cut off half-way: neither `end` nor always `error`. Resolving twice does nothing.
        incoming.on('close', () => resolve(entry));
      });
      request.on('error', () => resolve(entry));
      request.end(payload);
    });
  }

  return { send, close: () => agent.destroy() };
}
