import { Template } from '@huggingface/jinja';
import { describe, expect, it } from 'vitest';
import { Draws, streams } from '../../base/random.ts';
import { protocolNames } from '../../config/names.ts';
import { roles } from '../../records/ids.ts';
import { chatMessages, chatTemplates, readTerminated, viewText } from '../../text/chatTemplate.ts';
import { loadTokenizer } from '../../text/tokenizer.ts';
import { houseRule } from './houseRule.ts';
import { problemOf } from './problems.ts';
import { hiddenPart } from './view.ts';

const tokenizer = loadTokenizer();
const problem = problemOf(1, '7+4*2', 'rightToLeft');
const said = ['4*2<eot>', '7+8<eot>', '7+8<eot>', '5<eot>', '<finish>'].map((raw, i) => ({
  ...readTerminated(raw),
  role: i % 2 === 0 ? ('metaThinking' as const) : ('reasoning' as const),
}));

describe('the view of an agent', () => {
  it('shows the rule to the meta-thinking agent and to a single agent, to nobody else', () => {
    expect(houseRule.view(problem, 'metaThinking', 'reMA')).toBe('<bos><rightToLeft>7+4*2<eot>');
    expect(houseRule.view(problem, 'reasoning', 'reMA')).toBe('<bos>7+4*2<eot>');
    expect(houseRule.view(problem, 'reasoning', 'single')).toBe('<bos><rightToLeft>7+4*2<eot>');
  });

  it('decodes back to the problem for every role, level and protocol', () => {
    const draws = new Draws(3, streams.problems, 0);
    for (const { level } of houseRule.levels) {
      for (let i = 0; i < 100; i++) {
        const drawn = houseRule.draw(level, draws, 'training');
        for (const protocol of protocolNames) {
          for (const role of roles) {
            const ids = tokenizer.encode(houseRule.view(drawn, role, protocol));
            expect(ids.length).toBeLessThanOrEqual(houseRule.limits(level, protocol).promptWindow);
            expect(houseRule.readView(tokenizer.decode(ids))).toEqual({
              expression: drawn.expression,
              rule: protocol === 'single' || role === 'metaThinking' ? drawn.rule : null,
            });
          }
        }
      }
    }
  });

  it('reads nothing from a text that is no prompt', () => {
    expect(houseRule.readView('<meta>4*2<eot>')).toBeNull();
    expect(houseRule.readView('<bos><eot>')).toBeNull();
  });

  it('is the same text by the Jinja template and by the function', () => {
    for (const role of roles) {
      for (let length = 0; length <= said.length; length++) {
        const parts = {
          hidden: hiddenPart(problem, role, 'reMA'),
          question: problem.expression,
          messages: said.slice(0, length),
        };
        const rendered = new Template(chatTemplates[role]).render({
          messages: chatMessages(parts, role),
          add_generation_prompt: false,
        });
        expect(rendered).toBe(viewText(parts));
      }
    }
  });

  it('reads as written in the contract', () => {
    const parts = { hidden: '<rightToLeft>', question: '7+4*2', messages: said };
    expect(viewText(parts)).toBe(
      '<bos><rightToLeft>7+4*2<eot><meta>4*2<eot><reason>7+8<eot><meta>7+8<eot><reason>5<eot><meta><finish>',
    );
  });

  it('ends with the header of the agent to speak when a reply is asked of the template', () => {
    const parts = { hidden: '<rightToLeft>', question: '7+4*2', messages: [] };
    const chat = { messages: chatMessages(parts, 'reasoning'), add_generation_prompt: true };
    expect(new Template(chatTemplates.reasoning).render(chat)).toBe('<bos><rightToLeft>7+4*2<eot><reason>');
    expect(new Template(chatTemplates.metaThinking).render(chat)).toBe('<bos><rightToLeft>7+4*2<eot><meta>');
  });
});
