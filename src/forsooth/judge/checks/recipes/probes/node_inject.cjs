// Behind npm scripts and make: gives the runner its report options as soon as it starts.
// The variable that says where is taken away there, so that no process below it is taken for one.
const fs = require('fs');
const out = process.env.FORSOOTH_OUT;
const jest = ['--json', `--outputFile=${out}/jest.json`];
const flags = {
  vitest: ['--reporter=default', '--reporter=json', `--outputFile.json=${out}/vitest.json`],
  jest,
  'jest-cli': jest,
  mocha: ['--reporter', 'json', '--reporter-option', `output=${out}/mocha.json`],
};

const real = (path) => {
  try {
    return fs.realpathSync(path);
  } catch {
    return ''; // a program that is no file is no runner
  }
};

if (out && process.argv[1] && require('worker_threads').isMainThread) {
  const program = real(process.argv[1]);
  const found = /\/node_modules\/(vitest|jest|jest-cli|mocha)\/(?!.*\/node_modules\/)/.exec(program);
  if (found) {
    delete process.env.FORSOOTH_OUT;
    const name = found[1].replace('-cli', '');
    fs.writeFileSync(`${out}/${name}-loaded`, program);
    const end = process.argv.indexOf('--');
    process.argv.splice(end < 0 ? process.argv.length : end, 0, ...flags[name]);
  }
}
