import { Template } from '@huggingface/jinja';
import { expect, it } from 'vitest';
import { chatTemplate } from '../../../text/chatTemplate.ts';
import { messagesOf } from './messages.ts';

it.each([
  ['metaThinking', ['reasoning'], '<bos><precedence>7+4*2<eot><meta>4*2<eot><reason>7+8<eot><meta>'],
  ['reasoning', ['metaThinking'], '<bos>7+4*2<eot><meta>4*2<eot><reason>'],
  ['reasoning', [], '<bos><precedence>7+4*2<eot><reason>'],
  ['debater', ['debater'], '<bos>7+4*2<eot><debater>5<eot><wrong><debater>15<eot><right><right><debater>'],
  ['summariser', ['reasoning', 'debater'], '<bos>7+4*2<eot><reason>5<eot><debater>15<eot><summariser>'],
  ['reasoning', ['metaThinking'], '<bos>7+4*2<eot><meta>4*2<finish><reason>'],
] as const)('the chat template of %s writes a context again from its messages', (role, heard, text) => {
  const messages = messagesOf(text, role);
  expect(new Template(chatTemplate(role, heard)).render({ messages, add_generation_prompt: true })).toBe(text);
});
