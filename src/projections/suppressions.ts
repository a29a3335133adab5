/** The view `suppressions`: one document per address that refuses mail, with what it refuses. Of an erased person it holds no address. */
import { suppressedKey, suppressionStream } from '../events/streams.js';
import { activeAfter, type Suppression } from '../events/suppressions.js';
import type { Standing } from './names.js';
import { CannotFoldError, type Projection } from './projection.js';
import type { QueryViews } from './query-reader.js';

export type SuppressionDocument = {
  /** As it was last given; null: the person is erased. */
  readonly email: string | null;
  /** In the order in which they came. */
  readonly active: readonly Suppression[];
  /** Of each of them its scope, its reason, and `scope/reason`. */
  readonly found_by: readonly string[];
};

/** By the scope, the reason, or both. Undefined: every document is wanted. */
export function foundBy({
  scope,
  reason,
}: {
  readonly [Name in 'scope' | 'reason']?: Suppression[Name] | undefined;
}): string | undefined {
  const wanted = [scope, reason].filter((one) => one !== undefined);
  return wanted.length === 0 ? undefined : wanted.join('/');
}

/** A refusal that is only counted changes no document. */
const handles = ['AddressSuppressed', 'AddressReleased', 'SuppressionErased'] as const;
const handled: ReadonlySet<string> = new Set(handles);

export const suppressions: Projection<SuppressionDocument> = {
  name: 'suppressions',
  version: 1,
  personal: true,
  indexes: [],
  arrayIndexes: ['found_by'],
  fields: ['email', 'active', 'found_by'],
  handles,

  keys: ({ event, stream }) => (handled.has(event.type) ? [suppressedKey(stream)] : []),

  evolve(document, { event, metadata }) {
    const { email, active } = document ?? nobody;
    switch (event.type) {
      case 'AddressSuppressed':
        return withActive(event.data.person?.email ?? email, activeAfter(active, event, metadata.at));
      case 'AddressReleased':
        return withActive(email, activeAfter(active, event, metadata.at));
      case 'SuppressionErased':
        return withActive(null, active);
      default:
        throw new CannotFoldError(`suppressions do not fold ${event.type}`);
    }
  },
};

const nobody: Pick<SuppressionDocument, 'email' | 'active'> = { email: null, active: [] };

const withActive = (email: string | null, active: readonly Suppression[]): SuppressionDocument | null =>
  active.length === 0 ? null : { email, active, found_by: wordsOf(active) };

const wordsOf = (active: readonly Suppression[]): readonly string[] => [
  ...new Set(active.flatMap(({ scope, reason }) => [scope, reason, `${scope}/${reason}`])),
];

/** What this process knows by the log, without a read. Of neither is `false` certain. */
export interface KnownRefusals {
  /** Nobody has ever refused mail. */
  isNobody(): boolean;
  refusesNothing(contactKey: string): boolean;
}

interface LookupOptions {
  readonly known: KnownRefusals;
  /** Where the views stand: while they stand there nobody else can have refused mail. */
  readonly standing: Standing;
  /** The view is not being built for the first time. */
  readonly isBuilt: () => boolean;
}

/** What addresses refuse, for what is shown beside it. While nobody refuses anything no document is looked up. */
export function createSuppressionLookup(views: QueryViews, { known, standing, isBuilt }: LookupOptions) {
  const opened = [suppressions];
  let isAnybody = false;
  let at: readonly unknown[] = [];

  async function isThereAny(): Promise<boolean> {
    const now = standing();
    if (now.length === at.length && now.every((one, index) => one === at[index])) return false;
    const { documents } = await views.open(opened).find(suppressions, { limit: 1 });
    at = now;
    return documents.length > 0;
  }

  return {
    ...known,
    /** This process has written that somebody refuses mail. */
    note: (): void => void (isAnybody = true),
    /** @throws ReadModelsUnavailableError */
    async isAnybody(): Promise<boolean> {
      isAnybody ||= isBuilt() && (await isThereAny());
      return isAnybody;
    },
    /** Returns what the address refuses. @throws ReadModelsUnavailableError @throws what the readers of views throw */
    async of(contactKey: string): Promise<readonly Suppression[]> {
      const reader = views.open(opened);
      const found = await reader.get<SuppressionDocument>(suppressions, contactKey);
      reader.refuseParked(suppressions, suppressionStream(contactKey));
      return found?.document.active ?? [];
    },
  };
}

export type SuppressionLookup = ReturnType<typeof createSuppressionLookup>;
