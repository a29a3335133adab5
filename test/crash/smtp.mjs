/** A real SMTP server on loopback that counts what it accepted, by Message-ID. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';

export async function startSmtp(random) {
  /** By e-mail id: every copy that was answered with 250. */
  const accepted = new Map();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onData(stream, session, callback) {
      take(stream, session).then(() => callback(null), callback);
    },
  });

  async function take(stream, { envelope }) {
    const bytes = await buffer(stream);
    // Time for a kill between the final dot and the recorded 250.
    await sleep(random.between(0, 40));
    const header = bytes.subarray(0, bytes.indexOf('\r\n\r\n')).toString('latin1');
    const id = /^Message-ID: <([^@>]+)@/im.exec(header)?.[1] ?? '(none)';
    const copies = accepted.get(id) ?? [];
    copies.push({
      digest: createHash('sha256').update(bytes).digest('hex'),
      subject: /^Subject: (.*)$/im.exec(header)?.[1],
      to: envelope.rcptTo.map(({ address }) => address),
    });
    accepted.set(id, copies);
  }

  // Connections that a kill cut off.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    url: `smtp://127.0.0.1:${server.server.address().port}`,
    accepted,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
