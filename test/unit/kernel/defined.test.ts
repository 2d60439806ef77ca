import { expect } from 'chai';
import { defined } from '#kernel/defined.ts';

interface Note {
  readonly text: string;
  readonly by?: string;
  readonly at?: number | null;
}

describe('The defined members of an object', () => {
  it('leave out what is undefined, and nothing else', () => {
    expect(defined({ none: undefined, zero: 0, empty: '', no: false, nothing: null })).to.deep.equal({
      zero: 0,
      empty: '',
      no: false,
      nothing: null,
    });
  });

  it('keep their order, which recorded and answered texts have', () => {
    const by: string | undefined = undefined;
    const note: Note = { ...defined({ at: null, by }), text: 'Call first', ...defined({ by: 'Ada' }) };
    expect(JSON.stringify(note)).to.equal('{"at":null,"text":"Call first","by":"Ada"}');
  });
});
