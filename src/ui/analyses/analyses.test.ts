// Tests that every analysis provides what the page needs: facts, state and panel.
import { expect, it } from 'vitest';
import { analyses, analysisMeasures } from '../../config/analyses/registry.ts';
import { Analyses } from '../../state/analyses/analyses.svelte.ts';
import { Notices } from '../../state/visitor/notices.svelte.ts';
import { Selection } from '../../state/run/selection.svelte.ts';
import { FakeTrainer } from '../../state/testing/fakeTrainer.ts';
import { TrainerClient } from '../../state/trainer/trainerClient.svelte.ts';
import { panelOf } from './panels.ts';

const notices = new Notices();
const trainer = new TrainerClient(notices, new FakeTrainer().connect);
const states = new Analyses({ trainer, notices, selection: new Selection(trainer, notices) });

it.each(analyses)('$name has facts under the name of its folder, a state and a panel', ({ name, order }) => {
  expect(states.stateOf(name)).toBeTypeOf('object');
  expect(panelOf(name)).toBeTypeOf('function');
  expect(analyses.filter((other) => other.order === order)).toHaveLength(1);
});

const inLessons = analyses.flatMap(({ name, lesson }) => (lesson ? [{ name, lesson }] : []));

it.each(inLessons)('$name can be used by lessons, and has no measures before', ({ name, lesson }) => {
  const { ask, measures = {} } = states.stateOf(name);
  expect(ask).toBeTypeOf('function');
  expect(Object.keys(measures).sort()).toEqual(Object.keys(lesson.measures).sort());
  for (const measure of Object.keys(lesson.measures)) expect(states.measured(measure)).toBeNull();
});

it('no two analyses have a measure of the same name', () => {
  const all = inLessons.flatMap(({ lesson }) => Object.keys(lesson.measures));
  expect(Object.keys(analysisMeasures).sort()).toEqual(all.sort());
});
