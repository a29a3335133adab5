/** Reads a stream of server-sent events as the HTML standard defines it, as far as ours use it. */

export interface ServerSentEvent {
  /** Of the last event that had one. */
  readonly id: string;
  /** `message` where it has no name. */
  readonly event: string;
  /** Empty where only an id came. */
  readonly data: string;
}

/** Ends with the stream; a piece without its empty line at the end is dropped. */
export async function* serverSentEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  let id = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = eventIn(block, id);
      if (event === undefined) continue;
      id = event.id;
      yield event;
    }
  }
}

/** Undefined: nothing but a comment. */
function eventIn(block: string, lastId: string): ServerSentEvent | undefined {
  const event = { id: lastId, event: 'message', data: '' };
  const data: string[] = [];
  let isEmpty = true;
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^([^:]+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (name === undefined) continue;
    isEmpty = false;
    if (name === 'data') data.push(value);
    else if (name === 'id' || name === 'event') event[name] = value;
  }
  return isEmpty ? undefined : { ...event, data: data.join('\n') };
}
