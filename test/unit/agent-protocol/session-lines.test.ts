import { expect } from 'chai';
import {
  linesInBasket,
  matchedLines,
  unitsWanted,
} from '#command/contexts/agent-protocol/sessions/session-lines.ts';
import { agentLine } from '#test/support/builders/agent-session.ts';
import { idNamed } from '#test/support/builders/basket.ts';

const wish = (product: string, quantity: number, id?: string) => ({
  ...(id !== undefined && { id }),
  itemId: product,
  productId: idNamed(product),
  quantity,
});
const newId = (index: number): string => `new-${index}`;
const idsAfter = (...wished: ReturnType<typeof wish>[]): readonly string[] =>
  matchedLines([first, second, jar], wished, newId).map(({ lineId }) => lineId);

const first = agentLine('mug', 1, 'first mugs');
const second = agentLine('mug', 2, 'second mugs');
const jar = agentLine('jar', 1);

// docs/rules/agent-sessions.md#lines
describe('The lines of an agent', () => {
  it('stay apart when they are of one product, and are told apart by their ids', () => {
    expect(idsAfter(wish('mug', 5, second.lineId), wish('mug', 6, first.lineId))).to.deep.equal([
      second.lineId,
      first.lineId,
    ]);
  });

  it('are found by the item where no id leads to one, in their order, each once', () => {
    expect(idsAfter(wish('mug', 1), wish('mug', 1), wish('mug', 1))).to.deep.equal([
      first.lineId,
      second.lineId,
      'new-2',
    ]);
  });

  it('leave a line to the request that names its id, wherever that stands', () => {
    expect(idsAfter(wish('mug', 1), wish('mug', 2, first.lineId))).to.deep.equal([
      second.lineId,
      first.lineId,
    ]);
  });

  it('take an id that no answer gave for none, and an id that is named twice for one line', () => {
    expect(
      idsAfter(wish('tea', 1, 'li_1'), wish('jar', 1, jar.lineId), wish('jar', 2, jar.lineId)),
    ).to.deep.equal(['new-0', jar.lineId, 'new-2']);
  });

  it('are one line of the basket for each product', () => {
    expect([...unitsWanted([first, jar, second])]).to.deep.equal([
      [idNamed('mug'), 3],
      [idNamed('jar'), 1],
    ]);
  });
});

// docs/rules/agent-hand-over.md#from-agent-to-shopper
describe('The lines of a session whose basket was handed over', () => {
  const held = (product: string, quantity: number) => ({
    lineId: idNamed(`basket line ${product}`),
    productId: idNamed(product),
    quantity,
  });
  const [mugs, more, jar] = [agentLine('mug', 1), agentLine('mug', 2, 'more mugs'), agentLine('jar', 1)];

  it('stay as they are while the shopper leaves their product alone', () => {
    expect(linesInBasket([mugs, more, jar], [held('mug', 3), held('jar', 1)])).to.deep.equal([
      mugs,
      more,
      jar,
    ]);
  });

  it('are one for each product that the shopper has changed, and none of what they took out', () => {
    expect(linesInBasket([mugs, more, jar], [held('mug', 2)])).to.deep.equal([{ ...mugs, quantity: 2 }]);
  });

  it('are joined by what the shopper has added, under the line of the basket', () => {
    expect(linesInBasket([jar], [held('jar', 1), held('tea', 4)])).to.deep.equal([
      jar,
      {
        lineId: idNamed('basket line tea'),
        itemId: idNamed('tea'),
        productId: idNamed('tea'),
        quantity: 4,
      },
    ]);
  });
});
