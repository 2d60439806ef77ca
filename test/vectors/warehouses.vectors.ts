import { chooseWarehouses } from '#reference/availability.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import {
  optionNamed,
  productNamed,
  referenceOf,
  serves,
  warehouseNamed,
} from '#test/support/builders/reference.ts';
import { table } from './vector.ts';

type Shelves = Readonly<Record<string, number | null>>;

/** East goes everywhere, west to Germany only; east comes first. */
const choose = (shelves: Shelves, countryCode: string, quantity: number): string => {
  const reference = referenceOf(
    warehouseNamed('east'),
    warehouseNamed('west', [serves('DE')]),
    optionNamed('parcel', 'east'),
    productNamed('mug', { shelves }),
  );
  const choice = chooseWarehouses(
    reference,
    reference.sellable('mug'),
    { countryCode, regionCode: null },
    quantity,
    new Map(),
  );
  if (choice.kind === 'destination') return 'nobody goes there';
  if (choice.kind === 'stock') return `${choice.requested} wanted, ${choice.available} available`;
  const nameOf = (id: string): string => (id === idNamed('east') ? 'east' : 'west');
  return choice.parts.map(({ warehouseId, quantity: units }) => `${units} ${nameOf(warehouseId)}`).join(', ');
};

export const warehouses = table(
  'Which warehouse sends?',
  'docs/rules/inventory.md#which-warehouse-sends',
  choose,
  [
    ['east 5, west 9; 4 to DE', '4 east', { east: 5, west: 9 }, 'DE', 4],
    ['east 5, west 9; 7 to DE', '7 west', { east: 5, west: 9 }, 'DE', 7],
    ['east 5, west 9; 12 to DE', '5 east, 7 west', { east: 5, west: 9 }, 'DE', 12],
    ['east 5, west 9; 15 to DE', '15 wanted, 14 available', { east: 5, west: 9 }, 'DE', 15],
    ['east 5, west 9; 7 to GB', '7 wanted, 5 available', { east: 5, west: 9 }, 'GB', 7],
    ['east 5, west uncounted; 70 to DE', '70 west', { east: 5, west: null }, 'DE', 70],
    ['west 9 only; 1 to GB', 'nobody goes there', { west: 9 }, 'GB', 1],
  ],
);
