/** The log lines of requests. */
import type { Logger } from 'pino';
import { ServiceError } from '../../errors.js';
import { isUnavailable } from './envelope.js';
import type { RequestLine } from '../../flow/observe.js';

/**
 * One line per request in pino's format, put together here: every value is a number, a constant or checked before, and
 * pino's own way costs a tenth of a GET. Faults go through pino, with their cause. A request that the service refuses for
 * a moment (too many at once, views that lag, a parked stream) is no fault: its stack would say nothing.
 */
export function requestLog(logger: Logger, lines: { write(line: string): void }): (line: RequestLine) => void {
  const isOn = logger.isLevelEnabled('info');
  function report({ error, correlation_id: _, ...given }: RequestLine): void {
    const line = { ...given, duration: Number(milliseconds(given.duration)) };
    if (error instanceof ServiceError && isUnavailable(error.code) && error.cause === undefined)
      logger.warn(line, 'request rejected: temporarily unavailable');
    else logger.error({ ...line, err: error }, 'request failed');
  }
  return (line) => {
    if (line.error !== undefined) report(line);
    else if (isOn) lines.write(requestLine(line));
  };
}

function requestLine({ request_id, trace_id, method, route, status, duration, actor }: RequestLine): string {
  const who = actor === undefined ? '' : `,"actor":"${actor}"`;
  const where = trace_id === undefined ? '' : `,"trace_id":"${trace_id}"`;
  return `{"level":30,"time":${Date.now()},"request_id":"${request_id}"${where},"method":"${method}","route":"${route}","duration":${milliseconds(duration)}${who},"status":${status},"msg":"request"}\n`;
}

/** Three decimals from whole numbers: formatting a fraction costs more than the rest of the line. */
function milliseconds(duration: number): string {
  const microseconds = Math.round(duration * 1000);
  const rest = microseconds % 1000;
  return `${(microseconds - rest) / 1000}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`;
}
