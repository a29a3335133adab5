// The load, in a process of its own: keep-alive connections over plain sockets, one request in flight on each, so that the client costs as little as a client can.
import net from 'node:net';
import { requestsOf } from './scenarios.mjs';

process.on('message', (job) => {
  run(job).then((result) => process.send(result));
});

/**
 * job: { port, scenario, parameters, connections, milliseconds or requests (how many), isCollecting } →
 * { requests, failures, seconds, p50, p99, readP99 (of the GETs; milliseconds), sample (a failed answer), ids (the contact_id of each answer, if it is collecting) }
 */
async function run({
  port,
  scenario,
  parameters,
  connections,
  milliseconds = Infinity,
  requests = Infinity,
  isCollecting,
}) {
  const next = requestsOf(scenario, parameters);
  const ids = [];
  let sent = 0;
  const latencies = [];
  const reads = [];
  let failures = 0;
  let sample;
  const begun = performance.now();
  const ends = begun + milliseconds;

  const connection = () =>
    new Promise((resolve) => {
      let socket;
      let started = 0;
      let isRead = false;
      let received = '';
      const end = () => {
        socket.destroy();
        resolve();
      };
      const send = () => {
        if (sent >= requests) return end();
        sent += 1;
        const request = next();
        isRead = request.startsWith('GET');
        started = performance.now();
        socket.write(request);
      };
      const connect = () => {
        socket = net.connect(port, '127.0.0.1', send);
        socket.setNoDelay(true);
        socket.setEncoding('latin1');
        socket.on('data', read);
        socket.on('error', (error) => {
          failures += 1;
          sample ??= String(error);
          resolve();
        });
      };
      const read = (chunk) => {
        received += chunk;
        const head = received.indexOf('\r\n\r\n');
        if (head < 0) return;
        const from = received.indexOf('Content-Length: ');
        const length = Number(received.slice(from + 16, received.indexOf('\r', from)));
        if (received.length < head + 4 + length) return;
        const now = performance.now();
        latencies.push(now - started);
        if (isRead) reads.push(now - started);
        if (!received.startsWith('HTTP/1.1 200')) {
          failures += 1;
          sample ??= received;
        } else if (isCollecting) ids.push(JSON.parse(received.slice(head + 4)).data.contact_id);
        const closes = received.lastIndexOf('Connection: close', head) > 0;
        received = '';
        if (now >= ends) end();
        else if (closes) {
          socket.destroy();
          connect();
        } else send();
      };
      connect();
    });

  await Promise.all(Array.from({ length: connections }, connection));
  const seconds = (performance.now() - begun) / 1000;
  const at = (times, share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  for (const times of [latencies, reads]) times.sort((a, b) => a - b);
  const [p50, p99, readP99] = [at(latencies, 0.5), at(latencies, 0.99), at(reads, 0.99)];
  return { requests: latencies.length, failures, sample, seconds, p50, p99, readP99, ids };
}
