/** What the owner of the shop sets up and changes: keys, lists, tags, groups. */
import { groupNames, habits, interests, lastingLists, listNames, type ClientName, type ListKey } from '../shop.js';
import type { Scene } from '../stage.js';
import { hour, minute } from '../world.js';

const hiredAtBegin: readonly ClientName[] = [
  ...(['web-form', 'shop', 'crm-import', 'newsletter-tool', 'mail-relay', 'analytics', 'support'] as const),
];

export const upkeep: Scene = ({ world, staff, members }) => {
  const { plan, takes, now, onDay } = world;
  const { groups, lists, tags } = world.commands.audience;
  const { groupIds, listIds, tagIds } = members;
  const random = world.random('upkeep');
  const by = () => staff.by('default');
  const byHand = (): void => takes(random.whole(2_000, 40_000));

  async function createList(list: ListKey): Promise<void> {
    listIds.set(list, (await lists.create(listNames[list], by())).id);
  }

  async function deleteList(list: ListKey): Promise<void> {
    await lists.remove(members.listId(list), by());
    listIds.delete(list);
  }

  async function setUp(): Promise<void> {
    for (const name of hiredAtBegin) {
      await staff.hire(name);
      byHand();
    }
    for (const name of groupNames) {
      groupIds.set(name, (await groups.create(name, by())).id);
      byHand();
    }
    for (const list of lastingLists) {
      await createList(list);
      byHand();
    }
    for (const name of [...interests, ...habits]) {
      tagIds.set(name, (await tags.create(name, by())).id);
      byHand();
    }
  }

  plan(now() + minute, setUp);
  plan(onDay(58) + 10 * hour, () => createList('openHouse'));
  plan(onDay(152) + 15 * hour, () => deleteList('openHouse'));
  plan(onDay(195) + 9 * hour, () => createList('prizeDraw'));
  plan(onDay(246) + 10 * hour, () => deleteList('prizeDraw'));

  const idOf = (ids: ReadonlyMap<string, string>, name: string): string => ids.get(name) ?? '';
  plan(onDay(64) + 13 * hour, async () => {
    await groups.rename({ id: idOf(groupIds, 'Shop team'), name: 'Orders and returns' }, by());
  });
  plan(onDay(97) + 11 * hour, async () => {
    await tags.rename({ id: idOf(tagIds, 'contest winner'), name: 'prize winner' }, by());
  });
  plan(onDay(112) + 14 * hour, async () => {
    await lists.rename({ id: members.listId('app'), name: 'App preview' }, by());
  });
  plan(onDay(171) + 16 * hour, async () => {
    await tags.remove(idOf(tagIds, 'gift card'), by());
  });
  plan(onDay(220) + 9 * hour, async () => {
    await groups.remove(idOf(groupIds, 'Agencies'), by());
  });

  plan(onDay(133) + 8 * hour, () => staff.hire('fair-tablet'));
  plan(onDay(143) + 19 * hour, () => staff.revoke('fair-tablet', 'lost at the fair'));
  plan(onDay(184) + 7 * hour, () => staff.rotate('crm-import'));
  plan(onDay(185) + 7 * hour, () => staff.expire());
  plan(onDay(40) + 9 * hour, () => staff.hire('summer-help', 60));
  plan(onDay(100) + 9 * hour, () => staff.expire());
  plan(onDay(-75) + 9 * hour, () => staff.hire('auditor', 365));
};
