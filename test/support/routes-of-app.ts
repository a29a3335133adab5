/** The routes that the app has, for tests that hold documents against them. */
import { createApp, type ApiOptions } from '../../src/api/app.js';

export interface Route {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
}

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

/** Methods in lower case. Nothing is called, so nothing has to be there. */
export function routesOfApp(): readonly Route[] {
  const hollow = { keys: {}, audience: {}, queries: {}, ownWrites: {}, limits: {} } as unknown as ApiOptions;
  const { stack } = createApp(hollow).router as unknown as { stack: readonly Layer[] };
  return stack.flatMap(({ route }) => {
    if (route === undefined) return [];
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    const methods = Object.keys(route.methods).filter((method) => method !== '_all');
    return methods.map((method) => ({ method, path }));
  });
}
