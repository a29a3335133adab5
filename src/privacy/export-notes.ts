/** What an export says beside what it found: where it did not look, and what stays when the person is erased. As docs/privacy.md has it. */

export const notSearched: readonly string[] = [
  'The address as that of a sender: it stands in e-mails to others, which are found by their recipients only.',
  'What others wrote about the person: in an e-mail to somebody else, in the name of a group, list or tag, in the id of a request.',
  'What has left the service: delivered e-mails, exported files, copies and backups, logs of proxies and mail servers.',
];

export const keptAfterErasure: readonly { readonly what: string; readonly why: string }[] = [
  {
    what: 'A pseudonym of the address: a hash under a key that the operator has. It names the streams of events. Who has the key and knows the address can find them again, so what stays is pseudonymised personal data, and not anonymous.',
    why: 'So that the same erasure is not forgotten when a backup is put back, and that a repeated request is recognised.',
  },
  {
    what: 'That something happened to this pseudonym, and when: the events without what they said about the person. In its place stands a digest (SHA-256 with a random salt that is erased, too), from which nothing can be computed back.',
    why: 'The record is a chain in which each event confirms the one before. An event that was taken out whole would break the proofs of everybody else.',
  },
  {
    what: 'Which lists the pseudonym was in and which tags it bore, and how e-mails ended: ids of the contact, of e-mails, lists and tags, the names of lists and tags, which may tell something by themselves, the ids of requests and of the API keys that made them, reply codes of mail servers, keyed hashes of what was requested, and counts.',
    why: 'They say how lists grew and who did what.',
  },
  {
    what: 'The register of erasures, with the reason as a code, and the record of who looked: under the pseudonym, with times.',
    why: 'They prove that the erasure was carried out, and who had read what before.',
  },
];
