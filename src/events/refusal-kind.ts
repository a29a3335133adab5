/**
 * Classifies what a mail server said when it refused an email, in an SMTP reply or in a bounce. The table in
 * `docs/bounces.md` has the same rows in the same order.
 */

/**
 * `hard`: the mailbox or its domain does not exist. `full`: the mailbox is over its quota. `policy`: the server refuses the
 * sender, the network or this message. `other`: everything else.
 */
export const refusalKinds = ['hard', 'full', 'policy', 'other'] as const;
export type RefusalKind = (typeof refusalKinds)[number];

export interface Refusal {
  readonly kind: RefusalKind;
  /** Whether the refusal is permanent (5.x.x) and not temporary (4.x.x). */
  readonly isPermanent: boolean;
}

interface RefusalText {
  /** Enhanced status code (RFC 3463), such as `5.1.1`: `Status:` of a bounce. */
  readonly status?: string | undefined;
  /** The reply of the SMTP server, such as `550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown`. */
  readonly reply?: string | undefined;
}

/** The status and reply of a server in the form that the rows test. All texts are in lower case. */
interface Said {
  /** The status without its class, such as `1.1` for `5.1.1`. Empty if the server gave no status. */
  readonly status: string;
  /** The enhanced codes of all quoted replies, without their class. */
  readonly replied: readonly string[];
  /** The beginning of the reply, with the word "address" in place of each address. */
  readonly text: string;
  /** The text without host names, links and codes. */
  readonly words: string;
}

interface Row {
  readonly kind: RefusalKind;
  /** Whether a later email may arrive, although the code is permanent. */
  readonly isForNow?: true;
  readonly applies: (said: Said) => boolean;
}

/** The first row that applies decides. A temporary refusal (4.x.x) is never `hard`. */
const rows: readonly Row[] = [
  // The code of the quoted reply is what the recipient's server said. `Status:` is what another server made of it.
  { kind: 'policy', applies: ({ replied }) => replied.some(isPolicyCode) },
  { kind: 'full', applies: ({ replied }) => replied.includes(overQuota) },
  // Words decide against codes for an unknown mailbox, because servers use such a code for refusals of every kind.
  { kind: 'other', isForNow: true, applies: (said) => tooFast.test(said.words) || (isDisabled(said) && limits(said)) },
  { kind: 'policy', applies: ({ words, text }) => policyWords.test(words) || blocklists.test(text) },
  { kind: 'full', applies: ({ words }) => fullWords.test(words) },
  { kind: 'other', isForNow: true, applies: ({ words }) => temporaryWords.test(words) },
  // The mailbox or its domain does not exist.
  { kind: 'hard', applies: (said) => codesOf(said).some(isHardCode) },
  {
    kind: 'hard',
    applies: (said) => codesOf(said).some(isRoutingCode) && (isRefusedRecipient(said) || isUnknown(said)),
  },
  { kind: 'policy', applies: ({ words }) => refusingWords.test(words) },
  { kind: 'hard', applies: (said) => isVague(said) && unknownDomain.test(said.words) },
  { kind: 'hard', applies: (said) => leavesItToWords(said) && isUnknownInReply(said) },
  // The status of the bounce, which the reply did not contradict.
  { kind: 'policy', applies: ({ status }) => isPolicyCode(status) },
  { kind: 'full', applies: ({ status }) => status === overQuota },
];

const codesOf = ({ status, replied }: Said): readonly string[] => [status, ...replied];

/**
 * 7 is about security, 1.7 and 1.8 about the sender, 2.3, 3.4 and 6 about the size and content of the message. Microsoft
 * uses 1.90 for a sender who sent too much.
 */
const isPolicyCode = (code: string): boolean => /^(?:7\.(?!17$)\d+|1\.(?:[78]|90)|2\.3|3\.4|6\.\d+)$/.test(code);
const overQuota = '2.2';
/** 2.1 says that the mailbox is disabled, 7.17 that it has another owner. Microsoft uses 1.351 to quote another server. */
const isHardCode = (code: string): boolean => /^(?:1\.(?:[1236]|10|351)|2\.1|7\.17)$/.test(code);
const isDisabled = (said: Said): boolean => codesOf(said).includes('2.1');
/** 4.310 is of Microsoft. All three also tell of faults of the network. */
const isRoutingCode = (code: string): boolean => /^4\.(?:[14]|310)$/.test(code);
const vagueCodes: readonly string[] = ['', '0.0', '1.0', '5.0'];
/** Whether there is no specific code. */
const isVague = (said: Said): boolean => codesOf(said).every((code) => vagueCodes.includes(code));
/** Whether the reply has no specific code, and its words may contradict the status. */
const leavesItToWords = ({ status, replied }: Said): boolean =>
  replied.every((code) => vagueCodes.includes(code)) &&
  (vagueCodes.includes(status) || isPolicyCode(status) || status === overQuota);

const limits = ({ words }: Said): boolean =>
  /\brate\b|\blimit|\bthrottl|too (?:fast|quickly|often|many|much)/.test(words);
