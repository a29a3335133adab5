/** What an SMTP fault means for the e-mail: only a reply of the server to this message, or the lack of a final dot, makes it certain. */
import type { AttemptReason } from './reasons.js';
import type { ProbeOutcome, Reply, SendOutcome, Stage } from './transport.js';

export interface SmtpError {
  readonly code?: string | undefined;
  /** The SMTP command that was under way; `CONN` for none. */
  readonly command?: string | undefined;
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
  /** Code of the system error beneath, such as ECONNREFUSED. */
  readonly originalCode?: string | undefined;
}

export type SmtpFault = { readonly error: SmtpError } | { readonly reason: AttemptReason };

/** The final dot was not sent: whatever happened, the server does not have the message. */
export function beforeHandOver(fault: SmtpFault, reached: Stage): SendOutcome {
  if ('reason' in fault) return { status: 'deferred', reason: fault.reason, stage: reached };
  const { error } = fault;
  const stage = stageOfCommand[error.command ?? ''] ?? reached;
  const reply = replyOf(error.response);
  if (isRefusal(error) && !isPolicy(error)) return { status: 'failed', reason: 'smtp_5xx', stage, ...reply };
  // nodemailer compares the size with what the server announced and sends nothing.
  if (error.code === 'EMESSAGE' && error.responseCode === undefined)
    return { status: 'failed', reason: 'too_large', stage };
  return { status: 'deferred', stage, ...troubleOf(error), ...reply };
}

const stageOfCommand: Readonly<Record<string, Stage>> = { 'RCPT TO': 'recipient', DATA: 'data' };

/** Before there was an e-mail. */
export const probeRefused = (fault: SmtpFault): ProbeOutcome =>
  'reason' in fault
    ? { status: 'refused', reason: fault.reason }
    : { status: 'refused', ...troubleOf(fault.error), ...replyOf(fault.error.response) };

function troubleOf(error: SmtpError): { readonly reason: AttemptReason; readonly tls_code?: string } {
  const reason = reasonOf(error);
  const { originalCode } = error;
  return { reason, ...(reason === 'tls' && originalCode !== undefined ? { tls_code: originalCode } : {}) };
}

/** The final dot was sent. Only the reply to it is an answer; a broken connection, or a goodbye, is none. */
export function afterHandOver(fault: SmtpFault): SendOutcome {
  if ('reason' in fault) return { status: 'in_doubt', reason: fault.reason };
  const { error } = fault;
  const { responseCode: code } = error;
  if (error.code !== 'EMESSAGE' || code === undefined) return { status: 'in_doubt', reason: reasonOf(error) };
  // The reply to another command.
  if (code < 400) return { status: 'in_doubt', reason: 'protocol' };
  const reply = replyOf(error.response);
  if (authenticationCodes.includes(code)) return { status: 'deferred', reason: 'auth_failed', stage: 'data', ...reply };
  // Here 5.7.x is about what the message says.
  return code >= 500
    ? { status: 'failed', reason: 'smtp_5xx', stage: 'data', ...reply }
    : { status: 'deferred', reason: 'smtp_4xx', stage: 'data', ...reply };
}

/** The most characters of a reply that are read and recorded. */
const longestReply = 1_000;

/** Returns the reply of a server, and the codes at its beginning. */
export function replyOf(whole?: string): Reply {
  if (whole === undefined) return {};
  const response = whole.slice(0, longestReply).toWellFormed();
  const [, code, enhanced] = /^(\d{3})(?:[ -]([245]\.\d{1,3}\.\d{1,3})(?!\.?\d))?/.exec(response) ?? [];
  return {
    ...(code === undefined ? {} : { smtp_code: Number(code) }),
    ...(enhanced === undefined ? {} : { enhanced_code: enhanced }),
    response,
  };
}

const messageCommands = ['MAIL FROM', 'RCPT TO', 'DATA'];
/** "Log in first" and the like: the operator's error, for which no mail may be lost. */
const authenticationCodes = [530, 534, 535, 538];
/** Unknown commands, bad sequences and the like: the conversation went wrong, not the message. */
const conversationCodes = [500, 502, 503, 504];

