import { expect, it } from 'vitest';
import { apart, fileName, folderOf, localName, pieces } from './files';

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

it('files of one name are told apart by their folders', () => {
  expect(apart(['out/a.md', 'out/b.md'])).toEqual(['a.md', 'b.md']);
  expect(apart(['x/en/a.md', 'x/fr/a.md', 'x/fr/b.md'])).toEqual(['en/a.md', 'fr/a.md', 'b.md']);
  expect(apart(['a.md', 'x/a.md'])).toEqual(['a.md', 'x/a.md']);
  expect(apart(['x/en/1/a.md', 'x/fr/1/a.md'])).toEqual(['en/1/a.md', 'fr/1/a.md']);
  expect(apart(['.gatehouse/runs/r1/en/a.md', '.gatehouse/runs/r1/fr/a.md'])).toEqual(['en/a.md', 'fr/a.md']);
});

it('a long name breaks at its signs', () => {
  const name = 'out/annual_report-2026.final.pdf';
  expect(pieces(name)).toEqual(['out/', 'annual_', 'report-', '2026.', 'final.', 'pdf']);
  for (const one of [name, '.env', '__a--b..', 'a', '']) expect(pieces(one).join('')).toBe(one);
});
