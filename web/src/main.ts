import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { followLinks } from './lib/location.svelte';
import { theme } from './lib/theme.svelte';

theme.apply();
followLinks();

const target = document.getElementById('app');
if (!target) throw new Error('index.html has no #app');
target.replaceChildren();
export default mount(App, { target });
