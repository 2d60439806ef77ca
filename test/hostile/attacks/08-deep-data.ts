import { expectStatus, finding, management, must, shortResponse, unique, type Attack } from '../attack.ts';
import { shownBy } from '../suites.ts';

const nested = (levels: number): unknown => JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels));

/** Stores what the read side cannot write, and looks whether that still follows. */
export const attack: Attack = {
  title: 'data 1,200 levels deep, or of 100 kB',
  before: 'accepted; then the read models stopped for good, also after a restart and a rebuild',
  kind: 'own',
  run: async (target) => {
    const { shop } = target;
    const save = (extendedData: unknown) =>
      shop.admin.post(`${management}/products`, {
        rootName: 'Deep',
        sku: unique('DEEP'),
        price: 1,
        extendedData,
      });
    const complaints = [
      ...expectStatus('1,200 levels', await save({ deep: nested(1200) }), 400),
      ...expectStatus('40 levels', await save({ deep: nested(40) }), 400),
      ...expectStatus('90 kB', await save({ long: 'x'.repeat(90_000) }), 400, 413),
    ];
    const name = unique('After');
    must('tax group', await shop.admin.post(`${management}/tax-groups`, { name, taxPercentage: 1 }));
    await shop
      .settle()
      .catch((error: unknown) => complaints.push(`the read side stands still: ${String(error)}`));
    const list = await shop.admin.get(`${management}/tax-groups?search=${name}`);
    if (list.body?.items?.length !== 1)
      complaints.push(`what was saved afterwards is not listed: ${shortResponse(list)}`);
    const suite = await shownBy(['failures/f34-*'])(target);
    if (!suite.held) complaints.push(suite.now);
    return finding(`400 above 20 levels and 64 kB; ${suite.now}`, complaints);
  },
};
