/** Speaks to the mail server as the mailer does, and tells step by step what it says. */
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { dkimRecord, type DkimSettings } from './dkim.js';
import { reasonInWords } from './reasons.js';
import { afterHandOver, beforeHandOver, probeRefused } from './smtp-outcome.js';
import { openSession, smtpTimings, type Session } from './smtp-session.js';
import type { SmtpServer } from './smtp-url.js';
import type { Mail, ProbeOutcome, SendOutcome } from './transport.js';

/** Nothing of it holds the password. */
export interface CheckStep {
  readonly step: string;
  readonly ok: boolean;
  /** What the server replied; of a step that failed also why, and what to do. */
  readonly said: readonly string[];
}

export interface MailSettings {
  readonly server: SmtpServer;
  readonly ehloName: string | undefined;
  readonly dkim: DkimSettings | undefined;
}

/** The DNS. Both reject where there is nothing. */
export interface NameServer {
  addresses(host: string): Promise<readonly string[]>;
  /** Each record whole. */
  texts(name: string): Promise<readonly string[]>;
}

interface Check {
  readonly settings: MailSettings;
  readonly names: NameServer;
  /** Undefined: nothing is sent. */
  readonly mail: Mail | undefined;
  readonly onStep: (step: CheckStep) => void;
  readonly signal: AbortSignal;
}

/** From the connection to the first line of the server, in milliseconds. */
export const longestGreetingMs = smtpTimings.connection + smtpTimings.greeting;

/** Whether all is well. */
export async function checkMailServer(check: Check): Promise<boolean> {
  const { settings, names, onStep } = check;
  let isWell = true;
  const tell = (step: CheckStep): void => {
    isWell &&= step.ok;
    onStep(step);
  };
  const { host } = settings.server;
  const found = isIP(host) ? [host] : await names.addresses(host).catch(() => []);
  if (found.length > 0) tell({ step: 'DNS', ok: true, said: [`${host}: ${found.join(', ')}`] });
  else tell({ step: 'DNS', ok: false, said: [reasonInWords({ reason: 'dns' })] });
  if (found.length > 0) await converse(check, tell);
  tell(await dkimStep(settings.dkim, names));
  return isWell;
}

async function converse({ settings, mail, signal }: Check, tell: (step: CheckStep) => void): Promise<void> {
  const conversation = createConversation(settings.server, tell);
  // As the mailer does where the host has no full name.
  const ehloName = settings.ehloName ?? mail?.envelope.from.replace(/^.*@/, '');
  const session = openSession({ ...settings, ehloName, timings: smtpTimings, logger: conversation.logger });
  const stop = (): void => session.destroy();
  signal.addEventListener('abort', stop, { once: true });
  conversation.end(await troubleOf(session, mail));
  signal.removeEventListener('abort', stop);
  session.quit();
  await session.closed;
}

interface Trouble {
  readonly reason: string;
  readonly tls_code?: string | undefined;
}

/** Why the server is not ready, or has not accepted the e-mail. */
async function troubleOf(session: Session, mail: Mail | undefined): Promise<Trouble | undefined> {
  const unready = await session.ready;
  if (unready !== undefined) return withReason(probeRefused(unready));
  if (mail === undefined) return undefined;
  let handedOver = false;
  const body = Readable.from([mail.bytes]).once('end', () => (handedOver = true));
  const transaction = await session.transact(mail, body);
  if (transaction.status === 'answered') return undefined;
  return withReason(handedOver ? afterHandOver(transaction.fault) : beforeHandOver(transaction.fault, 'envelope'));
}

const withReason = (outcome: ProbeOutcome | SendOutcome): Trouble =>
  'reason' in outcome ? outcome : { reason: outcome.status };

interface Open {
  readonly step: string;
  readonly said: string[];
}

/** Makes steps of what the library logs. Commands may go out together, and are answered in their order. */
function createConversation({ auth }: SmtpServer, tell: (step: CheckStep) => void) {
  const open: Open[] = [];
  /** What else fails then only follows from it. */
  let failed: Open | undefined;

  const hear = (reply: string): void => {
    const current = open[0];
    if (current === undefined || failed !== undefined) return;
    current.said.push(...withoutPassword(reply, auth).split(/\r?\n/));
    // More is to come of a login, and of DATA.
    if (reply.startsWith('3')) return;
    open.shift();
    if (/^[45]/.test(reply)) failed = current;
    else tell({ ...current, ok: true });
  };
  const connected = (address: string): void => {
    tell({ step: 'connection', ok: true, said: [address] });
    open.push({ step: 'greeting', said: [] });
  };
  const log = ({ tnx, remoteAddress, remotePort }: LogEntry, text = ''): void => {
    // Of a login only its method: what else goes out with it is the password.
    const step = tnx === 'client' ? command.exec(text)?.[0] : undefined;
    if (step !== undefined) open.push({ step, said: [] });
    if (tnx === 'server') hear(text);
    if (tnx === 'network' && remoteAddress !== undefined) connected(`${remoteAddress}:${remotePort ?? 0}`);
    if (text.startsWith('Connection upgraded')) tell({ step: 'TLS', ok: true, said: ['the connection is encrypted'] });
  };
  return {
    logger: { level: () => undefined, trace: log, debug: log, info: log, warn: log, error: log, fatal: log },
    end(trouble: Trouble | undefined): void {
      if (trouble === undefined) return;
      const { step, said } = failed ?? open[0] ?? { step: stepsOf[trouble.reason] ?? 'connection', said: [] };
      tell({ step, ok: false, said: [...said, reasonInWords(trouble)] });
    },
  };
}

/** Where trouble arises that is no reply. */
const stepsOf: Readonly<Record<string, string>> = { tls: 'TLS', auth_failed: 'AUTH', too_large: 'MAIL FROM' };

interface LogEntry {
  readonly tnx?: string;
  readonly remoteAddress?: string;
  readonly remotePort?: number;
}

const command = /^(?:EHLO .*|HELO .*|STARTTLS|AUTH [A-Z\d-]+|MAIL FROM:\S+|RCPT TO:\S+|DATA)/;

function withoutPassword(text: string, auth: SmtpServer['auth']): string {
  if (auth === null || auth.pass === '') return text;
  const { user, pass } = auth;
  const encoded = [pass, `\0${user}\0${pass}`].map((secret) => Buffer.from(secret).toString('base64'));
  return [pass, encodeURIComponent(pass), ...encoded].reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
}

async function dkimStep(dkim: DkimSettings | undefined, names: NameServer): Promise<CheckStep> {
  if (dkim === undefined) return { step: 'DKIM', ok: true, said: ['no DKIM_DOMAIN: this service signs nothing'] };
  const { name, value } = dkimRecord(dkim);
  const keyOf = (record: string): string | undefined => /(?:^|;)p=([^;]*)/.exec(record.replace(/\s/g, ''))?.[1];
  const published = await names.texts(name).catch(() => []);
  const ok = published.some((record) => keyOf(record) === keyOf(value));
  const found = ok
    ? 'published'
    : published.length > 0
      ? 'the DNS has another key: publish'
      : 'not in the DNS: publish';
  return { step: 'DKIM', ok, said: [found, `${name} TXT`, value] };
}
