/** A long read: how far it is, and how to stop it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AudienceClient } from '../../../client/client.js';
import { endIfRefused, session } from '../../session.js';

export interface Reading<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  /** Lines read so far; undefined: nothing is being read. */
  readonly progress: number | undefined;
  readonly isStopped: boolean;
  cancel(): void;
}

type Read<Data> = (client: AudienceClient, signal: AbortSignal, onProgress: (lines: number) => void) => Promise<Data>;
type State<Data> = Omit<Reading<Data>, 'cancel'>;

const nothing = { data: undefined, error: undefined, progress: undefined, isStopped: false };

/** Reads when one of `about` changes; `read` is undefined where there is nothing to ask for yet. */
export function useReading<Data>(read: Read<Data> | undefined, about: readonly unknown[]): Reading<Data> {
  const [state, setState] = useState<State<Data>>(nothing);
  const running = useRef<AbortController | undefined>(undefined);
  const client = session.value?.client;

  useEffect(() => {
    setState(nothing);
    if (read === undefined || client === undefined) return undefined;
    const abort = new AbortController();
    running.current = abort;
    const settle = (next: Partial<State<Data>>): void => {
      if (!abort.signal.aborted) setState({ ...nothing, ...next });
    };
    settle({ progress: 0 });
    read(client, abort.signal, (progress) => settle({ progress })).then(
      (data) => settle({ data }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        endIfRefused(error);
        settle({ error });
      },
    );
    return () => abort.abort();
  }, [...about, client]);

  function cancel(): void {
    running.current?.abort();
    setState({ ...nothing, isStopped: true });
  }

  return { ...state, cancel };
}
