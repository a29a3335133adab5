// The alternative that one would build: Express 5 on PostgreSQL with prepared statements. A create is one statement, so it is one transaction with PostgreSQL's default durability.
// An email is recorded before the answer, unless the address is suppressed, is sent through a pool of connections, and its outcome is recorded.
// argv: connection as JSON, port of the mail server. Sends its port.
import express from 'express';
import nodemailer from 'nodemailer';
import pg from 'pg';

// 4 to 12 connections were slower than 20 and 32, and 64 cost more CPU time.
const pool = new pg.Pool({ ...JSON.parse(process.argv[2]), max: 32 });
await pool.query(`
  CREATE TABLE lists (list_id text PRIMARY KEY, list_name text NOT NULL);
  CREATE TABLE contacts (
    contact_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email text NOT NULL UNIQUE,
    first_name text, last_name text, city text,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE subscriptions (
    contact_id bigint NOT NULL REFERENCES contacts,
    list_id text NOT NULL REFERENCES lists,
    status text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (list_id, contact_id)
  );
  CREATE TABLE suppressions (email text PRIMARY KEY, reason text NOT NULL);
  CREATE TABLE emails (
    email_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sender text NOT NULL, recipient text NOT NULL, subject text NOT NULL, html text NOT NULL,
    state text NOT NULL DEFAULT 'queued',
    requested_at timestamptz NOT NULL DEFAULT now(), sent_at timestamptz
  );
  INSERT INTO lists VALUES ('bench', 'Bench');
`);

const create = `
  WITH c AS (
    INSERT INTO contacts (email, first_name, last_name, city) VALUES ($1, $2, $3, $4) RETURNING contact_id
  )
  INSERT INTO subscriptions (contact_id, list_id, status) SELECT contact_id, $5, $6 FROM c RETURNING contact_id`;
const read = `
  SELECT c.*, s.list_id, l.list_name, s.status
    FROM contacts c JOIN subscriptions s USING (contact_id) JOIN lists l USING (list_id)
   WHERE c.contact_id = $1 AND s.list_id = $2`;
const queue = `
  INSERT INTO emails (sender, recipient, subject, html)
  SELECT $1, $2, $3, $4 WHERE NOT EXISTS (SELECT FROM suppressions WHERE email = $2) RETURNING email_id`;
const finish = 'UPDATE emails SET state = $2, sent_at = now() WHERE email_id = $1';

const [, , , mailPort, connections] = process.argv;
const transport = nodemailer.createTransport({
  ...{ host: '127.0.0.1', port: Number(mailPort), ignoreTLS: true },
  ...{ pool: true, maxConnections: Number(connections), maxMessages: Infinity },
});

const app = express().disable('etag').disable('x-powered-by').use(express.json());
app.post('/v1/contacts/:list_id/create', async (request, response) => {
  const { email, status, data = {} } = request.body;
  const values = [email.toLowerCase(), data.firstName, data.lastName, data.city, request.params.list_id, status];
  const { rows } = await pool.query({ name: 'create', text: create, values });
  response.json({ statusCode: 200, status: 'Success', data: { contact_id: rows[0].contact_id, email, status } });
});
app.get('/v1/contacts/:list_id/:contact_id', async (request, response) => {
  const { contact_id, list_id } = request.params;
  const { rows } = await pool.query({ name: 'read', text: read, values: [contact_id, list_id] });
  if (rows.length === 0) response.status(404).json({ statusCode: 404, status: 'Error', message: 'not found' });
  else response.json({ statusCode: 200, status: 'Success', data: rows[0] });
});
app.post('/v1/email/send', async (request, response) => {
  const { from_email: from, to_email: to, subject, mail_template: html } = request.body;
  const { rows } = await pool.query({ name: 'queue', text: queue, values: [from, to, subject, html] });
  if (rows.length === 0) return response.status(409).json({ statusCode: 409, status: 'Error', message: 'suppressed' });
  response.json({ statusCode: 200, status: 'Success', data: request.body });
  const sent = await transport.sendMail({ from, to, subject, html }).then(
    () => 'sent',
    () => 'failed',
  );
  await pool.query({ name: 'finish', text: finish, values: [rows[0].email_id, sent] });
});
process.on('message', async () => {
  await pool.query('VACUUM (ANALYZE)');
  await pool.query('CHECKPOINT');
  process.send({});
});
const server = app.listen(0, '127.0.0.1', () => {
  process.send({ port: server.address().port });
});
