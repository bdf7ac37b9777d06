// Tells the program when this page first showed something and when it can be used. Injected only with --announce.
(() => {
  const tell = (state) => window.__TAURI_INTERNALS__.invoke('announce', { state });
  const once = new Set();
  const say = (state) => {
    if (once.has(state)) return;
    once.add(state);
    tell(state);
  };
  new PerformanceObserver((list) => {
    if (list.getEntriesByName('first-contentful-paint').length > 0) say('painted');
  }).observe({ type: 'paint', buffered: true });
  const look = () => {
    const state = document.documentElement?.dataset.uiReady;
    // A frame later the pixels are there too, not only the elements.
    if (state === 'ready' || state === 'error') requestAnimationFrame(() => setTimeout(() => say(state)));
  };
  new MutationObserver(look).observe(document, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['data-ui-ready'],
  });
  look();
})();
