/** The rows of the table in `docs/bounces.md`, each with replies of the kind that servers write. */
import { expect, test } from 'vitest';
import { classifyRefusal, countedKind } from '../../src/events/refusal-kind.js';

const kindOf = (status: string | undefined, reply?: string): string => {
  const { kind, isPermanent } = classifyRefusal({ status, reply });
  return isPermanent ? kind : `${kind} for now`;
};

test.each([
  [
    'policy',
    'the reply has a code for policy',
    ['5.1.1', '550 5.7.1 blocked for policy'],
    ['5.1.1', '550-5.7.26 Unauthenticated email is not accepted 550 5.7.26 see the log'],
    ['5.0.0', "5.1.0 - Unknown address error 550-'5.7.1 <ada@example.com>... Access denied' (delivery attempts: 0)"],
    ['5.1.351', '550 5.1.351 Remote server returned unknown recipient -> 550 5.7.1 Not today'],
    [undefined, '553 that domain is not one of mine (#5.7.1)'],
    [undefined, '550 5.7.1 No such user!'],
    [undefined, '501 5.1.8 Domain not found'],
    [undefined, '550 5.1.7 Invalid address'],
  ],
  [
    'full',
    'the reply has a code for quota',
    ['5.1.1', '552 5.2.2 no'],
    ['5.7.1', '552-5.2.2 no'],
    [undefined, '552 5.2.2 no'],
  ],
  [
    'other for now',
    'the mailbox gets mail too fast',
    ['5.2.1', '550-5.2.1 the user is getting mail at too high a rate'],
    [
      undefined,
      '550-5.2.1 The user you are trying to contact is receiving mail at a rate 550-5.2.1 that prevents more',
    ],
    [undefined, '550 5.2.1 The user is receiving mail too quickly'],
    ['5.1.1', '550 This mailbox is receiving messages at too high a rate'],
    [undefined, '550 5.2.1 Rate limit exceeded'],
    ['5.2.1', '550 too many messages, slow down'],
  ],
  [
    'policy',
    'the words are about the sender, its network or this message',
    ['5.1.1', '550 blocked using zen.spamhaus.org'],
    ['5.1.1', '550 5.1.1 Rejected, see https://www.spamhaus.org/query/ip/192.0.2.1'],
    ['5.1.3', '553 http://www.spamhaus.org/query/bl?ip=192.0.2.1'],
    ['5.2.1', '550 5.2.1 Your server has a poor reputation'],
    ['5.1.1', '550 IP address blacklisted by recipient'],
    ['5.1.1', '550 5.1.1 Message looks like spam'],
    ['5.1.1', '550 5.1.1 192.0.2.1 has sent to too many recipients this hour'],
    ['5.1.1', '550 5.1.1 Refused due to recipient preferences'],
    ['5.0.0', '550 Relaying denied for unknown user'],
    ['5.0.0', '550-Verification failed for <ada@example.com> 550-No such user here 550 Sender verify failed'],
    ['5.4.1', '550 5.4.1 Relay access denied'],
  ],
  [
    'full',
    'the words are about quota',
    ['5.1.1', '550 Mailbox full'],
    ['5.2.1', '550 5.2.1 The mailbox of the user is full'],
    ['5.0.0', '552 Account(s) <ada@example.com> does not have enough space'],
    ['5.2.0', '522 5.2.0 Delivery failed: Over quota'],
    ['5.1.1', "550 5.1.1 The recipient's inbox is out of storage space"],
  ],
  [
    'other for now',
    'the words say "later"',
    ['5.2.1', '550 5.2.1 Mailbox temporarily disabled'],
    ['5.1.1', '550 User unknown, please try again later'],
    [
      '5.4.4',
      'Host or domain name not found. Name service error for name=example.net type=MX: Host not found, try again',
    ],
  ],
  [
    'hard',
    'a code is for a mailbox or domain that does not exist',
    ...['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.1.351', '5.2.1', '5.7.17'].flatMap((code) => [
      [code, undefined] as const,
      [undefined, `550 ${code} no`] as const,
    ]),
    ['5.0.0', '550 sorry, nobody like that (#5.1.1)'],
    ['5.7.1', '550 5.1.1 no'],
    ['5.2.2', '550-5.1.1 no'],
    ['5.0.0', "5.1.0 - Unknown address error 550-'5.1.1 <ada@example.com>... no' (delivery attempts: 0)"],
    ['5.1.1', '550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in relay recipient table'],
    ['5.1.1', '550 5.1.1 <spam@spamhaus.example>: User unknown'],
    ['5.1.1', '550 5.3.0 <ada@example.com>... User unknown'],
    [undefined, '550 5.1.351 Remote server returned unknown recipient or mailbox unavailable -> 550 User unknown'],
    ['5.2.1', '550 5.2.1 The account is blocked'],
  ],
  [
    'hard',
    'a code about routing has words about the recipient or the domain',
    ['5.4.1', '550 5.4.1 Recipient address rejected: Access denied. AS(201806281)'],
    [undefined, '550 5.4.1 All recipient addresses rejected : Access denied'],
    ['5.4.4', 'Host or domain name not found. Name service error for name=nowhere.example type=A: Host not found'],
    ['5.4.4', 'Illegal host/domain name found'],
    [undefined, '550 5.4.4 Invalid domain'],
    [undefined, '550 5.4.310 DNS domain nowhere.example does not exist [Message=InfoDomainNonexistent]'],
  ],
  [
    'other',
    'a code about routing has no such words',
    ['5.4.1', undefined],
    ['5.4.4', undefined],
    ['5.4.4', 'Name service error for name=example.net type=MX: Malformed or unexpected name server reply'],
    [undefined, '541 5.4.1 Mail rejected by destination domain'],
    [undefined, '554 5.4.6 Too many hops'],
  ],
  [
    'policy',
    'words without a code that decides are about the sender',
    ['5.0.0', '550 Unknown user in sender'],
    ['5.0.0', '550 Sender <bounce@example.org> does not exist'],
    ['5.0.0', '550 Mail from bounce@example.org unknown'],
    ['5.0.0', '550 Access denied, user unknown'],
    ['5.0.0', '550 Invalid address in the From header'],
    ['5.1.0', '550 5.1.0 bounce@example.org sender rejected'],
  ],
  [
    'hard',
    'no code decides and the sending server says that there is no such domain',
    ['5.0.0', 'No such domain.'],
    [undefined, 'Host unknown'],
    ['5.5.0', '554 The mail could not be delivered because the domain is not reachable'],
  ],
  [
    'hard',
    'no code decides and a 550, 551 or 553 says that there is no such mailbox',
    ...[
      'User unknown',
      '<ada@example.com>: Recipient address rejected: User unknown in virtual mailbox table',
      'Unknown user ada@example.com',
      'unknown or illegal alias: ada',
      'Unknown local part ada in <ada@example.com>',
      'No such user here',
      'Mailbox not found. See https://mail.example/help',
      'The address <ada@example.com> was not found',
      'This mailbox could not be found',
      'mailbox for ada@example.com does not exist',
      '<ada@example.com> does not exist',
      "Account 'ada' does not exist",
      'The email account that you tried to reach does not exist',
      'ada@example.com unknown',
      "User doesn't exist",
      'That user isn’t known here',
      'Invalid Recipient - https://mail.example/docs#550',
      'ada@example.com is not a valid mailbox',
      'Bad destination mailbox address',
      'The recipient may contain a non-existent account',
      'sorry, no mailbox here by that name',
      'no one at this address',
      "This user doesn't have a example.com account",
      'Requested action not taken: mailbox unavailable',
      'This address is no longer valid',
      'Unrouteable address',
      'ada@example.com is not an active address at this host',
      'Not our customer',
      'User not local; please try <ada@example.net>',
      'ada (ada@example.com) not listed in Domino Directory',
      'Empfaenger unbekannt',
      '#5.1.0 Address rejected.',
    ].flatMap((wording) => [
      ['5.0.0', `550 ${wording}`] as const,
      ['5.5.0', `551 ${wording}`] as const,
      [undefined, `553-${wording}`] as const,
    ]),
    ['5.5.0', '550 5.5.0 Invalid recipient'],
    ['5.0.0', '550 5.0.0 User unknown'],
    ['5.7.1', '553 Invalid recipient ada@example.com'],
    ['5.2.2', '550 User unknown'],
    ['5.0.0', 'host mx.example.net[192.0.2.1] said: 550 unknown user <ada@example.com> (in reply to RCPT TO command)'],
    ['5.0.0', "5.3.0 - Other mail system problem 550-'Unknown user ada@example.com' (delivery attempts: 0)"],
    ['5.0.0', "554 delivery error: dd This user doesn't have a example.com account (ada@example.com) [0]"],
  ],
  [
    'policy',
    'the status is for policy and the reply does not contradict it',
    ['5.7.1', undefined],
    ['5.7.27', '550 no'],
  ],
  ['full', 'the status is for quota and the reply does not contradict it', ['5.2.2', undefined], ['5.2.2', '552 no']],
  [
    'other',
    'nothing decides',
    [undefined, undefined],
    ['5.0.0', '554 User unknown'],
    ['5.0.0', '552 User unknown'],
    ['5.0.0', 'User unknown'],
    ['5.0.0', "5.1.0 - Unknown address error 550-'no' (delivery attempts: 0)"],
    ['5.0.0', '550 Rejected'],
    ['5.1.0', '550 5.1.0 Address rejected'],
    ['5.3.0', '550 5.3.0 User unknown'],
    ['5.0.0', '550 The account is blocked'],
  ],
  [
    'other for now',
    'the server gave up for now',
    ['4.1.1', undefined],
    ['4.4.7', undefined],
    ['4.0.0', '550 5.1.1 User unknown'],
    ['5.1.1', '450 4.1.1 User unknown'],
    ['5.0.0', '450 User unknown'],
    ['5.0.0', '554 4.4.7 Message expired'],
    ['4.0.0', "DNS Error: DNS type 'mx' lookup of nowhere.example responded with code NXDOMAIN"],
  ],
  ['full for now', 'the mailbox is full for now', ['4.2.2', undefined], [undefined, '452 4.2.2 Over quota']],
  ['policy for now', 'the server refuses the sender for now', ['4.7.0', undefined], [undefined, '451 4.7.1 Wait']],
] as const)('is %s if %s', (kind, _, ...refusals) => {
  for (const [status, reply] of refusals) expect(kindOf(status, reply), `${status}: ${reply}`).toBe(kind);
});

