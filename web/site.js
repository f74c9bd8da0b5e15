// The documentation in the browser: copy buttons, models that run in the page beside it, and a search that needs no server.
(function () {
  'use strict';
  var here = document.currentScript.src.replace(/site\.js.*$/, '');

  function button(box, text, title, act) {
    var b = document.createElement('button');
    b.type = 'button';
    b.textContent = text;
    b.title = title;
    b.addEventListener('click', function () { act(b); });
    box.appendChild(b);
  }
  function copy(text, b) {
    function done() {
      var was = b.textContent;
      b.textContent = 'copied';
      setTimeout(function () { b.textContent = was; }, 1500);
    }
    function byHand() {
      var area = document.createElement('textarea');
      area.value = text;
      document.body.appendChild(area);
      area.select();
      document.execCommand('copy');
      area.remove();
      done();
    }
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, byHand);
    else byHand();
  }
  // The page of the engine takes a model behind the # of its address.
  function run(text) {
    var stream = new Blob([JSON.stringify({ text: text, values: {} })]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    new Response(stream).arrayBuffer().then(function (buffer) {
      var raw = String.fromCharCode.apply(null, new Uint8Array(buffer));
      window.open(here + 'play/index.html#m=' + btoa(raw).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, ''));
    });
  }
  document.querySelectorAll('.block').forEach(function (block) {
    var tools = document.createElement('div'), text = block.querySelector('pre').textContent;
    var commands = text.split('\n').filter(function (l) { return /^\$ /.test(l); });
    tools.className = 'tools';
    if (block.hasAttribute('data-run') && window.CompressionStream && window.rittPlay) button(tools, 'run', 'Run this model in a page', function () { run(text); });
    button(tools, 'copy', 'Copy', function (b) {
      copy(commands.length ? commands.map(function (l) { return l.slice(2); }).join('\n') + '\n' : text, b);
    });
    block.appendChild(tools);
  });

  // ---- the search: pages that contain all words, those with the words in their titles first ----
  function find(query) {
    var words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    return (window.rittPages || []).map(function (page) {
      var title = page.title.toLowerCase(), text = page.text.toLowerCase(), score = 0;
      for (var i = 0; i < words.length; i++) {
        var inTitle = title.indexOf(words[i]) >= 0, count = text.split(words[i]).length - 1;
        if (!inTitle && !count) return null;
        score += (inTitle ? 20 : 0) + (title === words[i] ? 20 : 0) + Math.min(count, 10);
      }
      return { page: page, score: score, at: text.indexOf(words[0]) };
    }).filter(Boolean).sort(function (a, b) { return b.score - a.score; }).slice(0, 30);
  }
  function show(list, query) {
    var found = find(query);
    list.textContent = found.length || !query ? '' : 'nothing found';
    found.forEach(function (f) {
      var item = document.createElement('article'), link = document.createElement('a'), text = document.createElement('p');
      link.href = here + f.page.at;
      link.textContent = f.page.title;
      text.textContent = f.page.text.slice(Math.max(0, f.at - 60), f.at + 140);
      item.append(link, text);
      list.appendChild(item);
    });
  }
  var list = document.getElementById('mkdocs-search-results'), input = document.getElementById('mkdocs-search-query');
  if (list) {
    var query = new URLSearchParams(location.search).get('q') || '';
    if (input) {
      input.value = query;
      input.addEventListener('input', function () { show(list, input.value); });
    }
    show(list, query);
  }
})();
