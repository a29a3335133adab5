/** What the endpoints of refused mail do: suppress, search, release, list. */
import type { z } from 'zod';
import type { Audit } from '../../../audit/audit.js';
import { suppressionsIn } from '../../../audit/suppressions.js';
import type { Audience } from '../../../commands/audience.js';
import { comparedAddress } from '../../../events/address.js';
import { recipientOf, suppressionStream } from '../../../events/streams.js';
import type { Suppression } from '../../../events/suppressions.js';
import type { Queries } from '../../../projections/queries.js';
import type { AccessLog } from '../../http/access-log.js';
import { defaultBodyLimit } from '../../http/body.js';
import { createBulks } from '../../http/bulk.js';
import { createParser } from '../../http/parse.js';
import { answerOfPage, pageRequest, type Reads } from '../../http/reads.js';
import type { Routes } from '../../http/routes.js';
import { suppression, suppressionEndpoints } from './endpoints.js';

export interface SuppressionParts {
  readonly audience: Pick<Audience, 'suppressions'>;
  readonly audit: Pick<Audit, 'stored'>;
  readonly access: AccessLog;
  readonly queries: Pick<Queries, 'pageSuppressions'>;
  readonly reads: Reads;
  readonly streamOf: (email: string) => string;
  /** Slows writes down while the views lag. */
  readonly admit: () => Promise<void> | undefined;
  readonly stopping: AbortSignal;
}

type Refusal = z.output<typeof suppression>;

export function suppressionRoutes(routes: Routes, parts: SuppressionParts): void {
  const { audience, audit, access, queries, reads, streamOf } = parts;
  const { suppressions } = audience;
  const { bodyLimit = defaultBodyLimit } = suppressionEndpoints.add;
  const { parse } = createParser(suppression);
  const bulk = createBulks('suppressions_bulks', parts);

  routes.on(suppressionEndpoints.add, async (call) => {
    const { input, context } = call;
    if (input !== undefined) {
      const { active, isChanged, position } = await suppressions.suppress(input, context);
      const outcome = isChanged ? 'created' : 'unchanged';
      return { data: { outcome, active: active.map(shown), position } };
    }
    return await bulk(call, {
      limit: bodyLimit,
      parse: (line) => parse(line, true),
      addressOf: ({ email }: Refusal) => comparedAddress(email),
      save: async (refusal: Refusal, isLikelyNew) => {
        const { isChanged, position } = await suppressions.suppress(refusal, context, isLikelyNew);
        return { outcome: isChanged ? 'created' : 'unchanged', position };
      },
    });
  });

  routes.on(suppressionEndpoints.release, async ({ input, context }) => {
    const { active, isChanged, position } = await suppressions.release(input, context);
    const outcome = isChanged ? 'released' : 'unchanged';
    return { data: { outcome, active: active.map(shown), position } };
  });

  // By the log: nothing has to be waited for.
  routes.on(suppressionEndpoints.search, async (call) => {
    const subject = recipientOf(streamOf(call.input.email));
    const data = await access.answering(call, { subject, what: 'suppressions' }, () =>
      suppressionsIn(audit.stored.ofStream(suppressionStream(subject), call.signal())),
    );
    return { data };
  });

  routes.on(suppressionEndpoints.page, async (call) => {
    const { reason, scope } = call.query;
    const pageScope = ['suppressions', reason ?? '', scope ?? ''];
    const page = pageRequest(call.query, pageScope);
    await reads.visible(call, { touched: ['suppressions'], parked: [] });
    const isIncomplete = reads.isIncomplete(['suppressions']);
    const found = await queries.pageSuppressions({ ...page, reason, scope });
    return answerOfPage(found, { isIncomplete, scope: pageScope });
  });
}

const shown = (one: Suppression): object => ({ ...one, email_id: one.email_id ?? null });
