// The page of `ritt serve`: the view of a run, sliders for the parameters, and the mistakes of the model. It asks for a new run
// when a slider moves and when the file has changed.
(function () {
  'use strict';
  var view = null, version = null, changed = {}, busy = false, again = false;
  var error = document.getElementById('error'), list = document.getElementById('parameters'), drawer = document.getElementById('drawer');

  function show(messages) {
    error.textContent = messages.map(function (m) {
      var place = m.line ? m.line + ':' + m.column + ': ' : '', lines = [place + m.text];
      if (m.source) lines.push('  ' + m.source, '  ' + ' '.repeat(Math.max(0, m.column - 1)) + '^');
      if (m.hint) lines.push('  hint: ' + m.hint);
      return lines.join('\n');
    }).join('\n');
    error.hidden = !messages.length;
  }

  var built = null;
  function take(answer) {
    show(answer.messages);
    if (answer.about && built !== version) {
      built = version;
      drawer.hidden = !rittSliders(list, answer.about.parameters, changed, run);
    }
    if (!answer.view || !answer.view.rows) return;
    if (view) view.update(answer.view);
    else view = rittView(document.getElementById('view'), answer.view, { within: true });
  }

  // One run at a time; what changes meanwhile makes another one.
  function run() {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    again = false;
    var query = Object.keys(changed).map(function (k) { return encodeURIComponent(k) + '=' + encodeURIComponent(changed[k]); }).join('&');
    fetch('data' + (query ? '?' + query : '')).then(function (r) { return r.json(); }).then(take, function () {
      show([{ text: 'the server does not answer' }]);
    }).then(function () {
      busy = false;
      if (again) run();
    });
  }
  document.getElementById('reset').addEventListener('click', function () {
    changed = {};
    built = null;
    run();
  });

  function look() {
    fetch('version').then(function (r) { return r.text(); }).then(function (now) {
      if (now !== version) {
        version = now;
        changed = {};
        run();
      }
    }, function () { show([{ text: 'the server has ended' }]); });
  }
  look();
  setInterval(look, 700);
})();