test('counts a full mailbox and a temporary refusal as soft, and neither a missing mailbox nor policy', () => {
  const counted = (kind: 'hard' | 'full' | 'policy' | 'other', isPermanent: boolean) =>
    countedKind({ kind, isPermanent });
  expect([counted('full', true), counted('full', false), counted('other', false)]).toEqual(['soft', 'soft', 'soft']);
  expect(counted('other', true)).toBe('unclear');
  expect([counted('hard', true), counted('policy', true), counted('policy', false)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([
  ['550 permanent failure for one or more recipients (ada@example.com:blocked)', 'policy'],
  ['550 permanent failure for one or more recipients (ada@example.com:550 5.7.1 rejected)', 'policy'],
  ['550 permanent failure for one or more recipients (ada@example.com:550 5.2.2 full)', 'full'],
])('reads what Barracuda quotes behind an address: %s is %s', (reply, kind) => {
  expect(kindOf('5.0.0', reply)).toBe(kind);
});

test.each(['552 5.2.3 Too large', '552 Message size exceeds fixed maximum message size', '550 Message too large'])(
  'a message that is too large says nothing about the recipient: %s',
  (reply) => {
    expect(countedKind(classifyRefusal({ reply }))).toBeUndefined();
  },
);

test.each([
  ['552 Requested mail action aborted: exceeded storage allocation', 'full'],
  ['552 Mailbox size limit exceeded', 'full'],
  ['452 Mailbox full / Blocks limit exceeded / Inode limit exceeded', 'full for now'],
])('a full mailbox is told by its words: %s is %s', (reply, kind) => {
  expect(kindOf(undefined, reply)).toBe(kind);
});

test.each([
  '550 Return path address does not exist',
  '550 Reply-To address is invalid',
  '550 The address you are sending from does not exist',
  '550 cannot find your hostname: host not found',
  '550 Host not found for IP 192.0.2.1',
  '550 5.1.1 Recipient rejected the message (not in whitelist)',
])('an unknown sender is not an unknown recipient: %s', (reply) => {
  expect(kindOf(undefined, reply)).toBe('policy');
});

test.each([
  '550 5.2.1 message throttled',
  '550 5.2.1 too much mail for this user',
  "550 5.2.121 The recipient's per hour message receive limit from specific sender exceeded",
  '550 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour',
])('a limit of the mailbox is a refusal for now: %s', (reply) => {
  expect(kindOf(undefined, reply)).toBe('other for now');
});

test.each([
  "550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients",
  '554 Message rejected: Email address is not verified. The following identities failed the check: news@example.com',
])('what a relay refuses because of the sender does not count against the recipient: %s', (reply) => {
  expect(countedKind(classifyRefusal({ reply }))).toBeUndefined();
});
