/** How long it takes from an append until the views show it: a span from the one to the other, whichever thread or process folds. */
import type { Attributes, Span, Tracer } from '@opentelemetry/api';
import { childrenOf } from './under-way.js';

/** Appends that are waited for. Further ones have no such span. */
const mostAwaited = 2_000;

export type Shown = ReturnType<typeof createShown>;

export function createShown(tracer: Tracer) {
  let visible = '';
  let awaited: { readonly position: string; readonly span: Span }[] = [];

  return {
    /** An append ended, up to this position. */
    await(position: string, append: Span, attributes: Attributes): void {
      if (position > visible && awaited.length >= mostAwaited) return;
      const span = tracer.startSpan('projection', { attributes }, childrenOf(append));
      if (position > visible) awaited.push({ position, span });
      else span.end();
    },
    /** The views show everything up to here now. */
    onShown(position: string): void {
      visible = position;
      if (awaited.length === 0) return;
      for (const { span } of awaited.filter((one) => one.position <= visible)) span.end();
      awaited = awaited.filter((one) => one.position > visible);
    },
  };
}
