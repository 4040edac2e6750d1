// The limits on a chat template. The hostile templates are so small that they would finish even without limits.
import { Template } from '@huggingface/jinja';
import { beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../base/errors.ts';
import { boundedText } from './boundedTemplate.ts';
import { chatText, readyTemplates } from './chat.ts';

beforeAll(readyTemplates);

const messages = Array.from({ length: 40 }, (_, i) => ({
  role: i === 0 ? 'system' : i % 2 === 1 ? 'user' : 'assistant',
  content: i % 6 === 4 ? `<think>so</think> number ${i}` : `  words ${i} and more `,
}));
const special = { bos_token: '<s>', eos_token: '</s>' };
const given = { ...special, messages, add_generation_prompt: true };

/** Templates of the same kind as in published models. */
const published = {
  chatML:
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nYou help.<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
  llama2:
    "{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}{% set system_message = messages[0]['content'] %}{% else %}{% set loop_messages = messages %}{% set system_message = false %}{% endif %}{% for message in loop_messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate') }}{% endif %}{% if loop.index0 == 0 and system_message != false %}{% set content = '<<SYS>>\n' + system_message + '\n<</SYS>>\n\n' + message['content'] %}{% else %}{% set content = message['content'] %}{% endif %}{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}{% elif message['role'] == 'assistant' %}{{ ' ' + content.strip() + ' ' + eos_token }}{% endif %}{% endfor %}",
  namespaces:
    "{%- set ns = namespace(last=messages|length - 1, on=true) %}{%- for message in messages[::-1] %}{%- set index = (messages|length - 1) - loop.index0 %}{%- if ns.on and message.role == 'user' and not message.content.startswith('<tool>') %}{%- set ns.on = false %}{%- set ns.last = index %}{%- endif %}{%- endfor %}{%- for message in messages %}{%- set content = message.content %}{%- if '</think>' in content %}{%- set content = content.split('</think>')[-1].lstrip('\n') %}{%- endif %}{{- message.role + ':' + (content|trim) + (' last' if loop.index0 == ns.last else '') + '\n' }}{%- endfor %}",
  macros:
    "{%- macro shown(message, mark='#') -%}{{ mark }}{{ message|tojson }}{%- endmacro -%}{%- for message in messages if message.role != 'system' -%}{{ shown(message) }}{%- if loop.index > 3 -%}{%- break -%}{%- endif -%}{%- endfor -%}{{ messages|map(attribute='role')|join(', ') }}{{ range(3)|list }}{{ tools is defined }}{{ messages|selectattr('role', 'equalto', 'user')|list|length }}",
};

describe('templates of published models', () => {
  it.each(Object.entries(published))('give the same text as in the library: %s', (_, template) => {
    expect(boundedText(template, given)).toBe(new Template(template).render(given));
  });

  it('may process a long chat many times', () => {
    const long = Array.from({ length: 400 }, (_, i) => ({
      role: i % 2 ? 'assistant' : 'user',
      content: 'x'.repeat(500),
    }));
    expect(boundedText(published.namespaces, { ...given, messages: long }).length).toBeGreaterThan(200_000);
    expect(boundedText(published.chatML, { ...given, messages: long }).length).toBeGreaterThan(200_000);
  });

  it('name the month in English, and refuse with their own message', () => {
    expect(boundedText("{{ strftime_now('%d %B %Y, %H:%M, %%%b') }}", {})).toMatch(
      /^\d\d [A-Z][a-z]+ \d{4}, \d\d:\d\d, %[A-Z][a-z]{2}$/,
    );
    const refusing = { template: "{{ raise_exception('no systems') }}", special: {} };
    expect(() => chatText(refusing, [])).toThrow(new ConfigError('messages: no systems.'));
  });
});

const doubled = (times: number, step: string) => `{% set x = 'ab' %}${`{% set x = ${step} %}`.repeat(times)}{{ x }}`;

/** A template that makes a list again and again. */
const timesMade = (times: number, list: string) =>
  `{% for i in range(${times}) %}{% if ${list} %}{% endif %}{% endfor %}`;

it('may make a list of 20,000 places fifty times', () => {
  expect(boundedText(timesMade(50, 'range(20000)'), {})).toBe('');
});

describe('a template that takes too much is refused by name:', () => {
  it.each([
    ['a long range', '{{ range(30000)|length }}'],
    ['a range of steps too small', '{{ range(0, 1, 0.00001)|length }}'],
    ['a range without an end', '{{ range(1//0)|length }}'],
    ['a list of 20,000 places, made a hundred times', timesMade(100, 'range(20000)')],
    ['its slices, made a hundred times', `{% set x = range(20000) %}${timesMade(100, 'x[:]')}`],
    ['long ranges again and again', '{% for i in range(3000) %}{% if range(20000) %}{% endif %}{% endfor %}'],
    ['loops in loops', '{% for a in range(700) %}{% for b in range(700) %}{% endfor %}{% endfor %}'],
    [
      'loops that work',
      '{% for a in range(300) %}{% for b in range(300) %}{% for c in range(30) %}{{ a }}{% endfor %}{% endfor %}{% endfor %}',
    ],
    ['a text doubled again and again', doubled(20, 'x ~ x')],
    ['a list of lists doubled again and again', doubled(19, '[x, x]')],
    ['a dictionary doubled again and again', doubled(19, "{'a': x, 'b': x}")],
    [
      'a macro that calls itself twice',
      '{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(16) }}',
    ],
    ['a macro without an end', '{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}'],
    ['many blanks', "{{ ('x\n' ~ 'x')|indent(1000000) }}"],
    ['much indented JSON', '{{ messages|tojson(indent=100000) }}'],
    [
      'JSON with long gaps',
      "{% set x = 'ab' %}" + '{% set x = x ~ x %}'.repeat(10) + '{{ messages|tojson(separators=(x, x)) }}',
    ],
    ['long texts between all signs', doubled(10, 'x ~ x') + '{{ x|join(x) }}'],
    ['long texts in place of all signs', doubled(10, 'x ~ x') + "{{ x.replace('a', x) }}"],
    ['the same by another name', doubled(10, 'x ~ x') + "{% set f = x['rep' ~ 'lace'] %}{{ f(*['a', x]) }}"],
    ['long texts sought in others', doubled(10, 'x ~ x') + '{{ x in x }}'],
    [
      'slices of slices',
      `{% set x = range(20000) %}{% for i in range(100) %}{% if x${'[:]'.repeat(40)} %}{% endif %}{% endfor %}`,
    ],
    ['namespaces in lists', '{% set n = namespace(a=1) %}{% set x = [n, n] %}{% set n.a = x %}{{ x }}'],
    ['namespaces in each other', '{% set n = namespace() %}{% set n.a = n %}{{ n }}'],
    ['brackets in brackets', `{{ ${'('.repeat(20_000)}1${')'.repeat(20_000)} }}`],
    ['a long template', 'x'.repeat(100_001)],
    ['rows of blanks', `x${' '.repeat(2000)}x`],
  ])('%s', (_, template) => {
    expect(() => boundedText(template, given)).toThrow(ConfigError);
    expect(() => chatText({ template, special }, messages)).toThrow(
      /^messages: the model’s chat template .*; shorten the chat/,
    );
  });
});
