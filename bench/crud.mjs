// What one would build instead: a plain Express 5 on PostgreSQL, two tables, one transaction for each create. argv: connection as JSON. Sends its port.
import express from 'express';
import pg from 'pg';

const pool = new pg.Pool({ ...JSON.parse(process.argv[2]), max: 20 });
await pool.query(`
  CREATE TABLE lists (list_id text PRIMARY KEY, list_name text NOT NULL);
  CREATE TABLE contacts (
    contact_id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    email text NOT NULL UNIQUE,
    first_name text, last_name text, city text,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE subscriptions (
    contact_id uuid NOT NULL REFERENCES contacts,
    list_id text NOT NULL REFERENCES lists,
    status text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (list_id, contact_id)
  );
  INSERT INTO lists VALUES ('bench', 'Bench');
`);

async function create(listId, { email, status, data = {} }) {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query(
      'INSERT INTO contacts (email, first_name, last_name, city) VALUES ($1, $2, $3, $4) RETURNING contact_id',
      [email.toLowerCase(), data.firstName, data.lastName, data.city],
    );
    await client.query('INSERT INTO subscriptions (contact_id, list_id, status) VALUES ($1, $2, $3)', [
      rows[0].contact_id,
      listId,
      status,
    ]);
    await client.query('COMMIT');
    return rows[0].contact_id;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

const app = express();
app.use(express.json());
app.post('/v1/contacts/:list_id/create', async (request, response) => {
  const { email, status } = request.body;
  const contact_id = await create(request.params.list_id, request.body);
  response.json({ statusCode: 200, status: 'Success', data: { contact_id, email, status } });
});
app.get('/v1/contacts/:list_id/:contact_id', async (request, response) => {
  const { rows } = await pool.query(
    `SELECT c.*, s.list_id, l.list_name, s.status
       FROM contacts c JOIN subscriptions s USING (contact_id) JOIN lists l USING (list_id)
      WHERE c.contact_id = $1 AND s.list_id = $2`,
    [request.params.contact_id, request.params.list_id],
  );
  if (rows.length === 0) response.status(404).json({ statusCode: 404, status: 'Error', message: 'not found' });
  else response.json({ statusCode: 200, status: 'Success', data: rows[0] });
});
const server = app.listen(0, '127.0.0.1', () => {
  process.send({ port: server.address().port });
});
