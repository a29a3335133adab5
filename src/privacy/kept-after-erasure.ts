/** What stays when a person is erased, and why: as docs/privacy.md has it. */
export const keptAfterErasure: readonly { readonly what: string; readonly why: string }[] = [
  {
    what: 'That something happened, and when: the events without what they said about the person. In its place stands a digest (SHA-256 with a random salt that is erased, too), from which nothing can be computed back.',
    why: 'The record is a chain in which each event confirms the one before. An event that was taken out whole would break the proofs of everybody else.',
  },
  {
    what: 'Which lists the pseudonym below was in and which tags it bore, and how e-mails ended: ids of the contact, of e-mails, lists and tags, the names of lists and tags, the ids of requests and of the API keys that made them, reply codes of mail servers, keyed hashes of what was requested, and counts.',
    why: 'They name nobody by themselves, and say how lists grew and who did what.',
  },
  {
    what: 'A pseudonym of the address: a hash under a key that only the operator has. It names the streams of events.',
    why: 'So that the same erasure is not forgotten when a backup is put back, and that a repeated request is recognised.',
  },
  {
    what: 'The register of erasures, with the reason as a code, and the record of who looked: under the pseudonym, with times.',
    why: 'They prove that the erasure was carried out, and who had read what before.',
  },
];
