/** A mail server that says exactly what a test wants, for what no honest server says. Keeps what it was asked. */
import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

interface Asked {
  /** Which connection, from 0. */
  readonly connection: number;
  /** The first word of a command; `.` for the end of a message. */
  readonly command: string;
  readonly line: string;
}

/** The reply to a command; undefined: none. */
export type Script = (asked: Asked, socket: Socket) => string | undefined;

const usual: Readonly<Record<string, string>> = {
  HELLO: '220 scripted',
  EHLO: '250-scripted\r\n250 PIPELINING',
  DATA: '354 go on',
  '.': '250 taken',
  QUIT: '221 bye',
};

/** What an ordinary server replies. */
export const usually = ({ command }: Asked): string => usual[command] ?? '250 ok';

/** Until the test is over. `HELLO` stands for the greeting. */
export async function startScriptedSmtp(script: Script) {
  const asked: Asked[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let mostOpen = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    const connection = connections++;
    sockets.add(socket);
    mostOpen = Math.max(mostOpen, sockets.size);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let rest = '';
    let inData = false;
    const answer = (command: string, line: string): void => {
      const question = { connection, command, line };
      if (command !== 'HELLO') asked.push(question);
      const reply = script(question, socket);
      if (reply !== undefined && socket.writable) socket.write(`${reply}\r\n`);
      inData = command === 'DATA' && reply?.startsWith('354') === true;
      // An empty message is the dot alone.
      if (inData) rest = `\r\n${rest}`;
      if (command === 'QUIT') socket.end();
    };
    answer('HELLO', '');
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      rest += chunk;
      for (;;) {
        const end = inData ? '\r\n.\r\n' : '\r\n';
        const at = rest.indexOf(end);
        if (at < 0) return;
        const line = rest.slice(0, at);
        rest = rest.slice(at + end.length);
        answer(inData ? '.' : (/^\w+/.exec(line)?.[0] ?? ''), line);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    asked,
    /** The commands of one connection. */
    commandsOf: (connection: number) =>
      asked.filter((each) => each.connection === connection).map(({ command }) => command),
    connections: () => connections,
    open: () => sockets.size,
    mostOpen: () => mostOpen,
    breakAll: () => sockets.forEach((socket) => socket.destroy()),
  };
}
