/** People of whom every text is unlike any other, so that it is found wherever it is left. */
import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';

/** What a text is made of, beside letters that no other text has. */
export const textKinds = ['plain', 'quoted', 'escaped', 'beyond the BMP', 'accented', 'marked up', 'Japanese'] as const;
type TextKind = (typeof textKinds)[number];

export interface Person {
  readonly email: string;
  /** What was said of the person and to it since it was last erased. */
  texts: string[];
  /** What was said in lives that were erased. */
  readonly gone: string[];
  /** Undefined: there is no contact. */
  contactId: string | undefined;
  /** How many e-mails there were since the last erasure. */
  emails: number;
  /** Of all contacts and e-mails that there ever were. */
  readonly ids: Set<string>;
}

/** From now on nothing of the person is left. */
export function forget(person: Person): void {
  person.gone.push(...person.texts);
  person.texts = [];
  person.contactId = undefined;
  person.emails = 0;
}

/** What must be nowhere; while the person is somebody new, the address is there again. */
export function textsToGo({ email, gone, contactId, emails }: Person): readonly string[] {
  if (contactId !== undefined || emails > 0) return gone;
  const [local = '', domain = ''] = email.split('@');
  return [...gone, email, local, domain, domainToASCII(domain)];
}

export interface Texts {
  text(kind: TextKind): string;
  /** Fifteen digits. */
  phone(): string;
  ip(): string;
  people(count: number): readonly Person[];
}

/** Of one run; another one has others. */
export function unmistakableTexts(run: string): Texts {
  let count = 0;
  const hash = (): Buffer =>
    createHash('sha256')
      .update(`${run}/${(count += 1)}`)
      .digest();
  const letters = (): string =>
    hash()
      .toString('base64')
      .replace(/[^A-Za-z0-9]/g, '')
      .slice(0, 13);
  const of: Readonly<Record<TextKind, () => string>> = {
    plain: letters,
    quoted: () => `${letters()}"'\\${letters()}`,
    escaped: () => `${letters()}\\u0041\\n%41=41${letters()}`,
    'beyond the BMP': () => String.fromCodePoint(...[...hash().subarray(0, 9)].map((byte) => 0x1d400 + (byte & 0x3f))),
    accented: () => `${letters()}äÉ${letters()}ñ`,
    'marked up': () => `<i>${letters()}&amp;${letters()}</i>`,
    Japanese: () => `日本${letters()}語`,
  };
  const addresses = [
    () => `u${letters()}@${letters()}.example`,
    () => `Mr.${letters()}+news@${letters()}.example`,
    () => `Jürg${letters()}@mün${letters()}.example`,
    () => `o'${letters()}@${letters()}.example`,
  ];
  return {
    text: (kind) => of[kind](),
    phone: () => hash().readBigUInt64BE().toString().padStart(20, '7').slice(0, 15),
    ip: () =>
      hash()
        .toString('hex')
        .slice(0, 32)
        .replaceAll(/(.{4})(?!$)/g, '$1:')
        .replaceAll(/(^|:)0+(?=\w)/g, '$1'),
    people: (many) =>
      Array.from({ length: many }, (_, at) => ({
        email: addresses[at % addresses.length]?.() ?? '',
        texts: [],
        gone: [],
        contactId: undefined,
        emails: 0,
        ids: new Set(),
      })),
  };
}
