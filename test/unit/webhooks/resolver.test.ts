import { expect } from 'chai';
import { createResolver } from '#runtime/check-target.ts';

/** A resolver of the system that answers when the test says so. */
const heldResolver = () => {
  const questions: { readonly hostname: string; readonly answer: (...addresses: string[]) => void }[] = [];
  const ask = (hostname: string): Promise<readonly string[]> =>
    new Promise((resolve) => questions.push({ hostname, answer: (...addresses) => resolve(addresses) }));
  return { questions, ask };
};

describe('the addresses of a name', () => {
  let time = 0;
  const patience = { patienceMs: 40, patienceWithAnswerMs: 10, now: () => time };
  beforeEach(() => {
    time = 0;
  });

  it('are asked for again after five seconds', async () => {
    const { questions, ask } = heldResolver();
    const resolve = createResolver({ ask, ...patience });
    const first = resolve('a.example');
    questions[0]?.answer('1.1.1.1');
    expect(await first).to.deep.equal(['1.1.1.1']);
    expect(await resolve('a.example')).to.deep.equal(['1.1.1.1']);
    expect(questions).to.have.length(1);
    time = 5001;
    const second = resolve('a.example');
    questions[1]?.answer('2.2.2.2');
    expect(await second).to.deep.equal(['2.2.2.2']);
  });

  it('are waited for, but not for ever, and asked for once meanwhile', async () => {
    const { questions, ask } = heldResolver();
    const resolve = createResolver({ ask, ...patience });
    expect(await Promise.all([resolve('dead.example'), resolve('dead.example')])).to.deep.equal([[], []]);
    expect(await resolve('dead.example')).to.deep.equal([]);
    expect(questions.map(({ hostname }) => hostname)).to.deep.equal(['dead.example']);
  });

  it('are those from before while the resolver is busy with others, and those of now once it has answered', async () => {
    const { questions, ask } = heldResolver();
    const resolve = createResolver({ ask, ...patience });
    const first = resolve('a.example');
    questions[0]?.answer('1.1.1.1');
    await first;
    time = 5001;
    expect(await resolve('a.example')).to.deep.equal(['1.1.1.1']);
    questions[1]?.answer('2.2.2.2');
    await new Promise(setImmediate);
    expect(await resolve('a.example')).to.deep.equal(['2.2.2.2']);
    expect(questions).to.have.length(2);
  });

  it('are none when the resolver says so, whatever they were before', async () => {
    const answers = [Promise.resolve(['1.1.1.1']), Promise.reject(new Error('ENOTFOUND'))];
    answers[1]?.catch(() => undefined);
    const resolve = createResolver({ ask: () => answers.shift() ?? Promise.resolve([]), ...patience });
    expect(await resolve('a.example')).to.deep.equal(['1.1.1.1']);
    time = 5001;
    expect(await resolve('a.example')).to.deep.equal([]);
  });
});
