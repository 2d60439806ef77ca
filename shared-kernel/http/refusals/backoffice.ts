import { refusals } from './refusal.ts';

export const backoffice = refusals('Backoffice', {
  'customer-not-found': {
    status: 404,
    when: 'There is no such customer.',
    remedy: 'Load the list again.',
  },
  'value-taken': {
    status: 409,
    when: 'A value that must be unique is in use; `errors` names the field.',
    remedy: 'Choose another value.',
  },
  'already-exists': {
    status: 409,
    when: 'It exists already.',
    remedy: 'Change the one that there is.',
  },
  'still-used': {
    status: 409,
    when: 'What is to be deleted is still used; `message` says by what.',
    remedy: 'Change or delete that first.',
  },
  'belongs-to-customer': {
    status: 409,
    when: 'A guest is to be forgotten who is a customer by now.',
    remedy: 'Forget the customer.',
  },
  'money-still-due': {
    status: 409,
    when: 'A customer is to be forgotten who still owes money for confirmed sales.',
    remedy: 'Settle what they owe first, or send `"force": true`.',
  },
  'stock-reserved': {
    status: 409,
    when: 'Units of the row are reserved for orders: `reservedStock`.',
    remedy: 'Ship or cancel those orders first.',
  },
  'stock-below-reserved': {
    status: 409,
    when: 'The stock would be less than what is reserved: `reservedStock`.',
    remedy: 'Ship or cancel orders first.',
  },
  'store-currency-fixed': {
    status: 409,
    when: 'The currency of the store cannot change once it is set.',
    remedy: 'Open a store of its own for another currency.',
  },
  'setting-fixed': {
    status: 409,
    when: 'The configuration sets this.',
    remedy: 'Change it there.',
  },
  'run-over': {
    status: 409,
    when: 'The run is over.',
    remedy: 'Load it again.',
  },
  'run-under-way': {
    status: 409,
    when: 'Another run of this kind is under way.',
    remedy: 'Wait for its end, or cancel it.',
  },
});
