import { describe, expect, it } from 'vitest';
import { callsIn, codeNote, typesetCode } from './typeset.ts';
import { lookOf, turnTokens } from '../../../../ui/worlds/look.ts';

describe('code on the page', () => {
  it.each([
    ['xs.slice(0,-2)', 'xs.slice(0, -2)'],
    ['xs.slice(1).map(x=>x*3)', 'xs.slice(1).map(x => x * 3)'],
    ['xs.map(x=>x%2===1?x-3:x)', 'xs.map(x => x % 2 === 1 ? x - 3 : x)'],
    ['xs.map((x,i)=>i>=1?x+3:x)', 'xs.map((x, i) => i >= 1 ? x + 3 : x)'],
    ['Leave out the first ones.', 'Leave out the first ones.'],
    ['drop,add', 'drop, add'],
  ])('%s', (text, set) => expect(typesetCode(text)).toBe(set));

  it('shows one piece per token', () => {
    const look = lookOf('code');
    expect(look.tokens('xs.filter(x=>x!==4)')).toEqual(['xs', '.filter(x=>', 'x', '!==', '4', ')']);
    expect(turnTokens({ text: 'xs.slice(0,-1)', isFinish: false, isTruncated: false }, look).join(' ')).toBe(
      'xs .slice( 0 , - 1 ) ⏎',
    );
    expect(look.tokens('<failed>[2,3]=[3]')).toEqual(['<failed>', '[', '2', ',', '3', ']', '=', '[', '3', ']']);
  });

  it('reads examples as calls', () => {
    expect(callsIn('[4,2,7]=[7];[1,6,8]=[8]')).toEqual(['f([4, 2, 7]) = [7]', 'f([1, 6, 8]) = [8]']);
    expect(callsIn('none')).toEqual([]);
  });

  it.each([
    ['<failed>[2,3,9]=[9]<eot>', 'failed: f([2, 3, 9]) = [9]'],
    ['<failed>[2,3,9]=', 'failed: [2,3,9]='],
    ['<error>SyntaxError<eot>', 'error: SyntaxError'],
    ['<passed><eot>', 'passed'],
    ['[4,2]=[2];[1,6]=[6]', 'f([4, 2]) = [2]; f([1, 6]) = [6]'],
    ['Keep the last ones.', 'Keep the last ones.'],
  ])('shows the result of the tests: %s', (text, note) => expect(codeNote(text)).toBe(note));
});
