import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createPersonalTexts } from '#log/personal-texts.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';

// docs/rules/personal-data.md#rows
describe('texts about people in the state store', () => {
  const applicationKey = Buffer.alloc(32, 1);
  const opened = async () => {
    const store = createMemoryDocumentStore();
    const keys = await createSubjectKeys({ store, applicationKey });
    return { keys, texts: createPersonalTexts(keys, applicationKey) };
  };
  const basket = { id: 'basket', customerId: 'ada' };

  it('show nothing of what they say, and open to the same text', async () => {
    const { texts } = await opened();
    for (const subjects of [[], [{ id: 'ada' }], [basket, { id: 'grace' }]]) {
      const sealed = await texts.seal(subjects, 'To Ada Löwe, “Hull”');
      expect(sealed).not.to.include('Hull');
      expect(await texts.open(sealed)).to.equal('To Ada Löwe, “Hull”');
    }
  });

  it('are gone with any one of their subjects, and with the customer of a basket', async () => {
    const { keys, texts } = await opened();
    const ofBoth = await texts.seal([{ id: 'grace' }, { id: 'ada' }], 'a text');
    const ofBasket = await texts.seal([basket], 'a text');
    const ofGrace = await texts.seal([{ id: 'grace' }], 'a text');
    await keys.forget('ada');
    expect(await texts.openAll([ofBoth, ofBasket, ofGrace])).to.deep.equal([null, null, 'a text']);
  });

  it('are sealed again beside one of the same subjects, and gone at once where these are forgotten', async () => {
    const { keys, texts } = await opened();
    const request = await texts.seal([{ id: 'ada' }], 'request');
    const response = await texts.sealLike(request, 'response');
    expect(response).not.to.include('response');
    expect(await texts.open(response)).to.equal('response');
    await keys.forget('ada');
    expect(await texts.open(response)).to.equal(null);
    const late = await texts.sealLike(request, 'late');
    expect(late).not.to.include('late');
    expect(await texts.open(late)).to.equal(null);
    expect(await texts.sealLike('{"clear":true}', 'clear')).to.equal('clear');
  });

  it('of a former release are read as they are', async () => {
    const { texts } = await opened();
    expect(await texts.open('{"id":"an older body"}')).to.equal('{"id":"an older body"}');
  });

  it('do not open when they were altered', async () => {
    const { texts } = await opened();
    const sealed = await texts.seal([{ id: 'ada' }], 'a text');
    expect(await texts.open(sealed.slice(0, -8))).to.equal(null);
    expect(await texts.open(sealed.replace('sealed:ada:', 'sealed::'))).to.equal(null);
    expect(await texts.open('sealed:ada:')).to.equal(null);
    expect(await texts.open('sealed::')).to.equal(null);
  });
});
