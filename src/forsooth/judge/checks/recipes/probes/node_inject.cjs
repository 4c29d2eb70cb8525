// Gives the runner its report options as soon as it starts, where npm scripts and make hide it.
// Of every runner it tells where it lies, when that is on the same device as the judged copy: what
// the judge put there itself is not. The variable that says where to write is taken away, so that
// no process below the runner is taken for one.
const fs = require('fs');
const path = require('path');
const out = process.env.FORSOOTH_OUT;
const jest = ['--json', `--outputFile=${out}/jest.json`];
const flags = {
  vitest: ['--reporter=default', '--reporter=json', `--outputFile.json=${out}/vitest.json`],
  jest,
  mocha: ['--reporter', 'json', '--reporter-option', `output=${out}/mocha.json`],
};
const whole = { vitest: ['--bail=0'], jest: ['--bail=0'], mocha: ['--no-bail'] };

const real = (file) => {
  try {
    return fs.realpathSync(file);
  } catch {
    return ''; // a program that is no file is no runner
  }
};

const added = (name) => {
  const shown = process.argv.some((word) => word.includes(out));
  const wanted = shown ? [] : flags[name];
  if (shown || !fs.existsSync(path.join(__dirname, 'doubt'))) return wanted;
  const bail = (word) => /^(--bail(=\w+)?|-b)$/.test(word ?? '');
  process.argv = process.argv.filter(
    (word, n, all) => !bail(word) && !(bail(all[n - 1]) && /^\d+$/.test(word)),
  );
  return [...wanted, ...whole[name]];
};

if (out && process.argv[1] && require('worker_threads').isMainThread) {
  const program = real(process.argv[1]);
  const found = /\/node_modules\/(vitest|jest|jest-cli|mocha)\/(?!.*\/node_modules\/)/.exec(program);
  if (found) {
    delete process.env.FORSOOTH_OUT;
    const name = found[1].replace('-cli', '');
    fs.writeFileSync(`${out}/${name}-loaded`, program);
    const device = (folder) => fs.statSync(folder).dev;
    if (device(path.dirname(program)) === device(process.cwd())) {
      fs.appendFileSync(`${out}/inside`, `${program}\n`);
    }
    const more = added(name);
    const end = process.argv.indexOf('--');
    process.argv.splice(end < 0 ? process.argv.length : end, 0, ...more);
  }
}