function isRefusal({ command, responseCode }: SmtpError): boolean {
  if (responseCode === undefined || responseCode < 500 || conversationCodes.includes(responseCode)) return false;
  return messageCommands.includes(command ?? '') && !authenticationCodes.includes(responseCode);
}

const isForGood = ({ smtp_code = 0 }: Reply): boolean => smtp_code >= 500 && !conversationCodes.includes(smtp_code);
const isOfSize = ({ smtp_code, enhanced_code = '' }: Reply): boolean =>
  smtp_code === 552 || enhanced_code.endsWith('.3.4');

/** Such as 5.1.1 and 5.2.2. Of what stands under 5.1, 7 and 8 are about the sender. */
const ofRecipient = /^[45]\.(?:1\.(?:[1-6]|10)|2\.\d+)$/;
const ofSender = /^[45]\.1\.[78]$/;
/** How servers without enhanced codes say that it is us whom they refuse: relaying, the sender's address, our name. */
const inWords =
  /\brelay(?:ing)?\b(?! (?:recipient|domain))|\brcpthosts\b|\bsender (?:verif|address|domain|denied|rejected)|\bclient host\b|\b(?:helo|ehlo)\b|\bauthenticat/i;

function isAboutUs({ enhanced_code = '', response = '' }: Reply): boolean {
  if (ofRecipient.test(enhanced_code)) return false;
  const withoutAddresses = response.replace(/<[^>]*>|\S+@\S+/g, '');
  return ofSender.test(enhanced_code) || inWords.test(withoutAddresses);
}

/** The server refuses the sender, not the recipient. Only asked before the message is handed over. */
function isPolicy({ command = '', response }: SmtpError): boolean {
  const reply = replyOf(response);
  // 5.7.17 says that the mailbox has another owner.
  const isOfPolicy = /^5\.7\.(?!17$)/.test(reply.enhanced_code ?? '');
  if (isForGood(reply) && (command === 'MAIL FROM' ? !isOfSize(reply) : isOfPolicy)) return true;
  return (command === 'MAIL FROM' || command === 'RCPT TO') && isAboutUs(reply);
}

/** The server went on saying "later" of this e-mail. All else is the state of the relay or of the way to it: no e-mail fails of that. */
export const isPutOff = ({ reason, stage }: { readonly reason: string; readonly stage?: Stage | undefined }): boolean =>
  reason === 'smtp_4xx' && stage !== 'connection';

function reasonOf(error: SmtpError): AttemptReason {
  const { code, responseCode, originalCode = '' } = error;
  if (code === 'EAUTH' || authenticationCodes.includes(responseCode ?? 0)) return 'auth_failed';
  if (isPolicy(error)) return 'policy';
  if (code === 'ETLS' || tlsCodes.test(originalCode)) return 'tls';
  if (originalCode === 'ECONNREFUSED') return 'connection_refused';
  return responseCode === undefined ? unanswered(error) : answered(error, responseCode);
}

/** Or answered by what is no reply of a mail server. */
const unanswered = ({ code = '', response }: SmtpError): AttemptReason =>
  response === undefined ? (byCode[code] ?? 'connection_failed') : 'protocol';

/** Before MAIL, so it is about the connections and not about the e-mail. */
const isTooMany = ({ command = '', response = '' }: SmtpError): boolean =>
  !messageCommands.includes(command) && /^(?:421|4\d\d[ -]4\.7\.)/.test(response) && /too many/i.test(response);

function answered(error: SmtpError, responseCode: number): AttemptReason {
  if (isTooMany(error)) return 'too_many_connections';
  if (responseCode < 400) return 'protocol';
  return responseCode < 500 ? 'smtp_4xx' : 'server_refused';
}

const tlsCodes = /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED)/;

const byCode: Readonly<Record<string, AttemptReason>> = {
  ETIMEDOUT: 'timeout',
  EDNS: 'dns',
  ECONNECTION: 'connection_lost',
  ESOCKET: 'connection_lost',
  EPROTOCOL: 'protocol',
  ESTREAM: 'connection_lost',
};