const tooFast =
  /\b(?:receiving|getting) (?:e?mails?|messages) (?:at|too)\b|\bmessage receive limit\b|\blimit for the number of messages they can receive\b/;
const temporaryWords = /\btemporar|\btry again later\b|\bnot found, try again\b/;
const fullWords = new RegExp(
  [
    '(?<!sending )\\bquota\\b|\\boverquota\\b|\\bexceeded storage allocation\\b',
    '\\b(?:mailbox|inbox|account)(?: \\w+){0,4} full\\b|\\bfull mailbox\\b|\\bmailbox (?:size|storage) limit\\b',
    '\\bout of storage\\b|\\benough (?:disk |storage )?space\\b',
  ].join('|'),
);

/** Words about the sender, its network or this message. */
const policyWords = new RegExp(
  [
    // "The account is blocked" is about the recipient.
    '(?<!\\b(?:account|mailbox|user|recipient)(?: is| was| has been)? )\\bblock(?:s(?! limit)|ed|ing|list|lists|listed)?\\b',
    '\\b(?:black|white) ?list|\\bbanned\\b|(?<!not )\\blisted (?:in|on|by|at)\\b|\\breputation\\b|\\bcomplaints?\\b',
    '\\bspam|\\bun(?:solicited|wanted)\\b|\\bu[bc]e\\b|\\bvirus|\\bmalware\\b|\\bphish|\\bpolic(?:y|ies)\\b|\\brecipient preferences\\b',
    '\\bspf\\b|\\bdkim\\b|\\bdmarc\\b|\\bptr\\b|\\breverse dns\\b|\\brdns\\b|authenticat',
    // "User unknown in relay recipient table" is about the recipient.
    '\\brelay(?:ing)?\\b(?! (?:recipient|domain))|\\brcpthosts\\b|\\b(?:helo|ehlo)\\b',
    "\\bsender(?:'s)? (?:verif|address|domain|denied|rejected|host|ip)|\\bfrom:? address",
    '\\b(?:your|sending|client) (?:ip|server|network|host|hostname|domain)\\b|\\b(?:host|domain) not found for ip\\b',
    '\\b(?:return|reverse)[- ]?path\\b|\\b(?:return|reply-to) address|\\bsending from\\b',
    '\\btoo many (?:recipients|connections|messages|e?mails)\\b|\\bfrequency\\b|\\brate limit|\\bsending (?:quota|limit)',
  ].join('|'),
);
const blocklists = /spamhaus|spamcop|barracudacentral|\bsorbs\.net|dnsbl|uceprotect|\b(?:rbl|surbl|uribl)\b/;
/** Words that often are about the sender or the message. They decide only if no code does. */
const refusingWords = new RegExp(
  [
    '\\bsenders?\\b|\\bdenied\\b|\\bnot (?:allowed|permitted|authori[sz]ed)\\b|\\bsuspicious\\b|\\bcontent\\b|\\bheader\\b',
    '\\bmessage (?:size|length)\\b|\\b(?:message|e?mail|attachment)(?: is)? too (?:large|big|long)\\b|\\bsize limit\\b|\\baddress is not verified\\b',
  ].join('|'),
);

/** The most frequent wordings for an unknown mailbox. `PARTY` is the mailbox, `SOME` are words of the same sentence. */
const unknownMailbox: readonly RegExp[] = [
  // Cisco writes "Unknown address error" before every 550 that it quotes.
  'unknown (?:or \\w+ |local |virtual |e-?mail )?PARTY(?! error)',
  'unknown local[- ]part',
  'PARTY (?:is |name |[^\\s.:]+ )?unknown',
  'no such (?:local |e-?mail )?PARTY',
  "PARTYSOME(?: not|n't) (?:be )?found",
  "PARTYSOME (?:doesn't|don't|not|no longer) exists?",
  "PARTY (?:\\w+ )?not known|(?:is|are)n't known|not a known PARTY",
  'invalid (?:or unknown )?PARTY',
  'PARTY (?:is )?(?:invalid|not valid)|not a valid PARTY',
  'bad (?:destination )?(?:recipient|mailbox|address)',
  'non-?existent PARTY',
  'no (?:mailbox|account|user|person|one) (?:here )?by that name',
  'no (?:mailbox|account|person|one) (?:found|at this address)',
  "(?:doesn't|does not) have an? (?:\\S+ )?account",
  '(?:mailbox|account) (?:is )?(?:unavailable|not available)',
  'PARTY (?:is )?no longer (?:active|available|valid|in use)',
  '(?:unroute?able|undeliverable) address',
  'not an? (?:local|active) (?:address|mailbox)|user (?:is )?not local|not our (?:customer|user)',
  'not (?:listed|present) in (?:the )?(?:domino|public|directory)',
  'empf(?:ä|ae)nger unbekannt|(?:destinataire|utilisateur) (?:inconnu|invalide)|utente sconosciuto|usuario desconocido',
].map((wording) => {
  const pattern = wording
    .replaceAll('PARTY', '(?:user|recipient|mailbox|account|address|alias|person)')
    .replaceAll('SOME', '(?: [^\\s.:]+){0,6}');
  return new RegExp(`\\b(?:${pattern})\\b`);
});
/** Cisco's default wording for an unknown mailbox. Other servers use 5.1.0 for senders, too. */
const unknownToCisco = '#5.1.0 address rejected';
/** Yahoo's wording at the end of a message, with the reply code 554. */
const unknownToYahoo = /\bdd this user doesn't have a\b/;

