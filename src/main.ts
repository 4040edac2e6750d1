// The page's entry: the state, the components over it, and what the link asks for.
import { mount } from 'svelte';
import { trustOwnWorkers } from './base/trustedTypes.ts';
import { Page } from './state/page.svelte.ts';
import Root from './ui/Root.svelte';
import './ui/theme.css';

trustOwnWorkers();
const target = document.getElementById('app');
if (!target) throw new Error('index.html: expected an element with the id app.');

const page = new Page();
mount(Root, { target, props: { page } });
void page.begin(window.location.search);
