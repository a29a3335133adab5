/** The life of an e-mail as its stream tells it: the states it went through, and whether each step was a legal one. */

const none = { state: 'none', attempts: 0, sentAt: null, nextAttemptAt: null, running: undefined, doubts: [] };

/** The state after each event, with the position from which it held. */
export function emailStates(events) {
  const states = [];
  for (const event of events) states.push({ ...evolve(states.at(-1) ?? none, event), from: event.position });
  return states;
}

function evolve(before, { type, data, metadata }) {
  // `sent` is final.
  if (before.state === 'sent') return before;
  const idle = { ...before, running: undefined, nextAttemptAt: data.next_attempt_at ?? null };
  switch (type) {
    case 'EmailRequested':
      return { ...none, state: 'requested' };
    case 'EmailDispatchStarted':
      return { ...idle, state: 'sending', attempts: data.attempt, running: data.run_id };
    case 'EmailSent':
      return { ...idle, state: 'sent', sentAt: metadata.at };
    case 'EmailDeferred':
      return { ...idle, state: 'deferred' };
    case 'EmailFailed':
      return { ...idle, state: 'failed' };
    case 'EmailInDoubt':
      return {
        ...idle,
        state: data.next_attempt_at === null ? 'held' : 'in_doubt',
        doubts: [...before.doubts, data.attempt],
      };
    default:
      return { ...idle, state: `after ${type}` };
  }
}

/** What is wrong with the order of the events. */
export function checkSequence(events) {
  const problems = [];
  const ids = new Set();
  let before = none;
  for (const event of events) {
    const { type, data, metadata, revision } = event;
    if (!isLegal(before, event)) problems.push(`${type} at revision ${revision} after ${before.state}`);
    if (data.email_id !== events[0].data.email_id) problems.push(`revision ${revision} is of another e-mail`);
    if (type !== 'EmailRequested') {
      if (metadata.actor !== 'mailer') problems.push(`${type} by ${metadata.actor}`);
      if (metadata.$correlationId !== events[0].metadata.$correlationId)
        problems.push(`${type} has lost its correlation`);
      if (!ids.has(metadata.$causationId)) problems.push(`${type} is not caused by an earlier event of the e-mail`);
    }
    ids.add(event.event_id);
    before = evolve(before, event);
  }
  return problems;
}

function isLegal(before, { type, data, metadata }) {
  const isRunning = before.state === 'sending' && data.attempt === before.attempts;
  switch (type) {
    case 'EmailRequested':
      return before.state === 'none';
    case 'EmailDispatchStarted': {
      const isDue = before.nextAttemptAt === null ? before.state === 'requested' : before.nextAttemptAt <= metadata.at;
      return (
        isDue && ['requested', 'deferred', 'in_doubt'].includes(before.state) && data.attempt === before.attempts + 1
      );
    }
    case 'EmailSent':
      // A 250 may be told late, for an attempt that was put in doubt meanwhile.
      return before.state !== 'sent' && (isRunning || before.doubts.includes(data.attempt));
    case 'EmailDeferred':
    case 'EmailFailed':
    case 'EmailInDoubt':
      return isRunning;
    default:
      return false;
  }
}

/** Each run of the service ends before the next begins: their claims never mix. */
export function checkRuns(events) {
  const problems = [];
  const over = new Set();
  let current;
  for (const { type, data, position } of events) {
    if (type !== 'EmailDispatchStarted' || data.run_id === current) continue;
    if (over.has(data.run_id)) problems.push(`a run that was over claims an e-mail at position ${position}`);
    if (current !== undefined) over.add(current);
    current = data.run_id;
  }
  return problems;
}
