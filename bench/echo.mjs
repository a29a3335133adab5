// The yardstick: a bare Express 5 that parses JSON and sends it back. Prints its port.
import express from 'express';

const app = express();
app.use(express.json());
app.post('/echo', (request, response) => {
  response.json(request.body);
});
const server = app.listen(0, '127.0.0.1', () => {
  process.send({ port: server.address().port });
});
