/** Why an attempt ended as it did. The code goes into logs, events and metrics; it holds no text of the server and no personal data. The sentence, for the log and for `audience email check`, says what it means and what to do. */

const ofTransport = {
  accepted: 'the mail server has taken the e-mail',
  written: 'the e-mail is in the outbox',
  smtp_4xx:
    'the mail server does not take the e-mail now: it is tried again; if that goes on, look into the log of the mail server',
  smtp_5xx:
    'the mail server refuses the e-mail for good: its reply is in the event, and most often the recipient does not exist',
  policy:
    'the mail server does not let this service send: allow this host or this user to relay, and to use the address of the sender',
  too_large: 'the e-mail is larger than the mail server takes: make it smaller, or raise the limit of the mail server',
  smtputf8:
    'the mail server does not take addresses that are not ASCII: switch SMTPUTF8 on there (smtputf8_enable in Postfix)',
  auth_failed:
    'the mail server refuses user and password, or wants some: correct them in SMTP_URL, where they are percent-encoded',
  tls: 'no TLS with the mail server: SMTP_URL needs smtps:// for port 465, and smtp:// for ports where the server offers STARTTLS; ?requireTLS=false goes without',
  dns: 'the host in SMTP_URL was not found: correct it, or the name servers of this machine',
  connection_refused: 'nothing listens on host and port of SMTP_URL: start the mail server, or correct SMTP_URL',
  connection_failed:
    'no connection to host and port of SMTP_URL: look at routes and firewalls; many networks block port 25, so try 587',
  connection_lost: 'the connection to the mail server broke: if that goes on, look into the log of the mail server',
  server_refused:
    'the mail server refuses the conversation before there is an e-mail: look into its log; it may want another name than ours (SMTP_NAME)',
  too_many_connections:
    'the mail server counts too many connections: fewer are used for a while; lower MAIL_CONNECTIONS',
  protocol: 'what answers is no mail server, or one out of step: look at host and port of SMTP_URL',
  timeout: 'the mail server did not answer in time: look at its load, and at firewalls that drop packets',
  stopped: 'the service stops: the e-mail is sent after the next start',
  outbox_unavailable: 'the folder outbox of the data folder cannot be written to: look at its owner and at free space',
  invalid_message: 'no message can be made of the e-mail: this is a fault of the service, please report it',
};
export type AttemptReason = keyof typeof ofTransport;

const ofMailer = {
  not_started: 'the e-mail was claimed and not sent: it is sent now',
  run_lapsed: 'this mailer lost its lease before the e-mail was handed over: a mailer sends it now',
  run_ended: 'the mailer that was sending the e-mail ended before it knew the answer: the e-mail may have arrived',
  deadline_passed:
    'the mailer that was sending the e-mail has not said in time how it went: the e-mail may have arrived',
  gave_up: 'the mail server did not take the e-mail until the time was over: audience email release sends it again',
  restored:
    'the log was restored from a backup, and the e-mail may have been sent after it was made: audience email release sends it, audience email cancel does not',
  withdrawn: 'the e-mail may not go out any more, so nothing of it was handed over',
};
/** Those of the transport, and the mailer's own. */
export type EndingReason = AttemptReason | keyof typeof ofMailer;

const withdrawals = {
  erased: 'the recipient asked to be erased',
  suppressed: 'the recipient refuses such e-mails',
  unsubscribed: 'the recipient is not subscribed to the list any more',
  list_deleted: 'the list that it was for was deleted',
};
/** Why an e-mail may not go out any more: the reason of the EmailCancelled that follows. */
export type Withdrawal = keyof typeof withdrawals;

const untrustedCertificate =
  'the certificate of the mail server is not trusted, so nothing is sent: name the CA that signed it in NODE_EXTRA_CA_CERTS, or have SMTP_URL name a host that the certificate names';
const aboutCertificates = /^(?:ERR_TLS_CERT|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED)/;

const byReason = new Map<string, string>(Object.entries({ ...ofTransport, ...ofMailer, ...withdrawals }));

/** Of a reason that it does not know, the reason itself. */
export const reasonInWords = ({
  reason,
  tls_code = '',
}: {
  readonly reason: string;
  readonly tls_code?: string | undefined;
}) => (aboutCertificates.test(tls_code) ? untrustedCertificate : (byReason.get(reason) ?? reason));
