import { expect } from 'chai';
import { z } from 'zod';
import { createEntityActions } from '#command/engine/entity.actions.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { entityList } from '#command/engine/store-list.ts';
import { count as givenCount, guid as givenGuid, name, optionalText } from '#fields/body-fields.ts';
import { defineEntity, type FieldsOf } from '#entities/define-entity.ts';
import { entities } from '#entities/entities.ts';
import { warehouse } from '#entities/warehouse.entity.ts';
import { count, guid, text } from '#events/fields.ts';
import { fold } from '#kernel/decider.ts';
import { entityDecider, rulesOn } from '#kernel/entity.ts';
import type { Recorded } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { entityView } from '#projection/engine/entity-view.ts';
import { createCatalogueReference } from '#reference/catalogue.reference.ts';
import { nothingKept } from '#values/text-cipher.ts';
import { createEntityReference } from '#reference/entities.reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { restarted } from '#test/support/restart-part.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { warehouseNamed } from '#test/support/builders/reference.ts';
import { recordedEvents } from '#test/support/given.ts';

const shelf = defineEntity({
  category: 'shelf',
  context: 'tests',
  noun: 'shelf',
  path: '/shelves',
  list: 'shelves',
  fields: { name: text, code: text.nullable(), warehouseId: guid, height: count },
  body: () => ({ name, code: optionalText, warehouseId: givenGuid, height: givenCount }),
  defaults: { code: null, height: 1 },
  response: { name: z.string(), code: z.string().nullable(), warehouseId: z.string(), height: z.int() },
  searched: ['name', 'code'],
  sorted: ['height'],
  unique: { code: { kind: 'shelf-code', inCase: 'lower' } },
  references: { warehouseId: 'warehouse' },
});

const { ShelfChanged, ShelfCreated, ShelfDeleted } = shelf.events.create;
const at = '2030-06-01T12:00:00.000Z';
const fine = { at, problems: () => [], dependents: () => [] };
const low = { name: 'Low', code: 'L1', warehouseId: idNamed('east'), height: 1 };
const stream = `shelf-${idNamed('low')}`;

const kinds = [warehouse, shelf];
const stored = (...events: readonly Recorded[]) => {
  const reference = createEntityReference(kinds, nothingKept);
  for (const event of events) applyEvent(reference, event);
  return reference;
};
const eastAndShelf = (): readonly Recorded[] =>
  recordedEvents([warehouseNamed('east'), { ...ShelfCreated({ shelf: low, at }), stream }]);

const actionsOn = (reference: ReturnType<typeof createEntityReference>) => {
  const clock = { now: () => Date.parse(at) };
  const deps = { clock, reference: { catalogue: createCatalogueReference(), entities: reference } };
  const rule = rulesOn<FieldsOf<typeof shelf>>();
  const rules = [rule(['height'], ({ height }) => (height > 9 ? ['height: must be 9 or less'] : []))];
  const currency = () => 'GBP';
  return createEntityActions(shelf, { rules }, deps as unknown as CommandDeps, { currency, kinds });
};

describe('a resource of the tests’ own', () => {
  it('is created, changed and deleted by events under its name', () => {
    const decider = entityDecider(shelf);
    const { initial, decide } = decider;
    const created = ShelfCreated({ shelf: low, at });
    expect(decide(initial(), { type: 'Create', fields: low }, fine)).to.deep.equal([created]);
    const kept = fold(decider, [created]);
    expect(decide(kept, { type: 'Change', changes: { height: 2 } }, fine)).to.deep.equal([
      ShelfChanged({ shelf: { ...low, height: 2 }, at }),
    ]);
    expect(decide(kept, { type: 'Delete' }, fine)).to.deep.equal([ShelfDeleted({})]);
    expect(fold(decider, [created, ShelfDeleted({})]).status).to.equal('deleted');
  });

  it('is listed with what search looks through, and sorted by what it declares', () => {
    const { name: view, indexes, on } = entityView(shelf);
    const [, event] = eastAndShelf();
    const document = on['ShelfCreated']?.(null as never, event as never, idNamed('low'));
    expect(view).to.equal('shelves');
    expect(indexes).to.deep.include({ fields: ['fields.height'] });
    expect(document).to.deep.equal({
      _id: idNamed('low'),
      fields: low,
      dateCreated: at,
      dateUpdated: at,
      searchText: 'low l1',
    });
  });

  it('blocks the deletion of what it refers to, and is found by its unique value', () => {
    const reference = stored(...eastAndShelf());
    expect(reference.users('warehouse', idNamed('east'))).to.deep.equal(['the shelf Low']);
    expect(reference.owner(shelf, ({ code }) => code === 'L1')).to.deep.equal({
      id: idNamed('low'),
      name: 'Low',
    });
    expect(restarted(stored(), reference).users('warehouse', idNamed('east'))).to.deep.equal([
      'the shelf Low',
    ]);
  });

  it('whose creation was abandoned can be created by a later command or one without claims', () => {
    const decider = entityDecider(shelf);
    const abandoned = fold(decider, [{ type: 'CreationAbandoned', data: {} }]);
    const create = (abandonedBefore?: number) =>
      decider.decide(
        abandoned,
        { type: 'Create', fields: low, ...(abandonedBefore === undefined ? {} : { abandonedBefore }) },
        fine,
      );
    expect(() => create(0))
      .to.throw(Rejection)
      .with.property('code', 'value-taken');
    expect(create(1)).to.have.length(1);
    expect(create()).to.have.length(1);
  });

  it('is refused with all problems of schema, rules and references', async () => {
    const actions = actionsOn(stored());
    const body = { name: '', warehouseId: idNamed('nowhere'), height: 12 };
    expect(shelf.createBody(() => 'GBP').safeParse(body).success).to.equal(false);
    expect(await actions.problemsBeside(body, null)).to.deep.equal([
      'warehouseId: must be an existing warehouse',
      'height: must be 9 or less',
    ]);
  });

  it('comes after what it refers to, like all resources, so that a store file imports in one pass', () => {
    const seen: string[] = [];
    for (const { category, references } of [...entities, shelf]) {
      expect(seen, category).to.include.members(Object.values(references));
      seen.push(category);
    }
  });

  it('has its place in a store file, where it names others by their keys', () => {
    const reference = stored(...eastAndShelf());
    const list = entityList(actionsOn(reference) as never, () => 'GBP', reference);
    expect(list.name).to.equal('shelves');
    expect(list.references).to.deep.equal([
      { field: 'warehouse', list: 'warehouses', becomes: 'warehouseId' },
    ]);
    expect(list.create.parse({ name: 'Top', warehouseId: idNamed('east') })).to.deep.equal({
      name: 'Top',
      code: null,
      warehouseId: idNamed('east'),
      height: 1,
    });
    expect(list.problemsOf(idNamed('top'), { ...low, name: 'Top' })).to.deep.equal([
      'code: L1 belongs to Low',
    ]);
  });
});
