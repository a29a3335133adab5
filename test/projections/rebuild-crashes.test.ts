/** Rebuilds and the projector that are killed, or whose views go out of reach, at the worst moment. */
import { expect, it } from 'vitest';
import type { ReadModels } from '../../src/readmodels/read-models.js';
import { ReadModelsUnavailableError } from '../../src/readmodels/read-models.js';
import { contactId, logOf, unreadable } from '../support/contact-log.js';
import { documentsOf } from '../support/fresh-fold.js';
import { openViews, startProjector } from '../support/rebuilding.js';

/** Read models whose calls fail while `isDown` says so. */
function failing(models: ReadModels, isDown: (call: 'drop' | 'forget' | 'commit' | 'find', name: string) => boolean) {
  const up = (call: 'drop' | 'forget' | 'commit' | 'find', name: string): void => {
    if (isDown(call, name)) throw new ReadModelsUnavailableError('killed');
  };
  const wrapped: ReadModels = {
    ...models,
    async drop(view) {
      up('drop', view.name);
      await models.drop(view);
    },
    async forget(name) {
      up('forget', name);
      await models.forget(name);
    },
    async commit(commit) {
      up('commit', commit.checkpoint.name);
      await models.commit(commit);
    },
    async find(view, query) {
      up('find', view.name);
      return models.find(view, query);
    },
  };
  return wrapped;
}

it('a kill while a given-up rebuild is cleared away does not have the next one go on in empty storages', async () => {
  const store = await logOf(600);
  await store.append(`contact-${contactId(0)}`, [unreadable()], { expectedRevision: 'any' });
  for (const survived of [0, 1, 2]) {
    const views = openViews();
    const state = { isFilled: false, left: survived };
    const models = failing(views.models, (call, name) => {
      if (name === 'rebuild' && call === 'commit') state.isFilled = true;
      return state.isFilled && (call === 'drop' || (call === 'forget' && name === 'rebuild')) && state.left-- <= 0;
    });
    const projector = startProjector({ store, views: { ...views, models } });
    await projector.caughtUp();
    const before = await documentsOf(projector.reader);
    const wanted = ['contacts', 'memberships'];
    await expect(projector.rebuild({ views: wanted })).rejects.toThrow('killed');
    state.left = Infinity;
    expect(await projector.rebuild({ views: wanted, isStart: true })).toMatchObject({ outcome: 'switched' });
    expect(await documentsOf(projector.reader)).toEqual(before);
  }
});
