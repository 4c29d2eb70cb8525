// Tells which functions that compare are others at a process's end than at its start. Required by
// every process of a runner, before anything of the project; what was so on the base is known.
const fs = require('fs');
const assert = require('assert');
const util = require('util');
const to = process.env.FORSOOTH_PATCHED;

const watched = { assert, 'assert.strict': assert.strict, Object, util };
const compares = { Object: ['is'], util: ['isDeepStrictEqual'] };

const functions = () => {
  const found = new Map();
  for (const [owner, held] of Object.entries(watched)) {
    for (const name of compares[owner] ?? Object.keys(held)) {
      if (typeof held[name] === 'function') found.set(`${owner}.${name}`, held[name]);
    }
  }
  return found;
};

if (to) {
  const before = functions();
  const append = fs.appendFileSync;
  process.on('exit', () => {
    const now = functions();
    const other = [...before].filter(([name, held]) => now.get(name) !== held);
    if (other.length) append(to, other.map(([name]) => `${name}\n`).join(''));
  });
}
