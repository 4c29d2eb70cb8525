// Says that mocha itself was found and began, so that a test file it cannot load is told apart.
const told = process.argv.find((word) => word.startsWith('output='));
const out = require('path').dirname(told.slice('output='.length));
require('fs').writeFileSync(`${out}/mocha-loaded`, process.version);
