import { expect } from 'chai';
import { readSources } from '../../../shared-kernel/event-flow/source-graph.ts';

const aliases = { '#events/*': './shared-kernel/events/*', '#command/*': './command-service/*' };

/** The event types that an export of `decider.ts` constructs. */
const constructs = (files: Readonly<Record<string, string>>, name = 'decider'): readonly string[] => {
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  return readSources(sources, aliases)
    .from('command-service/decider.ts', name)
    .constructs.map(({ type }) => type);
};

const start = `import { shopEvents } from '#events/shop.events.ts';\nconst { Opened, Closed } = shopEvents.create;\n`;

describe('What a decider appends', () => {
  it('is what its functions construct', () => {
    const text = `${start}const open = () => [Opened({})];\nexport const decider = { decide: () => open() };`;
    expect(constructs({ 'command-service/decider.ts': text })).to.deep.equal(['Opened']);
  });

  it('is what functions of other files construct, by relative path and by alias', () => {
    const files = {
      'command-service/decider.ts': `import { close } from './rules/close.ts';
        import { open as begin } from '#command/open.ts';
        export const decider = { decide: (state) => (state ? close() : begin()) };`,
      'command-service/rules/close.ts': `${start}export const close = () => [Closed({})];`,
      'command-service/open.ts': `${start}export const open = () => [Opened({})];`,
    };
    expect(constructs(files)).to.have.members(['Opened', 'Closed']);
  });

  it('is not what another function of the same file constructs', () => {
    const text = `${start}export const other = () => Closed({});\nexport const decider = { decide: () => [Opened({})] };`;
    expect(constructs({ 'command-service/decider.ts': text })).to.deep.equal(['Opened']);
  });

  it('is what it constructs under another name, without taking the constructors out, or without a constructor', () => {
    const text = `import { shopEvents } from '#events/shop.events.ts';
      const { Opened: opened } = shopEvents.create;
      const closed = () => ({ type: 'Closed', data: {} });
      export const decider = { decide: () => [opened({}), shopEvents.create.Renamed({}), closed()] };`;
    const types = ['Opened', 'Renamed', 'Closed'];
    expect(constructs({ 'command-service/decider.ts': text })).to.have.members(types);
  });

  it('is neither what it only names nor a property or type of that name', () => {
    const text = `${start}import type { open } from './open.ts';
      const close = () => Closed({});
      export const decider = {
        on: { Opened: (state: typeof close) => state.close },
        decide: (state: open) => (state.type === Opened.type ? [] : state.close),
      };`;
    expect(constructs({ 'command-service/decider.ts': text })).to.deep.equal([]);
  });

  it('is found where functions call each other', () => {
    const text = `${start}const one = (n) => (n ? other(n - 1) : [Opened({})]);\nconst other = (n) => one(n);
      export const decider = { decide: () => one(2) };`;
    expect(constructs({ 'command-service/decider.ts': text })).to.deep.equal(['Opened']);
  });
});