const unknownDomain = new RegExp(
  [
    '\\bno such (?:mail )?(?:domain|host)\\b|\\b(?:unknown|invalid) (?:mail )?(?:domain|host)\\b|\\b(?:domain|host) unknown\\b',
    "\\bdomain (?:\\S+ )?(?:name )?(?:was not found|not found|does not exist|doesn't exist)\\b|\\bhost not found\\b",
    '\\b(?:domain|host) (?:is not reachable|does not accept mail)\\b|\\billegal host\\b|\\bnon-?existent (?:domain|host)|\\bunroute?able (?:mail )?domain\\b|\\bnxdomain\\b',
  ].join('|'),
);

const isUnknown = ({ words }: Said): boolean =>
  unknownDomain.test(words) || unknownMailbox.some((wording) => wording.test(words));
const isUnknownInReply = (said: Said): boolean =>
  (/(?<![\w.#])55[013] /.test(said.text) && (said.text.includes(unknownToCisco) || isUnknown(said))) ||
  unknownToYahoo.test(said.words);
const isRefusedRecipient = ({ words }: Said): boolean => /\brecipient address(?:es)? rejected\b/.test(words);

/** The most characters of a reply that are read. */
const longestReply = 2_000;

export function classifyRefusal({ status = '', reply = '' }: RefusalText): Refusal {
  const text = withoutAddresses(withSpaces(reply.slice(0, longestReply).toLowerCase()));
  const said = { status: detailOf(status), replied: codesIn(text), text, words: wordsOf(text) };
  const isPermanent = !status.startsWith('4') && !isForNow(text);
  const row = rows.find(({ kind, applies }) => (kind !== 'hard' || isPermanent) && applies(said));
  return { kind: row?.kind ?? 'other', isPermanent: isPermanent && row?.isForNow !== true };
}

/**
 * Returns how a refusal counts toward the suppression of an address. Returns undefined if it does not count, because the
 * mailbox does not exist (the address is suppressed at once) or the refusal is about the sender and not the recipient.
 */
export function countedKind({ kind, isPermanent }: Refusal): 'soft' | 'unclear' | undefined {
  if (kind === 'hard' || kind === 'policy') return undefined;
  return kind === 'full' || !isPermanent ? 'soft' : 'unclear';
}

const detailOf = (code: string): string => /^[45]\.(\d{1,3}\.\d{1,3})(?!\.?\d)/.exec(code)?.[1] ?? '';

/** Returns the codes in `550 5.1.1 …`, `550 #5.1.0 …`, `550 '5.1.1 …'` and qmail's `550 … (#5.1.1)`. */
const codesIn = (text: string): readonly string[] =>
  [...text.matchAll(/(?:(?<![\w.#])[45]\d\d ['#]?|\(#)[45]\.(\d{1,3}\.\d{1,3})(?!\.?\d)/g)].map(
    ([, detail = '']) => detail,
  );

/** Whether the server, or the one that it quotes, replied 4xx or 4.x.x. */
const isForNow = (text: string): boolean => /^(?:[^:]* said: )?(?:4\d\d(?!\d)|\d{3} 4\.\d{1,3}\.\d)/.test(text);

/** Writes the lines of a long reply (`550-5.1.1 …`) like its last line (`550 5.1.1 …`). */
const withSpaces = (text: string): string => text.replaceAll(/(?<![\w.#])([245]\d\d)-/g, '$1 ');
/** Parts of an address are not words of the server, but the sentence is about the address. */
const withoutAddresses = (text: string): string =>
  text
    .replaceAll(/<[^<>\s@]*@[^<>\s]*>/g, ' address ')
    .split(/\s+/)
    .map((word) => (word.includes('@') ? `address${quotedAfter(word)}` : word))
    .join(' ')
    .trim();
/** Returns what follows the address in Barracuda's `(ada@example.com:blocked)` and `(ada@example.com:550 5.7.1 …)`. */
const quotedAfter = (word: string): string => /^\([^\s@]+@[^\s:]+(:\w+)\)?$/.exec(word)?.[1]?.replace(':', ' ') ?? '';
/** Leaves out links, host names and codes, because their parts are not words. */
const wordsOf = (text: string): string =>
  text
    .replaceAll('’', "'")
    .split(' ')
    .filter((word) => !/:\/\/|\w\.[\w-]+\.\w|^[245]\d\d$/.test(word))
    .join(' ');
