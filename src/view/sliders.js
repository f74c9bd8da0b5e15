// Sliders for the parameters of a model. rittSliders(list, parameters, changed, run) fills the element list, and returns how many
// there are. `changed` holds the values that differ from the text, by name; run() is called after each change. Sliders go from 0
// to twice the value of the text.
function rittSliders(list, parameters, changed, run) {
  'use strict';
  function slide(p, i) {
    var name = p.elements[i], value = p.values[i], label = document.createElement('label');
    var range = document.createElement('input'), number = document.createElement('input'), words = document.createElement('span');
    words.textContent = name + (p.unit ? ' (' + p.unit + ')' : '');
    words.title = p.doc || '';
    range.type = 'range';
    range.min = String(Math.min(0, 2 * value) || (value ? 0 : -1));
    range.max = String(Math.max(0, 2 * value) || (value ? 0 : 1));
    var whole = Number.isInteger(value) && Math.abs(value) >= 2;
    range.step = whole ? '1' : 'any';
    number.type = 'number';
    number.step = 'any';
    range.value = number.value = String(name in changed ? changed[name] : value);
    function take(from) {
      if (from.value === '') return;
      range.value = from.value;
      number.value = from === range ? String(+(+from.value).toPrecision(6)) : from.value;
      changed[name] = number.value;
      run();
    }
    range.addEventListener('input', function () { take(range); });
    number.addEventListener('change', function () { take(number); });
    range.setAttribute('aria-label', name);
    number.setAttribute('aria-label', name + ', value');
    label.append(words, range, number);
    list.appendChild(label);
  }

  var count = 0;
  list.textContent = '';
  parameters.forEach(function (p) {
    for (var i = 0; i < p.elements.length && count < 30; i++, count++) slide(p, i);
  });
  return count;
}
