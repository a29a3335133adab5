/** The requests of the load: each as its method, path and body, and what the checks need to know of it. */
const post = (path, body) => ({ method: 'POST', path, body });
const get = (path) => ({ method: 'GET', path });

export const named = {
  create: (noun, name) => ({ kind: 'create', noun, name, ...post(`/v1/${noun}s/create`, { [`${noun}_name`]: name }) }),
  rename: (noun, target, name) => ({
    kind: 'rename',
    noun,
    target,
    name,
    ...post(`/v1/${noun}s/${target}/update`, { [`${noun}_name`]: name }),
  }),
  remove: (noun, target) => ({ kind: 'delete', noun, target, method: 'DELETE', path: `/v1/${noun}s/${target}/delete` }),
  get: (noun, target) => ({ kind: 'get.named', noun, target, ...get(`/v1/${noun}s/${target}`) }),
};

export const contact = {
  create: (list, { email, status, profile }) => ({
    kind: 'contact.create',
    list,
    email,
    contactStatus: status,
    profile,
    ...post(`/v1/contacts/${list}/create`, { email, status, ...profile }),
  }),
  upsert: (list, { email, status, profile, tagNames }) => ({
    kind: 'contact.upsert',
    list,
    email,
    contactStatus: status,
    profile,
    tagNames,
    ...post(`/v1/contacts/${list}/upsertcontact`, { email, status, data: profile, tag_name: tagNames }),
  }),
  status: (list, email, status) => ({
    kind: 'contact.status',
    list,
    email,
    contactStatus: status,
    ...post(`/v1/contacts/${list}/updatestatus`, { contact_email: email, status }),
  }),
  tag: (list, email, tagNames) => tagging('contact.tag', 'add', { list, email, tagNames }),
  untag: (list, email, tagNames) => tagging('contact.untag', 'remove', { list, email, tagNames }),
  get: (email) => ({ kind: 'get.contact', email, ...get(`/v1/contacts?email=${encodeURIComponent(email)}`) }),
  page: (list, cursor) => ({
    kind: 'get.page',
    list,
    ...get(`/v1/contacts/${list}?limit=200${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`),
  }),
};

const tagging = (kind, action, { list, email, tagNames }) => ({
  kind,
  list,
  email,
  tagNames,
  ...post(`/v1/contacts/tags/${list}/${action}`, { contact_email: email, tag_name: tagNames }),
});

export const email = {
  send: (message, key) => ({
    kind: 'email.send',
    mail: message,
    key,
    ...post('/v1/email/send', message),
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  }),
  get: (target) => ({ kind: 'get.email', target, ...get(`/v1/email/${target}`) }),
};
