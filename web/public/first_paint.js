// Runs before the first paint, so that neither the wrong colours nor the wrong language flash up.
(function () {
  var saved = {};
  try {
    saved = JSON.parse(localStorage.getItem('ocelli.settings') || '{}').state || {};
  } catch {
    // Private windows and damaged values: the browser's own wishes hold.
  }
  var dark = saved.theme === 'dark' || (saved.theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
  var language = saved.language || (/^zh/i.test(navigator.language) ? 'zh-CN' : 'en');
  document.documentElement.lang = language;
})();
