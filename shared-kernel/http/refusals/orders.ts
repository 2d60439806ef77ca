import { refusals } from './refusal.ts';

export const orders = refusals('Orders and what comes after', {
  'none-paid': {
    status: 400,
    when: 'No invoice of the batch could be paid; `results` says why of each.',
    remedy: 'Correct the list.',
  },
  'sale-not-confirmed': {
    status: 400,
    when: 'Only what is paid or on account can be shipped.',
    remedy: 'Record the payment first.',
  },
  'status-not-possible': {
    status: 400,
    when: 'The order or shipment cannot go `from` this status `to` that one.',
    remedy: 'Load it again.',
  },
  'invoice-not-editable': {
    status: 400,
    when: 'The invoice cannot be edited any more; `message` says why.',
    remedy: 'Refund, or make a new order.',
  },
  'invoice-edited-meanwhile': {
    status: 409,
    when: 'Somebody has edited the invoice since it was loaded.',
    remedy: 'Load it again before you change it.',
  },
  'offer-ended': {
    status: 400,
    when: 'The time for adding to this order is over.',
    remedy: 'Show the confirmation.',
  },
  'offer-taken': {
    status: 400,
    when: 'Something is being added to this order.',
    remedy: 'Show the confirmation.',
  },
  'add-failed': {
    status: 400,
    when: 'Nothing was added to the order, and nothing charged; `message` says why.',
    remedy: 'Offer another payment method.',
  },
  'downloads-not-due': {
    status: 400,
    when: 'The invoice gives no right to downloads; `message` says why.',
    remedy: 'Leave it.',
  },
  'download-not-found': {
    status: 404,
    when: 'The link of the download is not valid.',
    remedy: 'Load the downloads again.',
  },
  'download-expired': {
    status: 404,
    when: 'The link of the download has expired.',
    remedy: 'Ask the shop for a new link.',
  },
  'download-limit-reached': {
    status: 403,
    when: 'The file was downloaded as often as it may be.',
    remedy: 'Ask the shop for a new link.',
  },
  'download-path-invalid': {
    status: 400,
    when: 'The file of the link is outside the folder of downloads.',
    remedy: 'The owner corrects the product.',
  },
  'file-not-found': {
    status: 404,
    when: 'The file of the link is not on the disk.',
    remedy: 'The owner puts it there.',
  },
  'range-not-satisfiable': {
    status: 416,
    when: 'The file ends before the part that was asked for; `Content-Range` has its size.',
    remedy: 'Ask for a part that there is.',
  },
});
