// A reporter for `node --test`: start, each test by file and nesting, twins by number, end.
import { resolve } from 'node:path';

const line = (record, fields) => JSON.stringify({ record, ...fields }) + '\n';

const outcome = (event) => {
  const { skip, todo } = event.data;
  if (skip !== undefined && skip !== false) return 'skipped';
  const passed = event.type === 'test:pass';
  if (todo !== undefined && todo !== false) return passed ? 'xpassed' : 'xfailed';
  return passed ? 'passed' : 'failed';
};

const told = new Map();

const numbered = (id) => {
  const times = (told.get(id) ?? 0) + 1;
  told.set(id, times);
  return times > 1 ? `${id} #${times}` : id;
};

// Of a file that cannot be loaded, what its process complained of last.
const complaints = new Map();

const complained = (file, message) => {
  const found = String(message).match(/^\w*Error\b.*$/m);
  if (found) complaints.set(file, found[0]);
};

export default async function* report(events) {
  const open = new Map();
  yield line('start', { runner: 'node', version: process.version });
  for await (const event of events) {
    const { name, nesting, file, details } = event.data ?? {};
    const names = open.get(file) ?? [];
    if (event.type === 'test:stderr') {
      complained(file, event.data.message);
    } else if (event.type === 'test:start') {
      names.length = nesting;
      names[nesting] = name;
      open.set(file, names);
    } else if (event.type === 'test:pass' || event.type === 'test:fail') {
      if (details?.type === 'suite' && event.type === 'test:pass') continue;
      const error = details?.error;
      if (error?.failureType === 'subtestsFailed') continue;
      const whole = nesting === 0 && file && resolve(name) === file;
      const parts = whole ? [file] : [file, ...names.slice(0, nesting), name];
      const unread = whole && event.type === 'test:fail' ? complaints.get(file) : undefined;
      const says = unread ?? error?.cause?.message ?? error?.message ?? '';
      yield line('test', {
        id: numbered(parts.filter(Boolean).join(' > ')),
        outcome: unread ? 'error' : outcome(event),
        reason: String(says).slice(0, 400),
        seconds: (details?.duration_ms ?? 0) / 1000,
      });
    }
  }
  yield line('end', {});
}
