import { expect, it } from 'vitest';
import { fileName, folderOf, localName } from './files';

it('a file is known by its name', () => {
  expect(fileName('letters/letter.md')).toBe('letter.md');
  expect(fileName('out\\put.md')).toBe('out\\put.md');
  expect(folderOf('.gatehouse/runs/r1/outputs/a.md')).toBe('outputs');
});

it('on each kind of computer by what its folders leave of it', () => {
  expect(localName('/home/ada/memo.zip')).toBe('memo.zip');
  expect(localName('/home/ada/a\\b.zip')).toBe('a\\b.zip');
  expect(localName('C:\\Users\\Ada\\memo.zip')).toBe('memo.zip');
  expect(localName('\\\\server\\share\\memo.zip')).toBe('memo.zip');
});
