// A mail server for measurements: accepts every email and discards it. Parameters as JSON: `roundTrip` (milliseconds by which each reply is delayed)
// and `pipelining`. Tells its parent each time when `wanted` more emails have come, and how many connections were opened and were open at most.
import { createServer } from 'node:net';

const { roundTrip, pipelining, wanted } = JSON.parse(process.argv[2]);
const hello = ['250-sink', ...(pipelining ? ['250-PIPELINING'] : []), '250 8BITMIME'].join('\r\n');
let taken = 0;
let [open, most, connections] = [0, 0, 0];

function reply(socket, text) {
  if (roundTrip === 0) socket.write(`${text}\r\n`);
  else setTimeout(() => socket.writable && socket.write(`${text}\r\n`), roundTrip);
}

function take(socket) {
  taken += 1;
  reply(socket, '250 taken');
  if (taken % wanted === 0) process.send({ most, connections });
}

const server = createServer((socket) => {
  connections += 1;
  most = Math.max(most, (open += 1));
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('close', () => (open -= 1));
  reply(socket, '220 sink');
  let rest = '';
  let inData = false;
  socket.setEncoding('latin1').on('data', (chunk) => {
    rest += chunk;
    for (;;) {
      const mark = inData ? '\r\n.\r\n' : '\r\n';
      const at = rest.indexOf(mark);
      if (at < 0) return;
      const line = rest.slice(0, at);
      rest = rest.slice(at + mark.length);
      if (inData) {
        inData = false;
        take(socket);
      } else if (line.startsWith('DATA')) {
        inData = true;
        reply(socket, '354 go on');
      } else if (line.startsWith('QUIT')) {
        reply(socket, '221 bye');
        setTimeout(() => socket.end(), roundTrip);
      } else reply(socket, line.startsWith('EHLO') ? hello : '250 ok');
    }
  });
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
