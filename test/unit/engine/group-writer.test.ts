import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { GroupWriter } from '#adapters/sqlite/group-writer.ts';
import type { LinkListener } from '#adapters/sqlite/writer-thread.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { when } from '#test/support/refusal.ts';

/** A writer that answers when it is told to. */
const slowWriter = () => {
  const sent: (readonly string[])[] = [];
  let listener: LinkListener<string> | null = null;
  const writer = new GroupWriter<string, string>({
    link: (heard) => {
      listener = heard;
      return { send: (requests) => void sent.push(requests), close: () => Promise.resolve() };
    },
  });
  return {
    writer,
    sent,
    answer: () => listener?.answered({ outcomes: (sent.at(-1) ?? []).map((request) => `${request} done`) }),
    fail: () => listener?.answered({ failed: sent.at(-1)?.length ?? 0, reason: 'disk full' }),
  };
};

describe('group commit', () => {
  it('sends a request without company in the same turn of the event loop', async () => {
    const { writer, sent, answer } = slowWriter();
    const done = writer.submit('one');
    await nextTurn();
    expect(sent).to.deep.equal([['one']]);
    answer();
    expect(await done).to.equal('one done');
  });

  it('sends what comes while a group is being committed together, once that is answered', async () => {
    const { writer, sent, answer } = slowWriter();
    const first = writer.submit('one');
    await nextTurn();
    const others = [writer.submit('two')];
    await nextTurn();
    others.push(writer.submit('three'));
    await nextTurn();
    expect(sent).to.have.length(1);
    answer();
    expect(await first).to.equal('one done');
    while (sent.length < 2) await nextTurn();
    expect(sent[1]).to.deep.equal(['two', 'three']);
    answer();
    expect(await Promise.all(others)).to.deep.equal(['two done', 'three done']);
    expect(writer.commits).to.equal(2);
  });

  it('fails the group that could not be committed, tells why, and goes on with the next', async () => {
    const { writer, sent, answer, fail } = slowWriter();
    const first = when(writer.submit('one')).thenFails(EngineUnavailable);
    await nextTurn();
    const second = writer.submit('two');
    fail();
    await first;
    expect(writer.problem).to.equal('disk full');
    while (sent.length < 2) await nextTurn();
    answer();
    expect(await second).to.equal('two done');
    expect(writer.problem).to.equal(null);
  });
});
