import { Template } from '@huggingface/jinja';
import { describe, expect, it } from 'vitest';
import { roles, type Role } from '../../../records/ids.ts';
import { chatTemplate } from '../../../text/chatTemplate.ts';
import { chatMessages, viewText, type SpokenText } from '../../../text/testing/chat.ts';
import { spoken } from '../../../tasks/testing/trajectories.ts';
import { world as houseRule } from './world.ts';
import { problemOf } from './problems.ts';

const problem = problemOf(1, '7+4*2', 'rightToLeft');
const said = spoken(['4*2<eot>', '7+8<eot>', '7+8<eot>', '5<eot>', '<finish>'], 'metaThinking', 'reasoning');

describe('the view of an agent', () => {
  it('shows the rule only to agents that may see it', () => {
    expect(houseRule.view(problem, ['rule'])).toBe('<bos><rightToLeft>7+4*2<eot>');
    expect(houseRule.view(problem, [])).toBe('<bos>7+4*2<eot>');
  });

  it('is the same text from the Jinja template and from the function', () => {
    const answers: SpokenText[] = ['4*2=7+8;7+8=5', '7+4=1*2;1*2=2'].map((text, i) => ({
      ...{ text, isFinish: false },
      role: i === 0 ? 'pioneer' : 'observer',
    }));
    const debated = answers.map((one) => ({ ...one, role: 'debater' as const }));
    const heard: Record<Role, Role> = {
      ...{ metaThinking: 'reasoning', reasoning: 'metaThinking', pioneer: 'observer', observer: 'pioneer' },
      ...{ debater: 'debater', summariser: 'reasoning' },
    };
    const talks: Record<Role, SpokenText[]> = {
      ...{ metaThinking: said, reasoning: said, pioneer: answers, observer: answers, debater: debated },
      summariser: answers.map((one) => ({ ...one, role: 'reasoning' })),
    };
    for (const role of roles) {
      for (let length = 0; length <= talks[role].length; length++) {
        const parts = {
          hidden: ['metaThinking', 'pioneer', 'debater'].includes(role) ? `<${problem.slice}>` : null,
          question: problem.shown,
          messages: talks[role].slice(0, length),
        };
        const rendered = new Template(chatTemplate(role, [heard[role]])).render({
          messages: chatMessages(parts, role),
          add_generation_prompt: false,
        });
        expect(rendered).toBe(viewText(parts));
      }
    }
  });

  it('has the documented text', () => {
    const parts = { hidden: '<rightToLeft>', question: '7+4*2', messages: said };
    expect(viewText(parts)).toBe(
      '<bos><rightToLeft>7+4*2<eot><meta>4*2<eot><reason>7+8<eot><meta>7+8<eot><reason>5<eot><meta><finish>',
    );
  });

  it('ends with the header of the next speaker if the template is asked for a reply', () => {
    const parts = { hidden: '<rightToLeft>', question: '7+4*2', messages: [] };
    const chat = { messages: chatMessages(parts, 'reasoning'), add_generation_prompt: true };
    expect(new Template(chatTemplate('reasoning', ['metaThinking'])).render(chat)).toBe(
      '<bos><rightToLeft>7+4*2<eot><reason>',
    );
    expect(new Template(chatTemplate('metaThinking', ['reasoning'])).render(chat)).toBe(
      '<bos><rightToLeft>7+4*2<eot><meta>',
    );
  });
});
