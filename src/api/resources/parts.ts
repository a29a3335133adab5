/** The parts of the service that handlers work with. Each handler takes the parts that it needs. */
import type { Audit } from '../../audit/audit.js';
import type { AuditReader } from '../../audit/reading.js';
import type { Reports } from '../../bounces/take-report.js';
import type { RecordRead } from '../../commands/access.js';
import type { Audience } from '../../commands/audience.js';
import { createSlots, longAnswers } from '../../flow/slots.js';
import type { Proofs } from '../../integrity/service-proofs.js';
import type { PauseTimings } from '../../mailer/timings.js';
import type { Erasures } from '../../privacy/erasures.js';
import type { AnalyticsQueries } from '../../projections/analytics-queries.js';
import type { Projection } from '../../projections/projection.js';
import type { Queries } from '../../projections/queries.js';
import type { SuppressionLookup } from '../../projections/suppressions.js';
import type { RebuildRequest } from '../../rebuild/answers.js';
import type { RebuildRecord } from '../../rebuild/rebuild-record.js';
import type { createProver } from '../../stores/identity.js';
import type { AccessLog } from '../http/access-log.js';
import { createBulks } from '../http/bulk.js';
import { endpointsWith } from '../http/endpoint.js';
import type { ServedFile } from '../http/files.js';
import type { ReadMetrics } from '../http/metrics-server.js';
import type { KeysOfApi } from '../keys/known-keys.js';

export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, object>>;
}

/** Returns the proof that the service has its secret. */
type Prove = ReturnType<typeof createProver>;

/** How far the views of this process are. */
export interface ViewsState {
  readonly position: string;
  /** Milliseconds. */
  readonly lag: number;
  /** Storage version by view. Views that cannot be read are absent. */
  readonly live: Readonly<Record<string, number>>;
  readonly missing: readonly string[];
  readonly parked: readonly {
    readonly storage?: number;
    readonly view: string;
    readonly stream: string;
    readonly position: string;
    readonly reason: string;
  }[];
}

export interface Rebuilds {
  /** @throws ServiceError `rebuild_running` */
  request(request: RebuildRequest): Promise<RebuildRecord>;
  status(): Promise<RebuildRecord | undefined>;
}

/** The parts of a process without the role `api`. */
export interface HealthParts {
  readonly readiness: () => Promise<Readiness>;
  readonly prove: Prove;
}

export interface Parts extends HealthParts {
  readonly audience: Audience;
  readonly queries: Queries;
  readonly suppressed: SuppressionLookup;
  readonly analytics: AnalyticsQueries;
  readonly audit: Audit;
  readonly proofs: Proofs;
  readonly events: Pick<AuditReader, 'readAt'>;
  readonly projections: readonly Projection[];
  readonly views: () => ViewsState;
  readonly rebuilds: Rebuilds;
  readonly erasures: Pick<Erasures, 'request' | 'all'>;
  readonly reports: Pick<Reports, 'take'>;
  readonly keys: KeysOfApi;
  readonly access: AccessLog;
  /** Undefined if reads are not recorded. */
  readonly recordRead?: RecordRead | undefined;
  readonly streamOf: (email: string) => string;
  /** How long emails wait for their next attempt. */
  readonly pauses: PauseTimings;
  readonly readMetrics: ReadMetrics;
  /** Trusts the clock from now on. Resolves with the time, in milliseconds since 1970. */
  readonly confirmClock: () => Promise<number>;
  /** Returns milliseconds since 1970. */
  readonly clock: () => number;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
  readonly bounds: Bounds;
  /** Returns the OpenAPI document, which is made once. */
  readonly openApi: () => ServedFile;
}

const mostFollowers = 100;
const followersOfKey = 25;
const listsAtOnce = 2;
const reportsAtOnce = 2;
const exportsAtOnce = 2;

type Bounds = ReturnType<typeof createBounds>;

/** Creates the limits on how many answers of each kind are made at once. */
export const createBounds = (parts: Parameters<typeof createBulks>[1]) => ({
  contacts: createBulks('contacts_bulks', parts),
  suppressions: createBulks('suppressions_bulks', parts),
  feeds: createSlots('feeds', { running: mostFollowers, runningOfKey: followersOfKey, retryAfter: 60 }),
  lists: createSlots('lists_at', { running: listsAtOnce, ...longAnswers }),
  reports: createSlots('reports', { running: reportsAtOnce, ...longAnswers }),
  exports: createSlots('exports', { running: exportsAtOnce, ...longAnswers }),
});

export const { read, readOfLog, search, write, lenientRead, lenientWrite, lenientRemove } = endpointsWith<Parts>();
