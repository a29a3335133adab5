/** Bodies whose clients have gone before they are read. */
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { readBody, readLines, RequestAbortedError } from '../../src/api/http/body.js';

test('a body whose client went away before it was asked for is given up', async () => {
  const request = new IncomingMessage(new Socket());
  request.headers = { 'content-length': '10' };
  request.destroy();
  await once(request, 'close');
  await expect(readLines(request, 100)).rejects.toThrow(RequestAbortedError);
  await expect(readBody(request, { limit: 100, expected: true })).rejects.toThrow(RequestAbortedError);
});
