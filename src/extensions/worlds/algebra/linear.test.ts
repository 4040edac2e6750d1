import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reasonInEnglish } from '../../../base/spoken.ts';
import { parseRelation, parseRelations, printRelation, solved, type LinearRelation } from './linear.ts';
import { isMove, moved } from './moves.ts';

const read = (text: string) => parseRelation(text) as LinearRelation;
const after = (move: string, standing: string, all = standing) => {
  const made = moved(move, parseRelations(standing) ?? [], parseRelations(all) ?? []);
  return 'fault' in made ? reasonInEnglish(made.fault) : printRelation(made.relation);
};

describe('relations', () => {
  const factor = fc.integer({ min: -99, max: 99 });
  const side = fc.tuple(factor, factor, factor);

  it('are read as they are printed', () => {
    fc.assert(
      fc.property(side, fc.constantFrom('=', '<', '>'), side, (left, sign, right) => {
        const relation = { left, sign, right };
        expect(parseRelation(printRelation(relation))).toEqual(relation);
      }),
    );
  });

  it('have only one valid text', () => {
    for (const text of ['2x+3=9', '-x=0', 'x+y<-3', '0=4']) expect(printRelation(read(text))).toBe(text);
    const others = ['', '=', '2x', '1x=3', '+x=3', '0x=3', '3+2x=9', 'x+0=2', 'x=03', 'x==3', 'x=3;', 'x+x=2', '2x+=3'];
    for (const text of others) expect(parseRelation(text), text).toBeNull();
    expect(parseRelations('x=1;y')).toBeNull();
  });

  it('give the value of their unknown if it is isolated', () => {
    expect(['3x-4=11', '5y+2=3y-8', '-2x<6', '8>-4y'].map((text) => solved(read(text)))).toEqual([
      'x=5',
      'y=-5',
      'x>-3',
      'y>-2',
    ]);
    expect(['x+y=3', '2x=3', '4=4'].map((text) => solved(read(text)))).toEqual([null, null, null]);
  });
});

describe('a move', () => {
  it('does the same on both sides', () => {
    expect(after('+4', '3x-4=11')).toBe('3x=15');
    expect(after('/3', '3x=15')).toBe('x=5');
    expect(after('-3x', '5x+2=3x+8')).toBe('2x+2=8');
    expect(after('*2', 'x+1=-3')).toBe('2x+2=-6');
  });

  it('reverses an inequality when it is divided by a negative number', () => {
    expect(after('/-2', '-2x<6')).toBe('x>-3');
    expect(after('/2', '2x<6')).toBe('x<3');
  });

  it('refers to a relation of the problem, whatever the current one is', () => {
    expect(after('(2)-5', '3x-4=11;2y+5=9')).toBe('2y=4');
    expect(after('(2)-5', 'x=5', '3x-4=11;2y+5=9')).toBe('2y=4');
    expect(after('(1)-2(2)', '3x+2y=7;x+y=3')).toBe('x=1');
    expect(after('(2)+(1)', '3x+2y=7;x-2y=1')).toBe('4x=8');
  });

  it('that is impossible gives the reason', () => {
    expect(after('/2', '3x=4')).toBe('3x=4 divided by 2 leaves a remainder');
    expect(after('+4', '3x-4=11;2y+5=9')).toBe('+4 does not say to which of the two it applies');
    expect(after('(1)+(2)', '2x<4;y<1')).toBe('inequalities cannot be subtracted from each other');
    expect(after('+x', '', '2x=4')).toBe('there is nothing left to rewrite');
    expect(after('', '2x=4')).toBe('the plan is empty');
    expect(after('*9999', '9x=18')).toBe('the numbers grow too large');
    for (const text of ['4', '/0', '/1', '+0', '(3)+1', '(1)', '(1)-(1)', '+2x+1', '//2', 'x=3']) {
      expect(isMove(text), text).toBe(false);
      expect(after(text, '2x=4'), text).toBe(`${text} is not a move`);
    }
  });
});
